#include "palmette/evolution/ratio_split.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "../tree/evaluation.hpp"
#include "../tree/groups.hpp"

namespace palmette {
namespace {

/// The least gain that is one: below it lies the rounding of the logarithms.
std::int64_t least_gain(const Evaluation& at) {
    const auto rounding = std::int64_t{1} << std::max(0, at.dataset.scale().fraction_bits() - 20);
    return std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(at.totals.weight)), rounding);
}

template <class Counts, class Groups>
void try_cuts(const Evaluation& at, const Groups& groups, const Known<Counts>& known, Candidate& candidate) {
    using Count = typename Counts::Count;
    const Entropy<Counts> entropy(at.dataset);
    const std::size_t n_classes = at.dataset.n_classes();
    auto& scratch = at.template counts<Counts>();
    scratch.left.assign(n_classes, 0);
    scratch.right.assign(known.by_class, known.by_class + n_classes);
    typename Entropy<Counts>::Sides sides(entropy, scratch.left.data(), scratch.right.data(), scratch.terms, n_classes);

    const std::int64_t whole = entropy.score(known.total, known.by_class, n_classes);
    const std::int64_t least = least_gain(at);
    const std::int64_t without_branches = at.dataset.xlogx().of_weight(at.totals.weight) - entropy.term(known.missing);
    Count left = 0;
    std::uint32_t previous_code = 0;
    double best = 0;
    groups.for_each([&](std::uint32_t code, Count total, int only, auto items) {
        if (left > 0) {
            const Count right = known.total - left;
            const std::int64_t gain = sides.score(left, right) - whole;
            const std::int64_t information = without_branches - entropy.term(left) - entropy.term(right);
            if (gain > least && information > 0) {
                const double ratio = static_cast<double>(gain) / static_cast<double>(information);
                if (ratio > best) {
                    best = ratio;
                    candidate.gain = gain;
                    candidate.cut = previous_code;
                    candidate.above = code;
                }
            }
        }
        if (only != mixed)
            sides.move(static_cast<std::size_t>(only), total);
        else
            items([&](std::size_t k, Count count) { sides.move(k, count); });
        left += total;
        previous_code = code;
    });
    candidate.quality = std::bit_cast<std::int64_t>(best);  // positive doubles compare as their bits do
}

template <class Counts, class Groups>
void try_branches(const Evaluation& at, const Groups& groups, const Known<Counts>& known, Candidate& candidate) {
    using Count = typename Counts::Count;
    const Entropy<Counts> entropy(at.dataset);
    const std::size_t n_classes = at.dataset.n_classes();
    auto& branch = at.template counts<Counts>().branch;
    branch.assign(n_classes, 0);
    std::int64_t gain = -entropy.score(known.total, known.by_class, n_classes);
    std::int64_t information = at.dataset.xlogx().of_weight(at.totals.weight) - entropy.term(known.missing);
    std::uint32_t n_branches = 0;
    groups.for_each([&](std::uint32_t, Count total, int, auto items) {
        ++n_branches;
        items([&](std::size_t k, Count count) { branch[k] += count; });
        gain += entropy.score(total, branch.data(), n_classes);
        items([&](std::size_t k, Count) { branch[k] = 0; });
        information -= entropy.term(total);
    });
    if (n_branches < 2 || gain <= least_gain(at) || information <= 0) return;
    candidate.gain = gain;
    candidate.quality = std::bit_cast<std::int64_t>(static_cast<double>(gain) / static_cast<double>(information));
}

template <class Counts, class Groups>
void try_groups(const Evaluation& at, const Groups& groups, const std::vector<typename Counts::Count>& missing,
                Candidate& candidate) {
    const std::size_t n_classes = at.dataset.n_classes();
    auto& by_class = at.template counts<Counts>().known;
    if constexpr (Counts::weighted)
        by_class = at.totals.class_weights;
    else
        by_class = at.totals.class_counts;
    Known<Counts> known;
    for (std::size_t k = 0; k < n_classes; ++k) {
        by_class[k] -= missing[k];
        known.missing += missing[k];
        known.total += by_class[k];
    }
    known.by_class = by_class.data();
    if (at.column.kind == FeatureKind::nominal)
        try_branches<Counts>(at, groups, known, candidate);
    else
        try_cuts<Counts>(at, groups, known, candidate);
}

/// Puts the samples in order of their codes, by the cheapest of three ways.
template <class Counts>
void try_column(const Evaluation& at, Candidate& candidate) {
    using Count = typename Counts::Count;
    const std::size_t n = at.n(), n_classes = at.dataset.n_classes();
    const std::size_t n_codes = std::size_t{at.column.n_values} + 1;
    const Label* labels = at.totals.labels.data();
    const Weight* weights = at.samples.weights.data();
    const auto count_of = [weights](std::size_t i) -> Count {
        if constexpr (Counts::weighted)
            return weights[i];
        else
            return 1;
    };
    RankingScratch& scratch = at.scratch;
    auto& counts = at.template counts<Counts>();
    auto& missing = counts.missing;
    missing.assign(n_classes, 0);

    if (n_codes * n_classes <= 4 * n + 64) {
        counts.table.assign(n_codes * n_classes, 0);
        Count* table = counts.table.data();
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) table[code_of(i) * n_classes + labels[i]] += count_of(i);
        });
        std::copy_n(table, n_classes, missing.begin());
        try_groups<Counts>(at, DenseGroups<Count>{table, at.column.n_values, n_classes}, missing, candidate);
    } else if (n > 24 && n_codes <= 4 * n) {
        auto& ends = scratch.ends;
        ends.assign(n_codes, 0);
        scratch.ordered_labels.resize(n);
        scratch.ordered_weights.resize(Counts::weighted ? n : 0);
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) ++ends[code_of(i)];
            std::uint32_t sum = 0;
            for (auto& entry : ends) sum += std::exchange(entry, sum);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t place = ends[code_of(i)]++;
                scratch.ordered_labels[place] = labels[i];
                if constexpr (Counts::weighted) scratch.ordered_weights[place] = weights[i];
            }
        });
        const CountedGroups<Count> groups{ends.data(), scratch.ordered_labels.data(), scratch.ordered_weights.data(),
                                          at.column.n_values};
        for (std::uint32_t i = 0; i < ends[0]; ++i) missing[scratch.ordered_labels[i]] += groups.count(i);
        try_groups<Counts>(at, groups, missing, candidate);
    } else {
        auto& keys = scratch.keys;
        keys.clear();
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = code_of(i);
                if (code == 0)
                    missing[labels[i]] += count_of(i);
                else
                    keys.push_back((std::uint64_t{code} << 32) | i);
            }
        });
        std::ranges::sort(keys);
        try_groups<Counts>(at, SortedGroups<Count>{keys.data(), keys.size(), labels, weights, 0, 1}, missing,
                           candidate);
    }
}

}  // namespace

Candidate best_ratio_split(const Dataset& dataset, const Block& block, const NodeSamples& samples,
                           const NodeTotals& totals, std::uint32_t feature, RankingScratch& scratch) {
    Candidate candidate;
    candidate.slot = feature;
    candidate.feature = feature;
    const BlockColumn& column = block.column(feature);
    if (column.n_values < 2) return candidate;
    static const GrowthOptions unused;  // no rule of C4.5 is asked for
    const Evaluation at{dataset, unused, 1, column, samples, totals, scratch};
    if (samples.weights.empty())
        try_column<UnitCounts>(at, candidate);
    else
        try_column<WeightCounts>(at, candidate);
    return candidate;
}

}  // namespace palmette
