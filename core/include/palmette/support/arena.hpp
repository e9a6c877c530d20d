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
        T* first = static_cast<T*>(take(count * sizeof(T)));
        std::uninitialized_value_construct_n(first, count);
        return first;
    }

    template <class T>
    T* copy(const T* source, std::size_t count) {
        T* first = make<T>(count);
        std::copy_n(source, count, first);
        return first;
    }

  private:
    // A chunk is as large as all before it, within these: a forest has an arena for each tree, and most may be small.
    static constexpr std::size_t smallest_chunk = std::size_t{1} << 11;
    static constexpr std::size_t largest_chunk = std::size_t{1} << 16;

    void* take(std::size_t bytes) {
        constexpr std::size_t grain = alignof(std::max_align_t);
        bytes = (bytes + grain - 1) / grain * grain;
        if (bytes > left_) {
            const std::size_t size = std::max(bytes, std::clamp(held_, smallest_chunk, largest_chunk));
            chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
            next_ = chunks_.back().get();
            left_ = size;
            held_ += size;
        }
        void* taken = next_;
        next_ += bytes;
        left_ -= bytes;
        return taken;
    }

    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t held_ = 0;  // bytes of all chunks
};

}  // namespace palmette
