// Runs of values of one class, then recursive cuts of the row of runs.

#include "palmette/data/discretization.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "palmette/tree/midpoint.hpp"

namespace palmette {
namespace {

/// The weight of one class in a run.
struct Share {
    Label label;
    Weight weight;
};

/// A maximal row of neighbouring values that no best cut divides: values of one and the same class, or a single value.
struct Run {
    std::uint32_t last_code;
    std::uint32_t end;         // of its shares
    std::uint32_t values_end;  // number of distinct values up to its end
};

struct Interval {
    std::size_t begin, end;  // of its runs
};

struct Runs {
    std::vector<Run> runs;
    std::vector<Share> shares;

    [[nodiscard]] std::uint32_t n_values(Interval interval) const noexcept {
        return runs[interval.end - 1].values_end - (interval.begin == 0 ? 0 : runs[interval.begin - 1].values_end);
    }
    [[nodiscard]] std::span<const Share> shares_of(std::size_t run) const noexcept {
        const std::size_t begin = run == 0 ? 0 : runs[run - 1].end;
        return {shares.data() + begin, runs[run].end - begin};
    }
};

/// The samples in order of their codes, those with a missing value in front.
struct Sorted {
    std::vector<std::uint32_t> ends;  // ends[c] is one past the last sample of code c
    std::vector<Label> labels;
    std::vector<Weight> weights;  // empty: one each
};

Sorted sort_by_code(const Dataset& dataset, const Column& column) {
    Sorted sorted;
    const auto labels = dataset.labels();
    const auto weights = dataset.weights();
    sorted.ends.assign(std::size_t{column.n_values} + 1, 0);
    sorted.labels.resize(labels.size());
    sorted.weights.resize(weights.size());
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        for (std::size_t i = 0; i < labels.size(); ++i) ++sorted.ends[codes[i]];
        std::uint32_t sum = 0;
        for (auto& end : sorted.ends) sum += std::exchange(end, sum);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const std::uint32_t place = sorted.ends[codes[i]]++;
            sorted.labels[place] = labels[i];
            if (!weights.empty()) sorted.weights[place] = weights[i];
        }
    });
    return sorted;
}

Runs find_runs(const Dataset& dataset, const Column& column) {
    const Sorted sorted = sort_by_code(dataset, column);
    const Weight one = dataset.scale().one();
    std::vector<Weight> of_class(dataset.n_classes(), 0);
    std::vector<Label> present;
    Runs found;
    std::uint32_t n_values = 0;
    bool pure = false;  // whether the last run holds one class only
    for (std::uint32_t code = 1; code <= column.n_values; ++code) {
        present.clear();
        for (std::uint32_t i = sorted.ends[code - 1]; i < sorted.ends[code]; ++i) {
            const Weight weight = sorted.weights.empty() ? one : sorted.weights[i];
            if (weight == 0) continue;
            if (of_class[sorted.labels[i]] == 0) present.push_back(sorted.labels[i]);
            of_class[sorted.labels[i]] += weight;
        }
        if (present.empty()) continue;
        ++n_values;
        if (pure && present.size() == 1 && found.shares.back().label == present.front()) {
            found.shares.back().weight += of_class[present.front()];
            found.runs.back().last_code = code;
            found.runs.back().values_end = n_values;
        } else {
            for (const Label label : present) found.shares.push_back({label, of_class[label]});
            found.runs.push_back({code, static_cast<std::uint32_t>(found.shares.size()), n_values});
            pure = present.size() == 1;
        }
        for (const Label label : present) of_class[label] = 0;
    }
    return found;
}

/// log2(3^k - 2): the bits that tell which of k classes occur on which side of a cut.
double bits_of_sides(std::size_t n_classes) {
    const auto k = static_cast<double>(n_classes);
    // From 40 classes on, 3^k exceeds 2^53 and the 2 is lost in it.
    return n_classes < 40 ? std::log2(std::pow(3.0, k) - 2.0) : k * std::log2(3.0);
}

/// Class weights of a row of runs, kept together with the terms of their entropy.
class Tally {
  public:
    Tally(const XLogX& xlogx, std::size_t n_classes) : xlogx_(xlogx), of_class_(n_classes, 0) {}

    void add(Share share) { change(share.label, share.weight); }
    void subtract(Share share) { change(share.label, -share.weight); }

    [[nodiscard]] Weight weight() const noexcept { return weight_; }
    [[nodiscard]] std::size_t n_present() const noexcept { return n_present_; }
    /// Weight × entropy, in fixed point.
    [[nodiscard]] std::int64_t bits() const noexcept { return xlogx_.of_weight(weight_) - sum_; }

  private:
    void change(Label label, Weight by) {
        Weight& here = of_class_[label];
        sum_ -= xlogx_.of_weight(here);
        n_present_ -= here > 0 ? 1 : 0;
        here += by;
        weight_ += by;
        sum_ += xlogx_.of_weight(here);
        n_present_ += here > 0 ? 1 : 0;
    }

    const XLogX& xlogx_;
    std::vector<Weight> of_class_;
    Weight weight_ = 0;
    std::int64_t sum_ = 0;
    std::size_t n_present_ = 0;
};

/// What the rule of acceptance looks at: a side of a cut, or both together.
struct Side {
    Weight weight = 0;
    std::int64_t bits = 0;
    std::size_t n_present = 0;

    Side() = default;
    explicit Side(const Tally& tally) : weight(tally.weight()), bits(tally.bits()), n_present(tally.n_present()) {}

    /// Number of classes present × entropy.
    [[nodiscard]] double classes_times_entropy() const noexcept {
        return static_cast<double>(n_present) * (static_cast<double>(bits) / static_cast<double>(weight));
    }
};

/// Fayyad & Irani's criterion, times the weight: gain > log2(places)/N + delta/N.
bool worth_its_bits(const Side& whole, const Side& lower, const Side& upper, double n_places,
                    const WeightScale& scale) {
    const double gain = static_cast<double>(whole.bits - lower.bits - upper.bits) / scale.factor();
    const double delta =
        bits_of_sides(whole.n_present) -
        (whole.classes_times_entropy() - lower.classes_times_entropy() - upper.classes_times_entropy());
    return gain > std::log2(n_places) + delta;
}

class Cutter {
  public:
    Cutter(const Dataset& dataset, const Runs& runs, CutCost cost)
        : runs_(runs),
          cost_(cost),
          scale_(dataset.scale()),
          below_(dataset.xlogx(), dataset.n_classes()),
          above_(dataset.xlogx(), dataset.n_classes()) {}

    /// The number of runs on the lower side of the best cut, 0 if none is worth its bits.
    std::size_t best_cut(Interval interval) {
        for_each_share(interval, [&](Share share) { above_.add(share); });
        const Side whole(above_);
        std::size_t best = 0;
        std::int64_t best_bits = whole.bits;
        Side lower, upper;
        for (std::size_t run = interval.begin; run < interval.end; ++run) {
            for (const Share share : runs_.shares_of(run)) {
                below_.add(share);
                above_.subtract(share);
            }
            const std::int64_t bits = below_.bits() + above_.bits();
            if (bits < best_bits) {  // the lowest cut wins ties
                best = run + 1 - interval.begin;
                best_bits = bits;
                lower = Side(below_);
                upper = Side(above_);
            }
        }
        for_each_share(interval, [&](Share share) { below_.subtract(share); });
        return best > 0 && worth_its_bits(whole, lower, upper, n_places(interval, whole), scale_) ? best : 0;
    }

  private:
    /// A total weight below 2, which only fractional weights make, counts as 2: log2(N - 1) would be a reward.
    [[nodiscard]] double n_places(Interval interval, const Side& whole) const {
        return cost_ == CutCost::values ? runs_.n_values(interval) - 1.0
                                        : std::max(scale_.to_double(whole.weight) - 1.0, 1.0);
    }

    template <class Action>
    void for_each_share(Interval interval, Action action) const {
        for (std::size_t run = interval.begin; run < interval.end; ++run)
            for (const Share share : runs_.shares_of(run)) action(share);
    }

    const Runs& runs_;
    CutCost cost_;
    const WeightScale& scale_;
    Tally below_, above_;  // empty between two calls
};

}  // namespace

CodeCuts mdl_cuts(const Dataset& dataset, std::size_t feature, CutCost cost, Budget& budget) {
    CodeCuts cuts;
    const Column& column = dataset.column(feature);
    if (column.kind != FeatureKind::continuous) return cuts;
    const Runs runs = find_runs(dataset, column);
    Cutter cutter(dataset, runs, cost);
    std::vector<Interval> waiting{{0, runs.runs.size()}};
    while (!waiting.empty() && !budget.check_deadline()) {
        const Interval interval = waiting.back();
        waiting.pop_back();
        if (interval.end - interval.begin < 2) continue;
        const std::size_t n_lower = cutter.best_cut(interval);
        if (n_lower == 0) continue;
        const std::size_t middle = interval.begin + n_lower;
        cuts.push_back(runs.runs[middle - 1].last_code);
        waiting.push_back({interval.begin, middle});
        waiting.push_back({middle, interval.end});
    }
    std::ranges::sort(cuts);
    return cuts;
}

std::vector<CodeCuts> mdl_cuts(const Dataset& dataset, CutCost cost, Budget& budget, Progress& progress,
                               WorkerPool& pool) {
    std::vector<CodeCuts> cuts(dataset.n_features());
    pool.run(cuts.size(), [&](std::size_t, std::size_t feature) {
        cuts[feature] = mdl_cuts(dataset, feature, cost, budget);
        progress.work_done.fetch_add(1, std::memory_order_relaxed);
    });
    return cuts;
}

Column cut_column(const Column& column, std::span<const std::uint32_t> cuts) {
    // Code c lies in the interval of as many cuts as are below c.
    std::vector<std::uint32_t> interval(std::size_t{column.n_values} + 1, 0);
    std::size_t n_below = 0;
    for (std::uint32_t code = 1; code <= column.n_values; ++code) {
        while (n_below < cuts.size() && cuts[n_below] < code) ++n_below;
        interval[code] = static_cast<std::uint32_t>(n_below) + 1;
    }
    const auto n_intervals = static_cast<std::uint32_t>(cuts.size()) + 1;
    Column cut{FeatureKind::nominal, n_intervals, CodeArray(column.codes.size(), n_intervals)};
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        visit_codes(cut.codes.data(), cut.codes.width(), [&](auto* out) {
            using Code = std::remove_pointer_t<decltype(out)>;
            for (std::size_t i = 0; i < column.codes.size(); ++i) out[i] = static_cast<Code>(interval[codes[i]]);
        });
    });
    return cut;
}

std::vector<double> cut_points(std::span<const std::uint32_t> cuts, std::span<const double> values) {
    std::vector<double> points;
    points.reserve(cuts.size());
    for (const std::uint32_t cut : cuts) {
        if (cut == 0 || cut >= values.size())
            throw std::invalid_argument("a cut after code " + std::to_string(cut) + " of " +
                                        std::to_string(values.size()) + " values");
        // A value that only samples without weight have stands there as its lower neighbour.
        std::size_t upper = cut;
        while (upper + 1 < values.size() && values[upper] == values[cut - 1]) ++upper;
        points.push_back(midpoint(values[cut - 1], values[upper]));
    }
    return points;
}

}  // namespace palmette
