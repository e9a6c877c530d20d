// Sorting the samples of a node by the code of a feature.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace palmette {

/// Sorts keys by their upper halves, which are at most `largest_code`. Equal ones stay in order.
inline void sort_keys(std::uint64_t* keys, std::size_t n, std::uint32_t largest_code,
                      std::vector<std::uint64_t>& buffer) {
    if (n <= 24) {
        for (std::size_t i = 1; i < n; ++i) {
            const std::uint64_t key = keys[i];
            std::size_t j = i;
            for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    buffer.resize(n);
    std::uint64_t* from = keys;
    std::uint64_t* to = buffer.data();
    const int bits = std::bit_width(largest_code);
    for (int shift = 0; shift < bits; shift += 8) {
        std::uint32_t start[256] = {};
        for (std::size_t i = 0; i < n; ++i) ++start[(from[i] >> (32 + shift)) & 255U];
        if (start[(from[0] >> (32 + shift)) & 255U] == n) continue;
        std::uint32_t sum = 0;
        for (auto& entry : start) sum += std::exchange(entry, sum);
        for (std::size_t i = 0; i < n; ++i) to[start[(from[i] >> (32 + shift)) & 255U]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::memcpy(keys, from, n * sizeof(std::uint64_t));
}

}  // namespace palmette
