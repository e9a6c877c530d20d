// Two classes and samples of unequal weight, as missing values leave them: the same candidates as ranking.cpp finds, by
// a shorter way.
//
// What costs here is logarithms, since no table holds those of fractions. A branch of one class needs none. Cuts that
// cannot gain what the correction takes off are left out at once. Of the others only those get quick ones that a bound
// does not rule out, and only those exact ones that come near the best by quick ones.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "palmette/data/code_lanes.hpp"
#include "palmette/support/entropy_chords.hpp"
#include "palmette/support/gain_ceiling.hpp"
#include "palmette/support/quick_log.hpp"
#include "present_codes.hpp"
#include "sort_keys.hpp"

namespace palmette {
namespace {

using Pair = RankingScratch::WeightPair;

/// Score of a set with weight a of class 0 and b of class 1.
std::int64_t score_of(const XLogX& xlogx, Weight a, Weight b) {
    if (a == 0 || b == 0) return 0;
    return xlogx.of_weight(a) + xlogx.of_weight(b) - xlogx.of_weight(a + b);
}

double quick_score_of(const QuickXLogX& quick, double a, double b) {
    return quick(a) + quick(b) - quick(a + b);
}

/// The weight of the node's i-th sample.
struct Weights {
    const Weight* of_rest;
    std::size_t n_ones;
    Weight one;
    [[nodiscard]] Weight operator[](std::size_t i) const noexcept { return i < n_ones ? one : of_rest[i - n_ones]; }
};

/// Calls f(code, weights of the two classes) for every code that occurs, ascending; gives those of the missing.
/// Bins are empty between two uses, so that few codes among many need no sweep over the table.
template <class F>
Pair group_by_bins(const Evaluation& at, const Weights& weights, F f) {
    const std::size_t n = at.n();
    const std::size_t n_codes = std::size_t{at.column.n_values} + 1;
    const bool sparse = n_codes > 2 * n;
    auto& bins = at.scratch.pair_bins;
    auto& marks = at.scratch.marks;
    // Two banks where codes are few: a bin that is hit again at once would wait for its own store.
    const bool two_banks = n_codes <= 64 && n >= 64;
    const std::size_t n_bins = two_banks ? 2 * n_codes : n_codes;
    if (bins.size() < n_bins) bins.resize(n_bins, Pair{});
    if (sparse && marks.size() < n_codes / 64 + 1) marks.resize(n_codes / 64 + 1, 0);
    const Label* labels = at.totals.labels.data();
    Pair* first = bins.data();
    Pair* second = two_banks ? first + n_codes : first;
    with_codes(at.column, at.samples, [&](auto code_of) {
        const auto count = [&](Pair* bank, std::size_t i, Weight weight) {
            const std::uint32_t code = code_of(i);
            bank[code].of[labels[i]] += weight;
            if (sparse) marks[code / 64] |= std::uint64_t{1} << (code % 64);
        };
        std::size_t i = 0;
        if (at.totals.by_class && n_codes <= CodeLanes::most_values + 1 && weights.n_ones <= CodeLanes::most_samples) {
            while (i < weights.n_ones) {
                CodeLanes lanes;
                const Label label = labels[i];
                for (; i < weights.n_ones && labels[i] == label; ++i) lanes.add(code_of(i));
                for (std::uint32_t code = 0; code < n_codes; ++code) {
                    first[code].of[label] += Weight{lanes[code]} * weights.one;
                    if (sparse && lanes[code] > 0) marks[0] |= std::uint64_t{1} << code;
                }
            }
        }
        for (; i + 1 < weights.n_ones; i += 2) {
            count(first, i, weights.one);
            count(second, i + 1, weights.one);
        }
        for (; i + 1 < n; i += 2) {
            count(first, i, weights[i]);
            count(second, i + 1, weights[i + 1]);
        }
        if (i < n) count(first, i, weights[i]);
    });
    if (two_banks)
        for (std::size_t code = 0; code < n_codes; ++code) {
            first[code].of[0] += std::exchange(second[code].of[0], 0);
            first[code].of[1] += std::exchange(second[code].of[1], 0);
        }
    const Pair missing = std::exchange(first[0], Pair{});
    if (!sparse) {
        for_each_present(
            1, static_cast<std::uint32_t>(n_codes), [&](std::uint32_t code) { return first[code].total() != 0; },
            [&](std::uint32_t code) { f(code, std::exchange(first[code], Pair{})); });
        return missing;
    }
    marks[0] &= ~std::uint64_t{1};
    for (std::size_t word = 0; word <= (n_codes - 1) / 64; ++word)
        for (std::uint64_t left = std::exchange(marks[word], 0); left != 0; left &= left - 1) {
            const auto code =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
            f(code, std::exchange(first[code], Pair{}));
        }
    return missing;
}

/// Calls f(code, weights of the two classes) for the codes of sorted keys: the code of a sample, then its number.
template <class Key, class F>
void group_keys(const Evaluation& at, const Weights& weights, std::span<const Key> keys, int low_bits, F f) {
    const Label* labels = at.totals.labels.data();
    // All in one array: which samples weigh one is anyone's guess once they are sorted.
    auto& all = at.scratch.ordered_weights;
    all.assign(weights.n_ones, weights.one);
    all.insert(all.end(), at.samples.weights.begin(), at.samples.weights.end());
    const Key low = (Key{1} << low_bits) - 1;
    for (std::size_t i = 0; i < keys.size();) {
        const Key code = keys[i] >> low_bits;
        Weight total = 0, ones = 0;  // in registers: an array would wait for its own stores
        for (; i < keys.size() && keys[i] >> low_bits == code; ++i) {
            const auto sample = static_cast<std::size_t>(keys[i] & low);
            total += all[sample];
            ones += all[sample] & -Weight{labels[sample]};
        }
        f(static_cast<std::uint32_t>(code), Pair{{total - ones, ones}});
    }
}

/// Fills in the keys of the samples whose value is known and counts them; gives the weights of the others.
template <class Key>
Pair fill_keys(const Evaluation& at, const Weights& weights, int low_bits, std::vector<Key>& keys,
               std::size_t& n_known) {
    const std::size_t n = at.n();
    keys.resize(n + 1);
    Pair missing;
    n_known = 0;
    const Label* labels = at.totals.labels.data();
    with_codes(at.column, at.samples, [&](auto code_of) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = code_of(i);
            keys[n_known] = Key{code} << low_bits | static_cast<Key>(i);
            if (code == 0)
                missing.of[labels[i]] += weights[i];
            else
                ++n_known;
        }
    });
    return missing;
}

/// The same by sorting: for many more codes than samples.
template <class F>
Pair group_by_sorting(const Evaluation& at, const Weights& weights, F f) {
    const auto low_bits = static_cast<int>(std::bit_width(at.n() - 1));
    const auto code_bits = static_cast<int>(std::bit_width(at.column.n_values));
    std::size_t n_known;
    if (code_bits <= most_code_bits && code_bits + low_bits <= 32) {
        auto& keys = at.scratch.cut_keys;
        const Pair missing = fill_keys(at, weights, low_bits, keys, n_known);
        sort_by_code(keys, n_known, low_bits, 1, at.column.n_values, at.scratch.cut_buffer);
        group_keys(at, weights, std::span<const std::uint32_t>(keys.data(), n_known), low_bits, f);
        return missing;
    }
    auto& keys = at.scratch.keys;
    const Pair missing = fill_keys(at, weights, 32, keys, n_known);
    sort_keys(keys.data(), n_known, at.column.n_values, at.scratch.key_buffer);
    group_keys(at, weights, std::span<const std::uint64_t>(keys.data(), n_known), 32, f);
    return missing;
}

template <class F>
Pair group(const Evaluation& at, F f) {
    const Weights weights{at.samples.weights.data(), at.samples.n_ones, at.dataset.scale().one()};
    const std::size_t n = at.n();
    if (at.column.n_values <= 24 * n + 64 && (n > 12 || at.column.n_values <= 32)) return group_by_bins(at, weights, f);
    return group_by_sorting(at, weights, f);
}

Candidate evaluate_branches(const Evaluation& at) {
    const XLogX& xlogx = at.dataset.xlogx();
    const WeightScale& scale = at.dataset.scale();
    const double least = at.c45() ? at.options.min_samples : 0.0;
    const bool wants_ratio = at.options.criterion == Criterion::gain_ratio;
    Candidate candidate;
    std::int64_t score = 0, branch_terms = 0;
    std::uint32_t n_groups = 0, n_large = 0;
    const Pair missing = group(at, [&](std::uint32_t, const Pair& pair) {
        ++n_groups;
        n_large += scale.reaches(pair.total(), least);
        score += score_of(xlogx, pair.of[0], pair.of[1]);
        if (wants_ratio) branch_terms += xlogx.of_weight(pair.total());
    });
    candidate.constant = n_groups < 2;
    if (n_large < 2) return candidate;
    const Weight zeros = at.totals.class_weights[0] - missing.of[0], ones = at.totals.class_weights[1] - missing.of[1];
    finish<WeightCounts>(at, candidate, score - score_of(xlogx, zeros, ones), 1, branch_terms, missing.total());
    return candidate;
}

Candidate evaluate_cuts(const Evaluation& at) {
    static const QuickXLogX quick;
    static const EntropyChords least_entropy;
    const XLogX& xlogx = at.dataset.xlogx();
    const WeightScale& scale = at.dataset.scale();
    Candidate candidate;
    auto& groups = at.scratch.pair_groups;
    groups.clear();
    const Pair missing = group(at, [&](std::uint32_t code, const Pair& pair) { groups.push_back({code, pair}); });
    candidate.constant = groups.size() < 2;
    const Weight zeros = at.totals.class_weights[0] - missing.of[0], ones = at.totals.class_weights[1] - missing.of[1];
    const Weight known = zeros + ones;
    if (zeros == 0 || ones == 0) return candidate;
    if (at.c45() && !scale.reaches(known, 2 * at.options.min_samples)) return candidate;
    const Weight least = smallest_side<WeightCounts>(at, known);

    struct Cut {
        Weight zeros, ones;         // below it
        std::uint32_t code, above;  // its neighbours
    };
    constexpr std::size_t cuts_at_once = 256;
    std::array<Cut, cuts_at_once> cuts;
    std::array<double, cuts_at_once> most, quick_scores;
    Cut* next = cuts.data();
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    double best_quick = -std::numeric_limits<double>::infinity();
    Cut best_cut{0, 0, 0, 0};
    // The x of a cut's six terms sum to twice what is known, and each exact term is rounded by half a unit at most: two
    // cuts of equal exact score differ by less than 4 errors of it and 6 units. Six and four times that is ample.
    const double margin = 24 * QuickXLogX::error * static_cast<double>(known) / scale.factor() + 24 / scale.factor();
    const double per_one = 1 / scale.factor();
    const auto quick_score = [&](const Cut& cut) {
        const auto a = static_cast<double>(cut.zeros) * per_one, b = static_cast<double>(cut.ones) * per_one;
        const auto c = static_cast<double>(zeros - cut.zeros) * per_one;
        const auto d = static_cast<double>(ones - cut.ones) * per_one;
        return quick_score_of(quick, a, b) + quick_score_of(quick, c, d);
    };
    const auto judge = [&] {
        const auto n = static_cast<std::size_t>(next - cuts.data());
        if (n == 0) return;
        // First what the scores are at most.
        for (std::size_t i = 0; i < n; ++i) {
            const Cut& cut = cuts[i];
            const auto left = static_cast<double>(cut.zeros + cut.ones), left_of_1 = static_cast<double>(cut.ones);
            const auto right = static_cast<double>(known - cut.zeros - cut.ones);
            const auto right_of_1 = static_cast<double>(ones - cut.ones);
            most[i] = -per_one * (left * least_entropy(left_of_1 / left) + right * least_entropy(right_of_1 / right));
        }
        const auto promising =
            static_cast<std::size_t>(std::max_element(most.begin(), most.begin() + n) - most.begin());
        best_quick = std::max(best_quick, quick_score(cuts[promising]));
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < n; ++i) {
            cuts[n_left] = cuts[i];
            n_left += most[i] >= best_quick - margin;
        }
        for (std::size_t i = 0; i < n_left; ++i) quick_scores[i] = quick_score(cuts[i]);
        for (std::size_t i = 0; i < n_left; ++i) best_quick = std::max(best_quick, quick_scores[i]);
        for (std::size_t i = 0; i < n_left; ++i) {
            if (quick_scores[i] < best_quick - margin) continue;
            const Cut& cut = cuts[i];
            const std::int64_t score =
                score_of(xlogx, cut.zeros, cut.ones) + score_of(xlogx, zeros - cut.zeros, ones - cut.ones);
            if (score > best) {
                best = score;
                best_cut = cut;
            }
        }
        next = cuts.data();
    };
    // The permitted cuts lie side by side: before the groups from `first` to before `last`.
    std::size_t first = 0, last = groups.size();
    Weight left_zeros = 0, left_ones = 0;
    for (; first < last && left_zeros + left_ones < least; ++first) {
        left_zeros += groups[first].second.of[0];
        left_ones += groups[first].second.of[1];
    }
    Weight right = 0;
    while (last > first && (right += groups[last - 1].second.total()) < least) --last;
    if (first == last) return candidate;
    const auto tried = static_cast<std::uint32_t>(last - first);
    const double correction = static_cast<double>(correction_for(at, tried)) * per_one;
    const GainCeiling ceiling(static_cast<double>(zeros) * per_one, static_cast<double>(ones) * per_one,
                              correction - margin);
    std::uint32_t previous = 3;
    for (std::size_t g = first; g < last; ++g) {
        const auto& [code, pair] = groups[g];
        // 0 or 1: all of that class; 2: both.
        const std::uint32_t some = pair.of[1] != 0;
        const std::uint32_t only = some + (some & static_cast<std::uint32_t>(pair.of[0] != 0));
        // See try_cuts in ranking.cpp for why most cuts inside a run of one class need no judging.
        const bool worthwhile = (only == 2) | (only != previous) | (g + 1 == last);
        const bool may_count = ceiling.may_be_passed(static_cast<double>(left_zeros + left_ones) * per_one,
                                                     static_cast<double>(left_ones) * per_one);
        *next = {left_zeros, left_ones, groups[g - 1].first, code};
        next += worthwhile & may_count;
        if (next == cuts.data() + cuts_at_once) judge();
        left_zeros += pair.of[0];
        left_ones += pair.of[1];
        previous = only;
    }
    judge();
    if (best == std::numeric_limits<std::int64_t>::min()) return candidate;
    candidate.cut = best_cut.code;
    candidate.above = best_cut.above;
    const Weight left = best_cut.zeros + best_cut.ones;
    std::int64_t branch_terms = 0;
    if (at.options.criterion == Criterion::gain_ratio)
        branch_terms = xlogx.of_weight(left) + xlogx.of_weight(known - left);
    finish<WeightCounts>(at, candidate, best - score_of(xlogx, zeros, ones), tried, branch_terms, missing.total());
    return candidate;
}

}  // namespace

Candidate evaluate_two_weighted_classes(const Evaluation& at) {
    return at.column.kind == FeatureKind::nominal ? evaluate_branches(at) : evaluate_cuts(at);
}

}  // namespace palmette
