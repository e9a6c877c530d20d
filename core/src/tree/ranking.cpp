// How a feature is judged: its values are grouped by code, then the groups become branches (nominal) or the
// cuts between them are tried (continuous).
//
// Vocabulary: a *group* is the samples of one code; a *count* is a number of samples or, with weights, their
// fixed-point weight; a *score* of a set is Σ x·log2(x) over its classes minus t·log2(t) of its total (or,
// for Gini, Σ x²/t), so that the gain of a split is the sum of the scores of its branches minus the score of
// the known samples.

#include "palmette/tree/ranking.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace palmette {
namespace {

using Scratch = RankingScratch;

/// Every sample counts one.
struct UnitCounts {
    using Count = std::uint32_t;
    static constexpr bool weighted = false;
};

/// Every sample counts its fixed-point weight.
struct WeightCounts {
    using Count = Weight;
    static constexpr bool weighted = true;
};

// ---- scores
// ---------------------------------------------------------------------------------------------------

template <class Counts>
class Entropy {
  public:
    using Count = typename Counts::Count;

    explicit Entropy(const Dataset& dataset) : xlogx_(dataset.xlogx()) {}

    [[nodiscard]] std::int64_t term(Count count) const noexcept {
        if constexpr (Counts::weighted)
            return xlogx_.of_weight(count);
        else
            return xlogx_.of_count(count);
    }
    [[nodiscard]] std::int64_t score(Count total, const Count* counts, std::size_t n_classes) const noexcept {
        std::int64_t sum = -term(total);
        for (std::size_t k = 0; k < n_classes; ++k) sum += term(counts[k]);
        return sum;
    }

    /// The two sides of a cut, kept up to date as classes move from right to left.
    class Sides {
      public:
        Sides(const Entropy& entropy, Count* left, Count* right, std::size_t n_classes)
            : entropy_(entropy), left_(left), right_(right) {
            for (std::size_t k = 0; k < n_classes; ++k) right_sum_ += entropy.term(right[k]);
        }
        void move(std::size_t k, Count count) noexcept {
            const Count l = left_[k], r = right_[k];
            left_sum_ += entropy_.term(l + count) - entropy_.term(l);
            right_sum_ += entropy_.term(r - count) - entropy_.term(r);
            left_[k] = l + count;
            right_[k] = r - count;
        }
        [[nodiscard]] std::int64_t score(Count left_total, Count right_total) const noexcept {
            return left_sum_ - entropy_.term(left_total) + right_sum_ - entropy_.term(right_total);
        }

      private:
        const Entropy& entropy_;
        Count* left_;
        Count* right_;
        std::int64_t left_sum_ = 0;
        std::int64_t right_sum_ = 0;
    };

  private:
    const XLogX& xlogx_;
};

template <class Counts>
class Gini {
  public:
    using Count = typename Counts::Count;

    explicit Gini(const Dataset& dataset) : factor_(dataset.scale().factor()) {}

    [[nodiscard]] double number(Count count) const noexcept {
        if constexpr (Counts::weighted)
            return static_cast<double>(count) / factor_;
        else
            return static_cast<double>(count);
    }
    [[nodiscard]] std::int64_t score_of_squares(double squares, Count total) const noexcept {
        return total > 0 ? std::llround(squares / number(total) * factor_) : 0;
    }
    [[nodiscard]] std::int64_t score(Count total, const Count* counts, std::size_t n_classes) const noexcept {
        double squares = 0;
        for (std::size_t k = 0; k < n_classes; ++k) squares += number(counts[k]) * number(counts[k]);
        return score_of_squares(squares, total);
    }

    class Sides {
      public:
        Sides(const Gini& gini, Count* left, Count* right, std::size_t n_classes)
            : gini_(gini), left_(left), right_(right), n_classes_(n_classes) {
            for (std::size_t k = 0; k < n_classes; ++k)
                right_squares_ += gini.number(right[k]) * gini.number(right[k]);
        }
        void move(std::size_t k, Count count) noexcept {
            if constexpr (!Counts::weighted) {
                // Squares of counts are whole numbers below 2^53, so running sums are exact.
                const double l = gini_.number(left_[k]), r = gini_.number(right_[k]), c = gini_.number(count);
                left_squares_ += c * (2 * l + c);
                right_squares_ -= c * (2 * r - c);
            }
            left_[k] += count;
            right_[k] -= count;
        }
        [[nodiscard]] std::int64_t score(Count left_total, Count right_total) const noexcept {
            if constexpr (Counts::weighted)  // running sums would round differently along different ways here
                return gini_.score(left_total, left_, n_classes_) +
                       gini_.score(right_total, right_, n_classes_);
            else
                return gini_.score_of_squares(left_squares_, left_total) +
                       gini_.score_of_squares(right_squares_, right_total);
        }

      private:
        const Gini& gini_;
        Count* left_;
        Count* right_;
        std::size_t n_classes_;
        double left_squares_ = 0;
        double right_squares_ = 0;
    };

  private:
    double factor_;
};

// ---- groups
// --------------------------------------------------------------------------------------------------- Three
// ways to put the samples in order of their codes. Each offers for_each(f) with f(code, total, class or -1 if
// mixed, items), where items(visit) calls visit(class, count), and the missing samples are set aside before.

constexpr int mixed = -1;

/// A table of counts, code × class: for few codes and classes.
template <class Count>
struct DenseGroups {
    const Count* table;
    std::uint32_t n_values;
    std::size_t n_classes;

    template <class F>
    void for_each(F f) const {
        for (std::uint32_t code = 1; code <= n_values; ++code) {
            const Count* row = table + code * n_classes;
            Count total = 0;
            int only = mixed, present = 0;
            for (std::size_t k = 0; k < n_classes; ++k)
                if (row[k] != 0) {
                    total += row[k];
                    only = static_cast<int>(k);
                    ++present;
                }
            if (total == 0) continue;
            f(code, total, present == 1 ? only : mixed, [&](auto visit) {
                for (std::size_t k = 0; k < n_classes; ++k)
                    if (row[k] != 0) visit(k, row[k]);
            });
        }
    }
};

/// Labels (and weights) in order of code, with the end of each code's run: a counting sort.
template <class Count>
struct CountedGroups {
    const std::uint32_t* ends;  // ends[c] is one past the last position of code c
    const Label* labels;
    const Weight* weights;
    std::uint32_t n_values;

    template <class F>
    void for_each(F f) const {
        for (std::uint32_t code = 1; code <= n_values; ++code) {
            const std::uint32_t begin = ends[code - 1], end = ends[code];
            if (begin == end) continue;
            Count total = 0;
            int only = labels[begin];
            for (std::uint32_t i = begin; i < end; ++i) {
                total += count(i);
                if (labels[i] != only) only = mixed;
            }
            f(code, total, only, [&](auto visit) {
                for (std::uint32_t i = begin; i < end; ++i) visit(std::size_t{labels[i]}, count(i));
            });
        }
    }
    [[nodiscard]] Count count(std::uint32_t i) const noexcept {
        if constexpr (std::is_same_v<Count, Weight>)
            return weights[i];
        else
            return 1;
    }
};

/// Keys sorted by code: for few samples, or for many more codes than samples.
template <class Count>
struct SortedGroups {
    const std::uint64_t* keys;  // code in the upper half; below it the position of the sample in the node
    std::size_t n;
    const Label* labels;
    const Weight* weights;

    template <class F>
    void for_each(F f) const {
        for (std::size_t begin = 0; begin < n;) {
            const auto code = static_cast<std::uint32_t>(keys[begin] >> 32);
            Count total = 0;
            int only = label(begin);
            std::size_t end = begin;
            for (; end < n && static_cast<std::uint32_t>(keys[end] >> 32) == code; ++end) {
                total += count(end);
                if (label(end) != only) only = mixed;
            }
            f(code, total, only, [&](auto visit) {
                for (std::size_t i = begin; i < end; ++i) visit(static_cast<std::size_t>(label(i)), count(i));
            });
            begin = end;
        }
    }
    [[nodiscard]] int label(std::size_t i) const noexcept {
        return labels[static_cast<std::uint32_t>(keys[i])];
    }
    [[nodiscard]] Count count(std::size_t i) const noexcept {
        if constexpr (std::is_same_v<Count, Weight>)
            return weights[static_cast<std::uint32_t>(keys[i])];
        else
            return 1;
    }
};

/// Calls use(codes, id_of): the codes in their own type, and the numbering of the node's samples.
template <class Use>
decltype(auto) with_codes(const BlockColumn& column, const NodeSamples& samples, Use use) {
    return visit_codes(column.codes, column.width, [&](const auto* codes) {
        if (samples.whole) return use([codes](std::size_t i) { return std::uint32_t{codes[i]}; });
        const std::uint32_t* ids = samples.ids.data();
        return use([codes, ids](std::size_t i) { return std::uint32_t{codes[ids[i]]}; });
    });
}

void sort_keys(std::uint64_t* keys, std::size_t n, std::uint32_t largest_code,
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

// ---- one feature at one node
// ----------------------------------------------------------------------------------

struct Evaluation {
    const Dataset& dataset;
    const GrowthOptions& options;
    const BlockColumn& column;
    const NodeSamples& samples;
    const NodeTotals& totals;
    Scratch& scratch;

    [[nodiscard]] bool c45() const noexcept { return options.growth == Growth::c45; }
    [[nodiscard]] std::size_t n() const noexcept { return totals.labels.size(); }

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
    if (side <= at.options.min_samples)
        side = at.options.min_samples;
    else if (side > 25.0)
        side = 25.0;
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

/// Correction, minimum and ratio: from the gain of a split to its quality.
template <class Counts>
void finish(const Evaluation& at, Candidate& candidate, std::int64_t gain, std::uint64_t cuts_tried,
            std::int64_t branch_terms, typename Counts::Count missing) {
    const WeightScale& scale = at.dataset.scale();
    std::int64_t corrected = gain;
    if (at.c45() && at.options.criterion != Criterion::gini && cuts_tried > 1)
        corrected -= std::llround(std::log2(static_cast<double>(cuts_tried)) * scale.factor());
    const auto total = static_cast<double>(at.totals.weight);
    const std::int64_t floor = std::int64_t{1} << std::max(0, scale.fraction_bits() - 20);
    if (corrected <= std::max(std::llround(1e-9 * total), static_cast<long long>(floor))) return;
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

/// Tries the cuts between neighbouring groups and keeps the best (the lowest of the best).
///
/// Inside a run of groups that hold one and the same class the gain is strictly convex in the position of the
/// cut (Fayyad & Irani 1992), so only the ends of the run can be best; a run may also be cut short by the
/// smallest side, so the first and the last permitted cut are always judged. Cuts that are not judged still
/// count as tried.
template <class Counts, class Measure, class Groups>
void try_cuts(const Evaluation& at, const Measure& measure, const Groups& groups, const Known<Counts>& known,
              Candidate& candidate) {
    using Count = typename Counts::Count;
    const std::size_t n_classes = at.dataset.n_classes();
    const Count least = smallest_side<Counts>(at, known.total);

    auto& scratch = at.template counts<Counts>();
    scratch.left.assign(n_classes, 0);
    scratch.right.assign(known.by_class, known.by_class + n_classes);
    typename Measure::Sides sides(measure, scratch.left.data(), scratch.right.data(), n_classes);

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
void try_branches(const Evaluation& at, const Measure& measure, const Groups& groups,
                  const Known<Counts>& known, Candidate& candidate) {
    using Count = typename Counts::Count;
    const std::size_t n_classes = at.dataset.n_classes();
    const WeightScale& scale = at.dataset.scale();
    const XLogX& xlogx = at.dataset.xlogx();
    const double least = at.c45() ? at.options.min_samples : 0.0;

    auto& branch = at.template counts<Counts>().branch;
    branch.assign(n_classes, 0);
    std::int64_t score = 0, branch_terms = 0;
    std::uint32_t n_groups = 0, n_large = 0;
    groups.for_each([&](std::uint32_t, Count total, int, auto items) {
        ++n_groups;
        const Weight weight = weight_of<Counts>(at, total);
        if (scale.reaches(weight, least)) ++n_large;
        items([&](std::size_t k, Count count) { branch[k] += count; });
        score += measure.score(total, branch.data(), n_classes);
        items([&](std::size_t k, Count) { branch[k] = 0; });
        branch_terms += xlogx.of_weight(weight);
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
    const std::size_t n_classes = at.dataset.n_classes();
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
    if (at.c45() &&
        !at.dataset.scale().reaches(weight_of<Counts>(at, known.total), 2 * at.options.min_samples))
        return;
    try_cuts<Counts>(at, measure, groups, known, candidate);
}

template <class Counts, class Measure>
Candidate evaluate_grouped(const Evaluation& at, const Measure& measure) {
    using Count = typename Counts::Count;
    Candidate candidate;
    Scratch& scratch = at.scratch;
    const std::size_t n = at.n();
    const std::size_t n_classes = at.dataset.n_classes();
    const std::size_t n_codes = std::size_t{at.column.n_values} + 1;
    const Label* labels = at.totals.labels.data();
    const Weight* weights = at.samples.weights.data();

    auto& counts = at.template counts<Counts>();
    counts.missing.assign(n_classes, 0);
    Count* missing = counts.missing.data();
    const Count* missing_if_any = at.column.has_missing ? missing : nullptr;
    const auto count_of = [weights](std::size_t i) -> Count {
        if constexpr (Counts::weighted)
            return weights[i];
        else
            return 1;
    };

    if (n_codes * n_classes <= 4 * n + 64) {
        counts.table.assign(n_codes * n_classes, 0);
        Count* table = counts.table.data();
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) table[code_of(i) * n_classes + labels[i]] += count_of(i);
        });
        std::copy_n(table, n_classes, missing);
        try_groups<Counts>(at, measure, DenseGroups<Count>{table, at.column.n_values, n_classes},
                           missing_if_any, candidate);
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
                if constexpr (Counts::weighted) scratch.ordered_weights[place] = weights[i];
            }
        });
        const CountedGroups<Count> groups{ends.data(), scratch.ordered_labels.data(),
                                          scratch.ordered_weights.data(), at.column.n_values};
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
        try_groups<Counts>(at, measure, SortedGroups<Count>{keys.data(), n_known, labels, weights},
                           missing_if_any, candidate);
    }
    return candidate;
}

// ---- the common case, unit weights and two classes
// ------------------------------------------------------------

/// Score of a set with a samples of class 0 and b of class 1, from the table of x·log2(x).
struct TwoClassEntropy {
    const std::int64_t* x;
    [[nodiscard]] std::int64_t operator()(std::uint32_t a, std::uint32_t b) const noexcept {
        return x[a] + x[b] - x[a + b];
    }
};

struct TwoClassGini {
    double factor;
    [[nodiscard]] std::int64_t operator()(std::uint32_t a, std::uint32_t b) const noexcept {
        if (a + b == 0) return 0;
        const auto p = static_cast<double>(a), q = static_cast<double>(b);
        return std::llround((p * p + q * q) / (p + q) * factor);
    }
};

/// Counts of both classes by code, packed into one bin each: the samples in the lower half, those of class 1
/// above. All bins are empty between two uses, so that few codes among many need no sweep over the table.
template <class Bin>
class PackedBins {
  public:
    static constexpr int half = sizeof(Bin) * 4;
    static constexpr Bin low = (Bin{1} << half) - 1;

    [[nodiscard]] static std::uint32_t total(Bin bin) noexcept {
        return static_cast<std::uint32_t>(bin & low);
    }
    [[nodiscard]] static std::uint32_t ones(Bin bin) noexcept {
        return static_cast<std::uint32_t>(bin >> half);
    }

    PackedBins(const Evaluation& at, std::vector<Bin>& bins, std::vector<std::uint64_t>& marks)
        : n_codes_(std::size_t{at.column.n_values} + 1), sparse_(n_codes_ > at.n()) {
        const std::size_t n = at.n();
        // Two banks where codes are few: a bin that is hit again at once would wait for its own store.
        const bool two_banks = n_codes_ <= 512 && n >= 256;
        const std::size_t n_bins = two_banks ? 2 * n_codes_ : n_codes_;
        if (bins.size() < n_bins) bins.resize(n_bins, 0);
        if (sparse_ && marks.size() < n_codes_ / 64 + 1) marks.resize(n_codes_ / 64 + 1, 0);
        bins_ = bins.data();
        marks_ = marks.data();
        const Label* labels = at.totals.labels.data();
        const auto increment = [labels](std::size_t i) { return Bin{1} + (Bin{labels[i]} << half); };
        with_codes(at.column, at.samples, [&](auto code_of) {
            if (sparse_) {
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint32_t code = code_of(i);
                    bins_[code] += increment(i);
                    marks_[code / 64] |= std::uint64_t{1} << (code % 64);
                }
            } else if (two_banks) {
                Bin* second = bins_ + n_codes_;
                std::size_t i = 0;
                for (; i + 1 < n; i += 2) {
                    bins_[code_of(i)] += increment(i);
                    second[code_of(i + 1)] += increment(i + 1);
                }
                if (i < n) bins_[code_of(i)] += increment(i);
                for (std::size_t code = 0; code < n_codes_; ++code)
                    bins_[code] += std::exchange(second[code], Bin{0});
            } else {
                for (std::size_t i = 0; i < n; ++i) bins_[code_of(i)] += increment(i);
            }
        });
        missing_ = std::exchange(bins_[0], Bin{0});
        if (sparse_) marks_[0] &= ~std::uint64_t{1};
    }

    [[nodiscard]] Bin missing() const noexcept { return missing_; }

    /// Calls f(code, bin) for every code that occurs, ascending, and empties the bins. To be called once.
    template <class F>
    void drain(F f) {
        if (!sparse_) {
            for (std::uint32_t code = 1; code < n_codes_; ++code)
                if (const Bin bin = std::exchange(bins_[code], Bin{0}); bin != 0) f(code, bin);
            return;
        }
        for (std::size_t word = 0; word <= (n_codes_ - 1) / 64; ++word)
            for (std::uint64_t marks = std::exchange(marks_[word], 0); marks != 0; marks &= marks - 1) {
                const auto code = static_cast<std::uint32_t>(word * 64) +
                                  static_cast<std::uint32_t>(std::countr_zero(marks));
                f(code, std::exchange(bins_[code], Bin{0}));
            }
    }

  private:
    std::size_t n_codes_;
    bool sparse_;  // more codes than samples: the codes that occur are marked
    Bin* bins_;
    std::uint64_t* marks_;
    Bin missing_;
};

/// The same as evaluate_grouped for unit weights and two classes.
template <class Bin, class Score>
Candidate evaluate_two_classes(const Evaluation& at, const Score score, std::vector<Bin>& bin_store) {
    using Bins = PackedBins<Bin>;
    Candidate candidate;
    Bins bins(at, bin_store, at.scratch.marks);
    const std::uint32_t missing = Bins::total(bins.missing());
    const auto known = static_cast<std::uint32_t>(at.n()) - missing;
    const std::uint32_t ones = at.totals.class_counts[1] - Bins::ones(bins.missing());
    const std::uint32_t zeros = known - ones;
    const WeightScale& scale = at.dataset.scale();
    const XLogX& xlogx = at.dataset.xlogx();
    std::uint32_t n_groups = 0;

    if (at.column.kind == FeatureKind::nominal) {
        const std::uint32_t least = at.c45() ? scale.count_that_reaches(at.options.min_samples) : 1;
        std::int64_t sum = 0, branch_terms = 0;
        std::uint32_t n_large = 0;
        bins.drain([&](std::uint32_t, Bin bin) {
            const std::uint32_t total = Bins::total(bin), one = Bins::ones(bin);
            ++n_groups;
            n_large += total >= least;
            sum += score(total - one, one);
            branch_terms += xlogx.of_count(total);
        });
        candidate.constant = n_groups < 2;
        if (n_large >= 2)
            finish<UnitCounts>(at, candidate, sum - score(zeros, ones), 1, branch_terms, missing);
        return candidate;
    }

    // Cuts worth judging are first collected without a branch that depends on the data, then judged, some
    // hundreds at a time: in one loop, every second cut of a noisy feature would be a mispredicted jump.
    constexpr std::size_t cuts_at_once = 512;
    struct Cut {
        std::uint32_t left, left_ones;  // samples below it
        std::uint32_t code;             // the greatest code below it
    };
    std::array<Cut, cuts_at_once> cuts;
    Cut* next = cuts.data();
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    Cut best_cut{0, 0, 0};
    const auto judge = [&] {
        for (const Cut* cut = cuts.data(); cut != next; ++cut) {
            const std::uint32_t left_zeros = cut->left - cut->left_ones;
            const std::int64_t s =
                score(left_zeros, cut->left_ones) + score(zeros - left_zeros, ones - cut->left_ones);
            if (s > best) {
                best = s;
                best_cut = *cut;
            }
        }
        next = cuts.data();
    };
    const std::uint32_t least = smallest_side<UnitCounts>(at, known);
    std::uint32_t left = 0, left_ones = 0, tried = 0, previous_code = 0, previous = 3;
    bins.drain([&](std::uint32_t code, Bin bin) {
        const std::uint32_t total = Bins::total(bin), one = Bins::ones(bin);
        // 0 or 1: all of that class; 2: both.
        const std::uint32_t some = one != 0;
        const std::uint32_t only = some + (some & static_cast<std::uint32_t>(one != total));
        const std::uint32_t right = known - left;
        const bool permitted =
            (left >= least) & (right >= least);  // least >= 1, so never before the first group
        tried += permitted;
        // See try_cuts for why most cuts inside a run of one class need no judging.
        const bool worthwhile = (only == 2) | (only != previous) | (tried == 1) | (right - total < least);
        *next = {left, left_ones, previous_code};
        next += permitted & worthwhile;
        if (next == cuts.data() + cuts_at_once) judge();
        ++n_groups;
        left += total;
        left_ones += one;
        previous = only;
        previous_code = code;
    });
    judge();
    candidate.constant = n_groups < 2;
    if (tried == 0 ||
        (at.c45() && !scale.reaches(weight_of<UnitCounts>(at, known), 2 * at.options.min_samples)))
        return candidate;
    candidate.cut = best_cut.code;
    finish<UnitCounts>(at, candidate, best - score(zeros, ones), tried,
                       xlogx.of_count(best_cut.left) + xlogx.of_count(known - best_cut.left), missing);
    return candidate;
}

template <class Counts>
Candidate evaluate_with(const Evaluation& at) {
    if (at.options.criterion == Criterion::gini)
        return evaluate_grouped<Counts>(at, Gini<Counts>(at.dataset));
    return evaluate_grouped<Counts>(at, Entropy<Counts>(at.dataset));
}

Candidate evaluate_column(const Evaluation& at) {
    if (!at.samples.weights.empty()) return evaluate_with<WeightCounts>(at);
    const std::size_t n = at.n();
    const bool short_table =
        std::size_t{at.column.n_values} <= 8 * n + 64 && (n > 12 || at.column.n_values <= 32);
    if (at.dataset.n_classes() == 2 && short_table && at.dataset.xlogx().covers(n)) {
        const auto with_bins = [&](auto score) {
            return n < 0x10000 ? evaluate_two_classes(at, score, at.scratch.narrow_bins)
                               : evaluate_two_classes(at, score, at.scratch.wide_bins);
        };
        if (at.options.criterion == Criterion::gini)
            return with_bins(TwoClassGini{at.dataset.scale().factor()});
        return with_bins(TwoClassEntropy{at.dataset.xlogx().table()});
    }
    return evaluate_with<UnitCounts>(at);
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
        class_counts.assign(n_classes, 0);
        for (const Label label : labels) ++class_counts[label];
        for (std::size_t k = 0; k < n_classes; ++k)
            class_weights[k] = static_cast<Weight>(class_counts[k]) << dataset.scale().fraction_bits();
    } else {
        for (std::size_t i = 0; i < n; ++i) class_weights[labels[i]] += samples.weights[i];
    }
    weight = 0;
    majority = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
        weight += class_weights[k];
        if (class_weights[k] > class_weights[majority]) majority = static_cast<Label>(k);
    }
    pure = class_weights[majority] == weight;
}

Ranker::Ranker(const Dataset& dataset, const GrowthOptions& options) : dataset_(dataset), options_(options) {}

bool Ranker::is_leaf(const NodeTotals& totals) const noexcept {
    if (totals.pure) return true;
    const double least = options_.growth == Growth::c45 ? 2 * options_.min_samples : options_.min_samples;
    return !dataset_.scale().reaches(totals.weight, least);
}

Candidate Ranker::evaluate(const Block& block, const NodeSamples& samples, const NodeTotals& totals,
                           std::uint32_t slot, RankingScratch& scratch) const {
    const BlockColumn& column = block.column(slot);
    Candidate candidate;
    if (column.n_values < 2)
        candidate.constant = true;
    else
        candidate = evaluate_column({dataset_, options_, column, samples, totals, scratch});
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
