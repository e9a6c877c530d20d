// The best cut of a continuous feature at a node of few samples: two classes, unit weights, nothing missing.
//
// Most nodes of an elimination on wide data are this small, and there the tables of the general evaluation cost more than
// the samples: sorting them took the time of Arcene from 0.95 s to 0.5 s. The candidate is the same to the last bit: the
// same cuts are judged (tree/ranking.cpp says why most need not be), by the same integers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../tree/evaluation.hpp"

namespace palmette::elimination {

/// From here on counting by code is faster than sorting, unless the codes are many more than the samples.
constexpr std::size_t most_sorted_by_insertion = 24;

[[nodiscard]] inline bool is_better_sorted(const Evaluation& at) noexcept {
    const std::size_t n = at.n();
    return at.dataset.n_classes() == 2 && at.samples.weights.empty() && at.options.criterion != Criterion::gini &&
           at.column.kind == FeatureKind::continuous && at.dataset.xlogx().covers(n) &&
           (n <= most_sorted_by_insertion || (at.column.n_values > 8 * n + 64 && at.column.n_values < (1U << 24)));
}

/// Sorts keys of the given number of bits.
inline void sort_keys_of(std::uint32_t* keys, std::size_t n, int bits, std::vector<std::uint32_t>& buffer) {
    if (n <= most_sorted_by_insertion) {
        for (std::size_t i = 1; i < n; ++i) {
            const std::uint32_t key = keys[i];
            std::size_t j = i;
            for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    buffer.resize(n);
    std::uint32_t* from = keys;
    std::uint32_t* to = buffer.data();
    for (int shift = 0; shift < bits; shift += 8) {
        std::array<std::uint32_t, 256> start{};
        for (std::size_t i = 0; i < n; ++i) ++start[(from[i] >> shift) & 255U];
        std::uint32_t sum = 0;
        for (auto& entry : start) sum += std::exchange(entry, sum);
        for (std::size_t i = 0; i < n; ++i) to[start[(from[i] >> shift) & 255U]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::copy_n(from, n, keys);
}

/// `is_better_sorted` must hold, and no sample may miss its value.
[[nodiscard]] inline Candidate best_cut_of_sorted(const Evaluation& at, std::vector<std::uint32_t>& keys,
                                                  std::vector<std::uint32_t>& buffer) {
    Candidate candidate;
    const std::size_t n = at.n();
    keys.resize(n + 1);
    const Label* labels = at.totals.labels.data();
    std::uint32_t least_key = ~std::uint32_t{0}, greatest_key = 0;
    with_codes(at.column, at.samples, [&](auto code_of) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t key = code_of(i) << 1 | labels[i];
            keys[i] = key;
            least_key = std::min(least_key, key);
            greatest_key = std::max(greatest_key, key);
        }
    });
    if (least_key >> 1 == greatest_key >> 1) {
        candidate.constant = true;
        return candidate;
    }
    const WeightScale& scale = at.dataset.scale();
    if (at.c45() && !scale.reaches(at.totals.weight, 2 * at.options.min_samples)) return candidate;
    sort_keys_of(keys.data(), n, std::bit_width(greatest_key), buffer);
    keys[n] = ~std::uint32_t{0};

    const std::int64_t* x = at.dataset.xlogx().table();
    const auto score = [x](std::uint32_t zeros, std::uint32_t ones) { return x[zeros] + x[ones] - x[zeros + ones]; };
    const auto known = static_cast<std::uint32_t>(n);
    const std::uint32_t ones = at.totals.class_counts[1], zeros = known - ones;
    const std::uint32_t least = smallest_side<UnitCounts>(at, known);
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    std::uint32_t best_left = 0, tried = 0, left = 0, left_ones = 0, previous = 3, previous_code = 0;
    for (std::uint32_t i = 0; i < known;) {
        const std::uint32_t code = keys[i] >> 1;
        const std::uint32_t begin = i;
        std::uint32_t one = 0;
        for (; keys[i] >> 1 == code; ++i) one += keys[i] & 1U;
        const std::uint32_t total = i - begin;
        const std::uint32_t only = one == 0 ? 0 : one == total ? 1 : 2;
        const std::uint32_t right = known - left;
        if (left >= least && right >= least) {
            ++tried;
            if (only == 2 || only != previous || tried == 1 || right - total < least) {
                const std::int64_t s = score(left - left_ones, left_ones) +
                                       score(zeros - (left - left_ones), ones - left_ones);
                if (s > best) {
                    best = s;
                    best_left = left;
                    candidate.cut = previous_code;
                    candidate.above = code;
                }
            }
        }
        left += total;
        left_ones += one;
        previous = only;
        previous_code = code;
    }
    if (tried == 0) return candidate;
    const XLogX& xlogx = at.dataset.xlogx();
    finish<UnitCounts>(at, candidate, best - score(zeros, ones), tried,
                       xlogx.of_count(best_left) + xlogx.of_count(known - best_left), 0);
    return candidate;
}

}  // namespace palmette::elimination
