// NodePool: memory for the nodes of a trie, given back piece by piece and counted to the byte.
//
// The pieces are small and of few sizes, and millions of them come and go: freed pieces wait in a list of their size
// class. The mix of sizes changes in a long search, so one of a larger class is cut up before the pool grows, and where
// it has grown all the same, `coalesce` joins neighbours again. Where little of much is still wanted, its owner moves that
// little to fresh chunks, and has all the others to use again. Chunks return to the system only with the pool.
//
// Pages are asked for a chunk at a time: as many page faults less. Not huge ones, although a search chases pointers all
// over its trie: on a virtual machine that returns its free memory to the host, clearing one took five times as long as
// clearing as many small pages, and fewer misses of the address cache did not earn that back.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "fetch_early.hpp"

namespace palmette {

class NodePool {
  public:
    NodePool() = default;
    NodePool(const NodePool&) = delete;
    NodePool& operator=(const NodePool&) = delete;
    ~NodePool() {
        for (const auto* chunks : {&chunks_, &left_behind_, &spare_})
            for (const Chunk& chunk : *chunks) ::operator delete(chunk.first, std::align_val_t{chunk.size});
        release_all(large_first_);
        release_all(large_left_behind_);
    }

    /// Uninitialised room for `count` objects of a type that needs no destructor.
    template <class T>
    [[nodiscard]] T* allocate(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= grain);
        return count == 0 ? nullptr : static_cast<T*>(take(count * sizeof(T)));
    }
    template <class T>
    void release(T* piece, std::size_t count) noexcept {
        if (piece != nullptr) give_back(piece, count * sizeof(T));
    }

    /// Joins what was given back and lies side by side. It looks at every free piece: not for every day.
    void coalesce() {
        std::size_t n_free = 0;
        for (const Free* first : free_)
            for (const Free* piece = first; piece != nullptr; piece = piece->next) ++n_free;
        std::vector<Region> all = regions_;
        all.reserve(regions_.size() + n_free + 1);
        regions_.reserve(in_chunks_ / small_chunk);  // nothing is thrown from here on
        for (std::size_t number = 0; number < n_classes; ++number)
            for (Free* piece = std::exchange(free_[number], nullptr); piece != nullptr; piece = piece->next)
                all.push_back({reinterpret_cast<std::byte*>(piece), size_of(number)});
        all.push_back({next_, std::exchange(left_, 0)});
        std::ranges::sort(all, {}, &Region::first);
        regions_.clear();
        for (std::size_t i = 0; i < all.size();) {
            Region region = all[i++];
            for (; i < all.size() && region.first + region.size == all[i].first; ++i) region.size += all[i].size;
            if (region.size >= small_chunk)
                regions_.push_back(region);
            else
                spread(region);
        }
    }

    /// Leaves all pieces behind: they can be read until `end_move`, and no longer be released. Those that are taken
    /// from now on lie elsewhere.
    void begin_move() noexcept {
        left_behind_.swap(chunks_);
        large_left_behind_ = std::exchange(large_first_, nullptr);
        large_bytes_left_behind_ = large_;
        free_.fill(nullptr);
        regions_.clear();
        next_ = nullptr;
        left_ = in_use_ = 0;
    }
    /// What was left behind is to be used again.
    void end_move() {
        spare_.insert(spare_.end(), left_behind_.begin(), left_behind_.end());
        left_behind_.clear();
        release_all(large_left_behind_);
        large_ -= std::exchange(large_bytes_left_behind_, 0);
    }

    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return in_use_; }
    /// Of chunks that wait to be used again.
    [[nodiscard]] std::size_t bytes_spare() const noexcept {
        std::size_t sum = 0;
        for (const Chunk& chunk : spare_) sum += chunk.size;
        return sum;
    }
    /// In use or not.
    [[nodiscard]] std::size_t bytes_held() const noexcept { return in_chunks_ + large_; }
    [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_; }

  private:
    static constexpr std::size_t grain = 16;
    static constexpr std::size_t small_chunk = std::size_t{1} << 16;
    static constexpr std::size_t large_chunk = std::size_t{1} << 21;
    static constexpr std::size_t largest_piece = large_chunk / 4;
    static constexpr int populate_write = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which older headers do not have
    static constexpr std::size_t n_fine = 32;  // classes of one grain each, up to 512 bytes; then four to a doubling
    static constexpr std::size_t n_classes = n_fine + 4 * 10;

    struct Free {
        Free* next;
    };
    struct Chunk {
        void* first;
        std::size_t size;
    };
    struct Region {
        std::byte* first;
        std::size_t size;
    };
    struct alignas(grain) Large {
        Large* previous;
        Large* next;
    };

    static std::size_t class_of(std::size_t bytes) noexcept {
        const std::size_t grains = (bytes + grain - 1) / grain;
        if (grains <= n_fine) return grains - 1;
        const auto exponent = static_cast<std::size_t>(std::bit_width(grains - 1)) - 1;  // grains in (2^e, 2^(e+1)]
        const std::size_t quarter = (grains - 1 - (std::size_t{1} << exponent)) >> (exponent - 2);
        return n_fine + 4 * (exponent - 5) + quarter;
    }
    static std::size_t size_of(std::size_t number) noexcept {
        if (number < n_fine) return (number + 1) * grain;
        const std::size_t exponent = 5 + (number - n_fine) / 4, quarter = (number - n_fine) % 4;
        return ((std::size_t{1} << exponent) + (quarter + 1) * (std::size_t{1} << (exponent - 2))) * grain;
    }

    static void release_all(Large*& first) noexcept {
        while (first != nullptr) ::operator delete(std::exchange(first, first->next));
    }
    void* take(std::size_t bytes) {
        if (bytes > largest_piece) {
            auto* head = static_cast<Large*>(::operator new(sizeof(Large) + bytes));
            *head = {nullptr, large_first_};
            if (large_first_ != nullptr) large_first_->previous = head;
            large_first_ = head;
            in_use_ += bytes;
            large_ += bytes;
            peak_ = std::max(peak_, in_chunks_ + large_);
            return head + 1;
        }
        const std::size_t number = class_of(bytes);
        const std::size_t size = size_of(number);
        in_use_ += size;
        if (Free* piece = free_[number]) {
            free_[number] = piece->next;
            fetch_early(piece->next);  // freed pieces lie far apart, and the next one is wanted soon
            return piece;
        }
        if (left_ < size) {
            if (void* piece = take_of_larger(number)) return piece;
            add_room(size);
        }
        void* piece = next_;
        next_ += size;
        left_ -= size;
        return piece;
    }
    /// The front of a free piece of a larger class; the rest of it goes to the lists of its sizes.
    void* take_of_larger(std::size_t number) noexcept {
        const auto larger = std::find_if(free_.begin() + static_cast<std::ptrdiff_t>(number) + 1, free_.end(),
                                         [](const Free* first) { return first != nullptr; });
        if (larger == free_.end()) return nullptr;
        Free* const piece = *larger;
        *larger = piece->next;
        const std::size_t size = size_of(number);
        spread({reinterpret_cast<std::byte*>(piece) + size,
                size_of(static_cast<std::size_t>(larger - free_.begin())) - size});
        return piece;
    }
    /// Puts a region into the lists, in as large pieces as there are classes for.
    void spread(Region region) noexcept {
        while (region.size > 0) {
            std::size_t number = class_of(std::min(region.size, largest_piece));
            if (size_of(number) > region.size) --number;
            free_[number] = ::new (region.first) Free{free_[number]};
            region.first += size_of(number);
            region.size -= size_of(number);
        }
    }
    /// A place for a piece of `needed` bytes and for those after it.
    void add_room(std::size_t needed) {
        const auto region = std::ranges::find_if(regions_, [&](const Region& at) { return at.size >= needed; });
        if (region != regions_.end()) {
            spread({next_, left_});
            next_ = region->first;
            left_ = region->size;
            *region = regions_.back();
            regions_.pop_back();
            return;
        }
        chunks_.reserve(chunks_.size() + 1);
        const auto spare = std::ranges::find_if(spare_, [&](const Chunk& at) { return at.size >= needed; });
        if (spare != spare_.end()) {
            chunks_.push_back(std::exchange(*spare, spare_.back()));
            spare_.pop_back();
        } else {
            chunks_.push_back(new_chunk(needed));
        }
        spread({next_, left_});
        next_ = static_cast<std::byte*>(chunks_.back().first);
        left_ = chunks_.back().size;
    }
    Chunk new_chunk(std::size_t needed) {
        // Small problems stay small.
        const std::size_t size = in_chunks_ < 2 * large_chunk && needed <= small_chunk / 4 ? small_chunk : large_chunk;
        void* first = ::operator new(size, std::align_val_t{size});
#if defined(__linux__)
        // A wish; nothing depends on its success.
        if (size == large_chunk) ::madvise(first, size, populate_write);
#endif
        in_chunks_ += size;
        peak_ = std::max(peak_, in_chunks_ + large_);
        return {first, size};
    }
    void give_back(void* piece, std::size_t bytes) noexcept {
        if (bytes > largest_piece) {
            Large* head = static_cast<Large*>(piece) - 1;
            (head->previous != nullptr ? head->previous->next : large_first_) = head->next;
            if (head->next != nullptr) head->next->previous = head->previous;
            in_use_ -= bytes;
            large_ -= bytes;
            ::operator delete(head);
            return;
        }
        const std::size_t number = class_of(bytes);
        in_use_ -= size_of(number);
        free_[number] = ::new (piece) Free{free_[number]};
    }

    std::array<Free*, n_classes> free_{};
    std::vector<Chunk> chunks_, left_behind_, spare_;
    std::vector<Region> regions_;  // of at least a small chunk, free
    Large* large_first_ = nullptr;
    Large* large_left_behind_ = nullptr;
    std::size_t large_bytes_left_behind_ = 0;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t in_use_ = 0;
    std::size_t large_ = 0;
    std::size_t in_chunks_ = 0;
    std::size_t peak_ = 0;
};

}  // namespace palmette
