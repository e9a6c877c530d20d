// Evaluation: one feature at one node, and the rules that turn the gain of its split into a quality.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "palmette/tree/ranking.hpp"
#include "scores.hpp"

namespace palmette {

struct Evaluation {
    const Dataset& dataset;
    const GrowthOptions& options;
    std::uint32_t least_count;  // samples of weight one that reach options.min_samples
    const BlockColumn& column;
    const NodeSamples& samples;
    const NodeTotals& totals;
    RankingScratch& scratch;

    [[nodiscard]] bool c45() const noexcept { return options.growth == Growth::c45; }
    [[nodiscard]] std::size_t n() const noexcept { return totals.labels.size(); }
    /// Classes as the totals number them; the rules for cuts ask for those of the dataset.
    [[nodiscard]] std::size_t n_classes() const noexcept { return totals.class_weights.size(); }

    template <class Counts>
    [[nodiscard]] auto& counts() const noexcept {
        if constexpr (Counts::weighted)
            return scratch.weighted;
        else
            return scratch.unit;
    }
};

template <class Counts>
struct Known {
    using Count = typename Counts::Count;
    Count total = 0;
    Count missing = 0;
    const Count* by_class = nullptr;
};

/// The least weight that a side of a cut must have, in counts of samples or of weight.
template <class Counts>
typename Counts::Count smallest_side(const Evaluation& at, typename Counts::Count known) {
    const WeightScale& scale = at.dataset.scale();
    if (!at.c45()) return 1;
    double known_weight;
    if constexpr (Counts::weighted)
        known_weight = scale.to_double(known);
    else
        known_weight = static_cast<double>(known);
    double side = 0.1 * known_weight / static_cast<double>(at.dataset.n_classes());
    if (side <= at.options.min_samples) {
        if constexpr (!Counts::weighted) return std::max<std::uint32_t>(1, at.least_count);
        side = at.options.min_samples;
    } else if (side > 25.0) {
        side = 25.0;
    }
    if constexpr (Counts::weighted)
        return std::max<Weight>(1, static_cast<Weight>(std::ceil(side * scale.factor())) - scale.slack());
    else
        return std::max<std::uint32_t>(1, scale.count_that_reaches(side));
}

template <class Counts>
Weight weight_of(const Evaluation& at, typename Counts::Count count) {
    if constexpr (Counts::weighted)
        return count;
    else
        return static_cast<Weight>(count) << at.dataset.scale().fraction_bits();
}

/// What C4.5 takes off the gain of the best of so many cuts.
[[nodiscard]] inline std::int64_t correction_for(const Evaluation& at, std::uint64_t cuts_tried) noexcept {
    if (!at.c45() || at.options.criterion == Criterion::gini || cuts_tried < 2) return 0;
    return at.dataset.xlogx().log2_of_count(cuts_tried);
}

/// Correction, minimum and ratio: from the gain of a split to its quality.
template <class Counts>
void finish(const Evaluation& at, Candidate& candidate, std::int64_t gain, std::uint64_t cuts_tried,
            std::int64_t branch_terms, typename Counts::Count missing) {
    const WeightScale& scale = at.dataset.scale();
    const std::int64_t corrected = gain - correction_for(at, cuts_tried);
    const auto total = static_cast<double>(at.totals.weight);
    const std::int64_t floor = std::int64_t{1} << std::max(0, scale.fraction_bits() - 20);
    const double least = 1e-9 * total;
    if (corrected <= floor || (static_cast<double>(corrected) <= least + 1 && corrected <= std::llround(least))) return;
    candidate.gain = gain;
    if (at.options.criterion != Criterion::gain_ratio) {
        candidate.quality = corrected;
        return;
    }
    const XLogX& xlogx = at.dataset.xlogx();
    const std::int64_t split_information =
        xlogx.of_weight(at.totals.weight) - branch_terms - xlogx.of_weight(weight_of<Counts>(at, missing));
    const auto g = static_cast<double>(corrected), s = static_cast<double>(split_information);
    if (g > 1e-3 * total && s > 1e-3 * total)
        candidate.quality = std::bit_cast<std::int64_t>(g / s);  // positive doubles compare as their bits do
}

/// Calls use(codes, id_of): the codes in their own type, and the numbering of the node's samples.
template <class Use>
decltype(auto) with_codes(const BlockColumn& column, const NodeSamples& samples, Use use) {
    return visit_codes(column.codes, column.width, [&](const auto* codes) {
        if (samples.whole) return use([codes](std::size_t i) { return std::uint32_t{codes[i]}; });
        const std::uint32_t* ids = samples.ids.data();
        return use([codes, ids](std::size_t i) { return std::uint32_t{codes[ids[i]]}; });
    });
}

/// The best split on a column for unit weights and two classes: the case for which the bins are packed.
/// `covers(n)` must hold for the table of x·log2(x).
[[nodiscard]] Candidate evaluate_two_classes(const Evaluation& at);

/// The best split on a column for two classes, samples that do not all weigh one, and a criterion of entropy.
[[nodiscard]] Candidate evaluate_two_weighted_classes(const Evaluation& at);

}  // namespace palmette
