// Arena: memory for many small things that live and die together, such as the nodes of one tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace palmette {

class Arena {
  public:
    /// Room for `count` objects, value-initialised. They are never destroyed one by one, so T must not need it.
    template <class T>
    T* make(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        static_assert(alignof(T) <= alignof(std::max_align_t));
        T* first = static_cast<T*>(room(count * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(first, count);
        return first;
    }

    template <class T>
    T* copy(const T* source, std::size_t count) {
        T* first = make<T>(count);
        std::copy_n(source, count, first);
        return first;
    }

    /// Room for so many bytes, which are the caller's to initialise.
    void* room(std::size_t bytes, std::size_t alignment) {
        std::size_t gap = (alignment - used_ % alignment) % alignment;
        if (gap + bytes > size_ - used_) {
            size_ = std::max(bytes, std::clamp(held_, smallest_chunk, largest_chunk));
            chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));
            chunk_ = chunks_.back().get();
            held_ += size_;
            used_ = gap = 0;
        }
        void* taken = chunk_ + used_ + gap;
        used_ += gap + bytes;
        return taken;
    }

    /// Bytes that it holds, taken or not.
    [[nodiscard]] std::size_t nbytes() const noexcept { return held_; }

  private:
    // A chunk is as large as all before it, within these: a forest has an arena for each tree, and most may be small. The
    // largest finds room where the grower has just freed a node's samples.
    static constexpr std::size_t smallest_chunk = std::size_t{1} << 11;
    static constexpr std::size_t largest_chunk = std::size_t{1} << 13;

    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte* chunk_ = nullptr;  // the last one
    std::size_t size_ = 0;
    std::size_t used_ = 0;
    std::size_t held_ = 0;  // bytes of all chunks
};

}  // namespace palmette
