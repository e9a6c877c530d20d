// The best cut of a continuous feature with few codes at a node of few samples, by counting the classes of each code:
// unit weights, nothing missing.
//
// Every cut is judged from the counts on both sides, class by class: more sums than the general evaluation makes, which
// moves only what changes, but no jump that depends on the data. The candidate is the same to the last bit: a cut that
// need not be judged (see `try_every_cut`) scores less than one beside it by 1/(2n²) bits, 2⁻²¹ for the most samples taken
// here. Four terms of each differ, every one rounded by half a unit: at most 2⁻²³ bits in all, since unit weights have 25
// bits of fraction or more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "evaluation.hpp"

namespace palmette {

constexpr std::size_t most_counted_samples = 1024;
constexpr std::size_t most_counted_classes = 32;

/// True if the sums over the table of counts cost less than sorting the samples.
[[nodiscard]] inline bool is_better_counted(const Evaluation& at) noexcept {
    const std::size_t n = at.n(), n_classes = at.n_classes();
    return n <= most_counted_samples && n_classes > 2 && n_classes <= most_counted_classes &&
           at.samples.weights.empty() && at.options.criterion != Criterion::gini &&
           at.column.kind == FeatureKind::continuous && (std::size_t{at.column.n_values} + 1) * n_classes <= 4 * n &&
           at.dataset.xlogx().covers(n);
}

/// False if a sample misses its value. `is_better_counted` must hold.
[[nodiscard]] inline bool find_counted_cut(const Evaluation& at, Candidate& candidate) {
    const std::size_t n_classes = at.n_classes();
    const std::size_t n_codes = std::size_t{at.column.n_values} + 1;
    const auto n = static_cast<std::uint32_t>(at.n());
    std::vector<std::uint32_t>& table = at.scratch.unit.table;
    table.assign(n_codes * n_classes, 0);
    with_codes(at.column, at.samples, [&](auto code_of) {
        const Label* labels = at.totals.labels.data();
        for (std::size_t i = 0; i < n; ++i) ++table[code_of(i) * n_classes + labels[i]];
    });
    if (std::any_of(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(n_classes),
                    [](std::uint32_t count) { return count > 0; }))
        return false;

    const std::uint32_t least = smallest_side<UnitCounts>(at, n);
    const std::int64_t* x = at.dataset.xlogx().table();
    const std::uint32_t* all = at.totals.class_counts.data();
    std::array<std::uint32_t, most_counted_classes> left_counts{};
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    std::uint32_t left = 0, best_left = 0, previous = 0, tried = 0, n_present = 0;
    const std::uint32_t* row = table.data();
    for (std::uint32_t code = 1; code < n_codes; ++code) {
        row += n_classes;
        std::int64_t score = -x[left] - x[n - left];
        std::uint32_t here = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            score += x[left_counts[k]] + x[all[k] - left_counts[k]];
            left_counts[k] += row[k];
            here += row[k];
        }
        const bool present = here > 0;
        const bool permitted = present & (left >= least) & (n - left >= least);
        tried += permitted;
        const bool better = permitted & (score > best);
        best = better ? score : best;
        best_left = better ? left : best_left;
        candidate.cut = better ? previous : candidate.cut;
        candidate.above = better ? code : candidate.above;
        previous = present ? code : previous;
        n_present += present;
        left += here;
    }
    candidate.constant = n_present < 2;
    if (tried == 0 || (at.c45() && !at.dataset.scale().reaches(at.totals.weight, 2 * at.options.min_samples)))
        return true;
    std::int64_t score_of_all = -x[n];
    for (std::size_t k = 0; k < n_classes; ++k) score_of_all += x[all[k]];
    finish<UnitCounts>(at, candidate, best - score_of_all, tried, x[best_left] + x[n - best_left], 0);
    return true;
}

}  // namespace palmette
