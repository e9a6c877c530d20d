// Sorting the samples of a node by the code of a feature.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace palmette {

constexpr std::size_t most_sorted_by_rank = 32;
constexpr int most_code_bits = 24;  // of the codes in short keys

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

/// Sorts at most `Most` keys by counting for each how many come before it: n² comparisons, but many at once and without
/// a jump that cannot be predicted.
template <std::size_t Most>
void sort_by_rank(const std::uint32_t* keys, std::size_t n, int low_bits, std::uint32_t* sorted) {
    constexpr int place_bits = 5;
    static_assert(Most <= (1U << place_bits));
    std::array<std::int32_t, Most> distinct, rank;
    for (std::size_t i = 0; i < Most; ++i) {
        const std::uint32_t code = i < n ? keys[i] >> low_bits : (1U << (31 - place_bits)) - 1;
        distinct[i] = static_cast<std::int32_t>(code << place_bits | static_cast<std::uint32_t>(i));
        rank[i] = 0;
    }
    for (std::size_t j = 0; j < n; ++j) {
        const std::int32_t other = distinct[j];
        for (std::size_t i = 0; i < Most; ++i) rank[i] += distinct[i] > other;
    }
    for (std::size_t i = 0; i < n; ++i) sorted[rank[i]] = keys[i];
}

/// Sorts short keys by their codes, which are in least..greatest and lie above `low_bits` others. The order of equal codes does
/// not matter.
inline void sort_by_code(std::vector<std::uint32_t>& keys, std::size_t n, int low_bits, std::uint32_t least,
                         std::uint32_t greatest, std::vector<std::uint32_t>& buffer) {
    constexpr std::uint32_t most_counted = 64;
    const std::uint32_t range = greatest - least + 1;
    if (range <= most_counted && 3 * n > range) {
        // Two banks: a count that is raised again at once would wait for its own store.
        std::array<std::uint32_t, most_counted> start, second;
        std::fill_n(start.begin(), range, 0U);
        std::fill_n(second.begin(), range, 0U);
        buffer.resize(n + 1);
        std::size_t first = 0;
        for (; first + 1 < n; first += 2) {
            ++start[(keys[first] >> low_bits) - least];
            ++second[(keys[first + 1] >> low_bits) - least];
        }
        if (first < n) ++start[(keys[first] >> low_bits) - least];
        std::uint32_t sum = 0;
        for (std::uint32_t code = 0; code < range; ++code) sum += std::exchange(start[code], sum) + second[code];
        for (std::size_t i = 0; i < n; ++i) buffer[start[(keys[i] >> low_bits) - least]++] = keys[i];
        keys.swap(buffer);
        return;
    }
    buffer.resize(n + 1);
    if (n <= most_sorted_by_rank) {
        if (n <= 8)
            sort_by_rank<8>(keys.data(), n, low_bits, buffer.data());
        else if (n <= 16)
            sort_by_rank<16>(keys.data(), n, low_bits, buffer.data());
        else if (n <= 24)
            sort_by_rank<24>(keys.data(), n, low_bits, buffer.data());
        else
            sort_by_rank<most_sorted_by_rank>(keys.data(), n, low_bits, buffer.data());
        keys.swap(buffer);
        return;
    }
    // A pass looks at every key twice and at every digit once: long digits for many keys, short ones for few.
    constexpr int most_digit_bits = 11;
    const int bits = std::bit_width(range - 1);
    const auto cost = [&](int n_passes) {
        return static_cast<std::size_t>(n_passes) * (4 * n + (std::size_t{1} << ((bits + n_passes - 1) / n_passes)));
    };
    int n_passes = (bits + most_digit_bits - 1) / most_digit_bits;
    while (cost(n_passes + 1) < cost(n_passes)) ++n_passes;
    const int digit_bits = (bits + n_passes - 1) / n_passes;
    const std::uint32_t digit_mask = (1U << digit_bits) - 1, offset = least << low_bits;
    std::array<std::uint32_t, 2048> start;
    for (int pass = 0; pass < n_passes; ++pass) {
        const int shift = low_bits + pass * digit_bits;
        std::fill_n(start.begin(), digit_mask + 1, 0U);
        for (std::size_t i = 0; i < n; ++i) ++start[((keys[i] - offset) >> shift) & digit_mask];
        std::uint32_t sum = 0;
        for (std::uint32_t digit = 0; digit <= digit_mask; ++digit) sum += std::exchange(start[digit], sum);
        for (std::size_t i = 0; i < n; ++i) buffer[start[((keys[i] - offset) >> shift) & digit_mask]++] = keys[i];
        keys.swap(buffer);
    }
}

}  // namespace palmette
