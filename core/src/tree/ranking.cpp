// How a feature is judged: its values are grouped by code, then the groups become branches (nominal) or the cuts
// between them are tried (continuous). A *count* is a number of samples or, with weights, their fixed-point weight.

#include "palmette/tree/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "counted_cuts.hpp"
#include "evaluation.hpp"
#include "groups.hpp"
#include "palmette/data/code_lanes.hpp"
#include "sort_keys.hpp"
#include "sorted_cuts.hpp"

namespace palmette {
namespace {

using Scratch = RankingScratch;

/// Tries the cuts between neighbouring groups and keeps the best (the lowest of the best).
///
/// Inside a run of groups that hold one and the same class the gain is strictly convex in the position of the cut
/// (Fayyad & Irani 1992), so only the ends of the run can be best; a run may also be cut short by the smallest side, so
/// the first and the last permitted cut are always judged. Cuts that are not judged still count as tried.
template <class Counts, class Measure, class Groups>
void try_cuts(const Evaluation& at, const Measure& measure, const Groups& groups, const Known<Counts>& known,
              Candidate& candidate) {
    using Count = typename Counts::Count;
    const std::size_t n_classes = at.n_classes();
    const Count least = smallest_side<Counts>(at, known.total);

    auto& scratch = at.template counts<Counts>();
    scratch.left.assign(n_classes, 0);
    scratch.right.assign(known.by_class, known.by_class + n_classes);
    typename Measure::Sides sides(measure, scratch.left.data(), scratch.right.data(), scratch.terms, n_classes);

    Count left_total = 0;
    Count run = 0;  // samples of class run_class that have passed but are not yet moved
    int run_class = mixed, previous = mixed;
    std::uint32_t previous_code = 0;
    std::uint64_t tried = 0;
    std::int64_t best = 0;
    Count best_left = 0;
    bool found = false;
    std::uint32_t n_groups = 0;

    groups.for_each([&](std::uint32_t code, Count total, int only, auto items) {
        ++n_groups;
        const Count right_total = known.total - left_total;
        if (n_groups > 1 && left_total >= least && right_total >= least) {
            ++tried;
            const bool last = right_total - total < least;
            if (tried == 1 || last || only == mixed || only != previous) {
                if (run > 0) sides.move(static_cast<std::size_t>(run_class), std::exchange(run, Count{0}));
                const std::int64_t score = sides.score(left_total, right_total);
                if (!found || score > best) {
                    found = true;
                    best = score;
                    best_left = left_total;
                    candidate.cut = previous_code;
                    candidate.above = code;
                }
            }
        }
        if (only != mixed && only == run_class) {
            run += total;
        } else {
            if (run > 0) sides.move(static_cast<std::size_t>(run_class), std::exchange(run, Count{0}));
            run_class = only;
            if (only != mixed)
                run = total;
            else
                items([&](std::size_t k, Count count) { sides.move(k, count); });
        }
        left_total += total;
        previous = only;
        previous_code = code;
    });
    candidate.constant = n_groups < 2;
    if (!found) return;
    const std::int64_t gain = best - measure.score(known.total, known.by_class, n_classes);
    const XLogX& xlogx = at.dataset.xlogx();
    const std::int64_t branch_terms = xlogx.of_weight(weight_of<Counts>(at, best_left)) +
                                      xlogx.of_weight(weight_of<Counts>(at, known.total - best_left));
    finish<Counts>(at, candidate, gain, tried, branch_terms, known.missing);
}

/// One branch for each group.
template <class Counts, class Measure, class Groups>
void try_branches(const Evaluation& at, const Measure& measure, const Groups& groups, const Known<Counts>& known,
                  Candidate& candidate) {
    using Count = typename Counts::Count;
    const std::size_t n_classes = at.n_classes();
    const WeightScale& scale = at.dataset.scale();
    const XLogX& xlogx = at.dataset.xlogx();
    const double least = at.c45() ? at.options.min_samples : 0.0;

    auto& branch = at.template counts<Counts>().branch;
    branch.assign(n_classes, 0);
    std::int64_t score = 0, branch_terms = 0;
    std::uint32_t n_groups = 0, n_large = 0;
    const bool wants_ratio = at.options.criterion == Criterion::gain_ratio;
    groups.for_each([&](std::uint32_t, Count total, int only, auto items) {
        ++n_groups;
        const Weight weight = weight_of<Counts>(at, total);
        if (scale.reaches(weight, least)) ++n_large;
        if (wants_ratio) branch_terms += xlogx.of_weight(weight);
        if (Measure::pure_scores_zero && only != mixed) return;
        items([&](std::size_t k, Count count) { branch[k] += count; });
        score += measure.score(total, branch.data(), n_classes);
        items([&](std::size_t k, Count) { branch[k] = 0; });
    });
    candidate.constant = n_groups < 2;
    if (n_large < 2) return;
    const std::int64_t gain = score - measure.score(known.total, known.by_class, n_classes);
    finish<Counts>(at, candidate, gain, 1, branch_terms, known.missing);
}

template <class Counts, class Measure, class Groups>
void try_groups(const Evaluation& at, const Measure& measure, const Groups& groups,
                const typename Counts::Count* missing_by_class, Candidate& candidate) {
    using Count = typename Counts::Count;
    const std::size_t n_classes = at.n_classes();
    Known<Counts> known;
    const Count* totals;
    if constexpr (Counts::weighted)
        totals = at.totals.class_weights.data();
    else
        totals = at.totals.class_counts.data();
    known.by_class = totals;
    auto& by_class = at.template counts<Counts>().known;
    if (missing_by_class != nullptr) {
        by_class.assign(totals, totals + n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) {
            by_class[k] -= missing_by_class[k];
            known.missing += missing_by_class[k];
        }
        if (known.missing > 0) known.by_class = by_class.data();
    }
    for (std::size_t k = 0; k < n_classes; ++k) known.total += known.by_class[k];

    if (at.column.kind == FeatureKind::nominal) {
        try_branches<Counts>(at, measure, groups, known, candidate);
        return;
    }
    if (at.c45() && !at.dataset.scale().reaches(weight_of<Counts>(at, known.total), 2 * at.options.min_samples)) return;
    try_cuts<Counts>(at, measure, groups, known, candidate);
}

template <class Counts, class Measure>
Candidate evaluate_grouped(const Evaluation& at, const Measure& measure) {
    using Count = typename Counts::Count;
    Candidate candidate;
    Scratch& scratch = at.scratch;
    const std::size_t n = at.n();
    const std::size_t n_classes = at.n_classes();
    const std::size_t n_codes = std::size_t{at.column.n_values} + 1;
    const Label* labels = at.totals.labels.data();
    // Samples before `n_ones` have no entry there.
    const std::size_t n_ones = Counts::weighted ? at.samples.n_ones : n;
    const Weight* weights = at.samples.weights.data();
    const Count one = static_cast<Count>(Counts::weighted ? at.dataset.scale().one() : 1);

    auto& counts = at.template counts<Counts>();
    counts.missing.assign(n_classes, 0);
    Count* missing = counts.missing.data();
    const Count* missing_if_any = at.column.has_missing ? missing : nullptr;
    const auto count_of = [=](std::size_t i) -> Count {
        if constexpr (Counts::weighted)
            return i < n_ones ? one : weights[i - n_ones];
        else
            return one;
    };

    if (n_codes * n_classes <= 4 * n + 64) {
        counts.table.assign(n_codes * n_classes, 0);
        Count* table = counts.table.data();
        with_codes(at.column, at.samples, [&](auto code_of) {
            if (at.totals.by_class && n_codes <= CodeLanes::most_values + 1 && n_ones <= CodeLanes::most_samples) {
                for (std::size_t i = 0; i < n_ones;) {
                    CodeLanes lanes;
                    const Label label = labels[i];
                    for (; i < n_ones && labels[i] == label; ++i) lanes.add(code_of(i));
                    for (std::uint32_t code = 0; code < n_codes; ++code)
                        table[code * n_classes + label] += static_cast<Count>(lanes[code]) * one;
                }
            } else {
                for (std::size_t i = 0; i < n_ones; ++i) table[code_of(i) * n_classes + labels[i]] += one;
            }
            for (std::size_t i = n_ones; i < n; ++i) table[code_of(i) * n_classes + labels[i]] += count_of(i);
        });
        std::copy_n(table, n_classes, missing);
        try_groups<Counts>(at, measure, DenseGroups<Count>{table, at.column.n_values, n_classes}, missing_if_any,
                           candidate);
    } else if (n > 24 && n_codes <= 4 * n) {
        auto& ends = scratch.ends;
        ends.assign(n_codes, 0);
        scratch.ordered_labels.resize(n);
        if constexpr (Counts::weighted) scratch.ordered_weights.resize(n);
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) ++ends[code_of(i)];
            std::uint32_t sum = 0;
            for (auto& entry : ends) sum += std::exchange(entry, sum);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t place = ends[code_of(i)]++;
                scratch.ordered_labels[place] = labels[i];
                if constexpr (Counts::weighted) scratch.ordered_weights[place] = count_of(i);
            }
        });
        const CountedGroups<Count> groups{ends.data(), scratch.ordered_labels.data(), scratch.ordered_weights.data(),
                                          at.column.n_values};
        for (std::uint32_t i = 0; i < ends[0]; ++i) missing[scratch.ordered_labels[i]] += groups.count(i);
        try_groups<Counts>(at, measure, groups, missing_if_any, candidate);
    } else {
        auto& keys = scratch.keys;
        keys.resize(n);
        std::size_t n_known = 0;
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = code_of(i);
                if (code == 0)
                    missing[labels[i]] += count_of(i);
                else
                    keys[n_known++] = (std::uint64_t{code} << 32) | i;
            }
        });
        sort_keys(keys.data(), n_known, at.column.n_values, scratch.key_buffer);
        try_groups<Counts>(at, measure, SortedGroups<Count>{keys.data(), n_known, labels, weights, n_ones, one},
                           missing_if_any, candidate);
    }
    return candidate;
}

template <class Counts>
Candidate evaluate_with(const Evaluation& at) {
    if (at.options.criterion == Criterion::gini) return evaluate_grouped<Counts>(at, Gini<Counts>(at.dataset));
    return evaluate_grouped<Counts>(at, Entropy<Counts>(at.dataset));
}

Candidate evaluate_column(const Evaluation& at) {
    if (!at.samples.weights.empty()) {
        const bool special = at.n_classes() == 2 && at.options.criterion != Criterion::gini;
        return special ? evaluate_two_weighted_classes(at) : evaluate_with<WeightCounts>(at);
    }
    if (is_better_counted(at))
        if (Candidate candidate; find_counted_cut(at, candidate)) return candidate;
    if (is_better_sorted(at))
        if (Candidate candidate; find_sorted_cut(at, candidate)) return candidate;
    const std::size_t n = at.n();
    const bool short_table = std::size_t{at.column.n_values} <= 8 * n + 64 && (n > 12 || at.column.n_values <= 32);
    if (at.n_classes() == 2 && short_table && at.dataset.xlogx().covers(n)) return evaluate_two_classes(at);
    return evaluate_with<UnitCounts>(at);
}

void count_classes(std::span<const Label> labels, std::size_t n_classes, std::vector<std::uint32_t>& counts) {
    const std::size_t n = labels.size();
    if (n_classes == 2) {
        const auto ones = std::accumulate(labels.begin(), labels.end(), std::uint32_t{0});
        counts.assign({static_cast<std::uint32_t>(n) - ones, ones});
        return;
    }
    // Two banks: a count that is raised again at once would wait for its own store.
    counts.assign(2 * n_classes, 0);
    std::uint32_t* const second = counts.data() + n_classes;
    std::size_t i = 0;
    for (; i + 1 < n; i += 2) {
        ++counts[labels[i]];
        ++second[labels[i + 1]];
    }
    if (i < n) ++counts[labels[i]];
    for (std::size_t k = 0; k < n_classes; ++k) counts[k] += second[k];
    counts.resize(n_classes);
}

}  // namespace

void NodeTotals::compute(const Block& block, const NodeSamples& samples, const Dataset& dataset) {
    const std::size_t n = samples.size(block);
    const std::size_t n_classes = dataset.n_classes();
    const auto block_labels = block.labels();
    labels.resize(n);
    for (std::size_t i = 0; i < n; ++i) labels[i] = block_labels[samples.id(i)];

    class_weights.assign(n_classes, 0);
    if (samples.weights.empty()) {
        count_classes(labels, n_classes, class_counts);
        for (std::size_t k = 0; k < n_classes; ++k)
            class_weights[k] = static_cast<Weight>(class_counts[k]) << dataset.scale().fraction_bits();
    } else {
        for (std::size_t i = 0; i < n; ++i)
            class_weights[labels[i]] +=
                i < samples.n_ones ? dataset.scale().one() : samples.weights[i - samples.n_ones];
    }
    Weight sum = 0, most = 0;
    std::size_t heaviest = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
        const Weight of_class = class_weights[k];
        sum += of_class;
        heaviest = of_class > most ? k : heaviest;
        most = std::max(most, of_class);
    }
    weight = sum;
    majority = static_cast<Label>(heaviest);
    pure = most == sum;
}

void NodeTotals::number_present_classes() {
    const std::size_t n_classes = class_weights.size();
    number_of_.resize(n_classes);
    std::size_t n_present = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
        number_of_[k] = static_cast<Label>(n_present);
        class_weights[n_present] = class_weights[k];
        if (k < class_counts.size()) class_counts[n_present] = class_counts[k];
        n_present += class_weights[k] > 0;
    }
    if (n_present == n_classes) return;
    class_weights.resize(n_present);
    if (class_counts.size() > n_present) class_counts.resize(n_present);
    majority = number_of_[majority];
    for (Label& label : labels) label = number_of_[label];
}

void RankingScratch::release_bins(std::size_t n_codes) {
    if (narrow_bins.size() > 2 * n_codes) std::vector<std::uint32_t>().swap(narrow_bins);
    if (wide_bins.size() > 2 * n_codes) std::vector<std::uint64_t>().swap(wide_bins);
    if (pair_bins.size() > 2 * n_codes) std::vector<WeightPair>().swap(pair_bins);
}

Ranker::Ranker(const Dataset& dataset, const GrowthOptions& options) : dataset_(dataset), options_(options) {
    // More than any node can weigh is as good as infinite, and stays within the range of a weight.
    options_.min_samples = std::min(options_.min_samples, std::ldexp(1.0, 60) / dataset.scale().factor());
    least_count_ = dataset.scale().count_that_reaches(options_.min_samples);
}

bool Ranker::is_leaf(Weight weight, bool pure) const noexcept {
    if (pure) return true;
    const double least = options_.growth == Growth::c45 ? 2 * options_.min_samples : options_.min_samples;
    return !dataset_.scale().reaches(weight, least);
}

Candidate Ranker::evaluate(const Block& block, const NodeSamples& samples, const NodeTotals& totals, std::uint32_t slot,
                           RankingScratch& scratch) const {
    const BlockColumn& column = block.column(slot);
    Candidate candidate;
    if (column.n_values < 2)
        candidate.constant = true;
    else
        candidate = evaluate_column({dataset_, options_, least_count_, column, samples, totals, scratch});
    candidate.slot = slot;
    candidate.feature = column.feature;
    return candidate;
}

std::vector<Candidate> Ranker::rank(const Block& block, const NodeSamples& samples, const NodeTotals& totals,
                                    std::span<const std::uint32_t> slots, RankingScratch& scratch) const {
    std::vector<Candidate> ranking;
    for (const std::uint32_t slot : slots) {
        const Candidate candidate = evaluate(block, samples, totals, slot, scratch);
        if (candidate.eligible()) ranking.push_back(candidate);
    }
    std::ranges::sort(ranking, ranks_before);
    return ranking;
}

}  // namespace palmette
