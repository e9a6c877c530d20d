// The common case, unit weights and two classes: the same candidates as ranking.cpp finds, by a shorter way.

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "palmette/data/code_lanes.hpp"
#include "present_codes.hpp"

namespace palmette {
namespace {

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

    [[nodiscard]] static std::uint32_t total(Bin bin) noexcept { return static_cast<std::uint32_t>(bin & low); }
    [[nodiscard]] static std::uint32_t ones(Bin bin) noexcept { return static_cast<std::uint32_t>(bin >> half); }

    PackedBins(const Evaluation& at, std::vector<Bin>& bins, std::vector<std::uint64_t>& marks)
        : n_codes_(std::size_t{at.column.n_values} + 1), sparse_(n_codes_ > 2 * at.n()) {
        const std::size_t n = at.n();
        if (at.column.n_values <= CodeLanes::most_values && n <= CodeLanes::most_samples) {
            count_in_lanes(at, bins);
            return;
        }
        // Four banks where codes are few: a bin that is hit again at once would wait for its own store.
        const bool four_banks = n_codes_ <= 512 && n >= 256;
        const std::size_t n_bins = four_banks ? 4 * n_codes_ : n_codes_;
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
            } else if (four_banks) {
                std::array<Bin*, 4> bank;
                for (std::size_t k = 0; k < 4; ++k) bank[k] = bins_ + k * n_codes_;
                std::size_t i = 0;
                for (; i + 3 < n; i += 4)
                    for (std::size_t k = 0; k < 4; ++k) bank[k][code_of(i + k)] += increment(i + k);
                for (; i < n; ++i) bins_[code_of(i)] += increment(i);
                for (std::size_t code = 0; code < n_codes_; ++code)
                    bins_[code] += bank[1][code] + bank[2][code] + bank[3][code];
                std::fill(bank[1], bank[1] + 3 * n_codes_, Bin{0});
            } else {
                for (std::size_t i = 0; i < n; ++i) bins_[code_of(i)] += increment(i);
            }
        });
        missing_ = std::exchange(bins_[0], Bin{0});
        if (sparse_) marks_[0] &= ~std::uint64_t{1};
    }

    [[nodiscard]] Bin missing() const noexcept { return missing_; }

    /// True if every bin was wide enough: what overflows a lower half is missing from the sum of all.
    [[nodiscard]] bool holds(std::size_t n) const noexcept {
        std::uint64_t sum = total(missing_);
        for (std::size_t code = 1; code < n_codes_; ++code) sum += total(bins_[code]);
        return sum == n;
    }
    void clear() noexcept {
        drain([](std::uint32_t, Bin) {});
    }

    /// Calls f(code, bin) for every code that occurs, ascending, and empties the bins. To be called once.
    template <class F>
    void drain(F f) {
        if (!sparse_) {
            for_each_present(
                1, static_cast<std::uint32_t>(n_codes_), [&](std::uint32_t code) { return bins_[code] != 0; },
                [&](std::uint32_t code) { f(code, std::exchange(bins_[code], Bin{0})); });
            return;
        }
        for (std::size_t word = 0; word <= (n_codes_ - 1) / 64; ++word)
            for (std::uint64_t marks = std::exchange(marks_[word], 0); marks != 0; marks &= marks - 1) {
                const auto code =
                    static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(marks));
                f(code, std::exchange(bins_[code], Bin{0}));
            }
    }

  private:
    void count_in_lanes(const Evaluation& at, std::vector<Bin>& bins) {
        if (bins.size() < n_codes_) bins.resize(n_codes_, 0);
        bins_ = bins.data();
        sparse_ = false;
        CodeLanes samples, of_class_1;
        const Label* labels = at.totals.labels.data();
        with_codes(at.column, at.samples, [&](auto code_of) {
            for (std::size_t i = 0; i < at.n(); ++i) {
                const std::uint32_t code = code_of(i);
                samples.add(code);
                of_class_1.add(code, labels[i]);
            }
        });
        const auto bin = [&](std::uint32_t code) { return samples[code] + (Bin{of_class_1[code]} << half); };
        missing_ = bin(0);
        for (std::uint32_t code = 1; code < n_codes_; ++code) bins_[code] = bin(code);
    }

    std::size_t n_codes_;
    bool sparse_;  // many more codes than samples: the codes that occur are marked
    Bin* bins_;
    std::uint64_t* marks_;
    Bin missing_;
};

template <class Bin, class Score>
Candidate judge_bins(const Evaluation& at, const Score score, PackedBins<Bin> bins) {
    using Bins = PackedBins<Bin>;
    Candidate candidate;
    const std::uint32_t missing = Bins::total(bins.missing());
    const auto known = static_cast<std::uint32_t>(at.n()) - missing;
    const std::uint32_t ones = at.totals.class_counts[1] - Bins::ones(bins.missing());
    const std::uint32_t zeros = known - ones;
    const WeightScale& scale = at.dataset.scale();
    const XLogX& xlogx = at.dataset.xlogx();
    std::uint32_t n_groups = 0;

    if (at.column.kind == FeatureKind::nominal) {
        const std::uint32_t least = at.c45() ? at.least_count : 1;
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
        if (n_large >= 2) finish<UnitCounts>(at, candidate, sum - score(zeros, ones), 1, branch_terms, missing);
        return candidate;
    }

    // Cuts worth judging are first collected without a branch that depends on the data, then judged, some
    // hundreds at a time: in one loop, every second cut of a noisy feature would be a mispredicted jump.
    constexpr std::size_t cuts_at_once = 512;
    struct Cut {
        std::uint32_t left, left_ones;  // samples below it
        std::uint32_t code, above;      // its neighbours
    };
    std::array<Cut, cuts_at_once> cuts;
    Cut* next = cuts.data();
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    Cut best_cut{0, 0, 0, 0};
    const auto judge = [&] {
        for (const Cut* cut = cuts.data(); cut != next; ++cut) {
            const std::uint32_t left_zeros = cut->left - cut->left_ones;
            const std::int64_t s = score(left_zeros, cut->left_ones) + score(zeros - left_zeros, ones - cut->left_ones);
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
        const bool permitted = (left >= least) & (right >= least);  // least >= 1, so never before the first group
        tried += permitted;
        // See try_cuts for why most cuts inside a run of one class need no judging.
        const bool worthwhile = (only == 2) | (only != previous) | (tried == 1) | (right - total < least);
        *next = {left, left_ones, previous_code, code};
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
    if (tried == 0 || (at.c45() && !scale.reaches(weight_of<UnitCounts>(at, known), 2 * at.options.min_samples)))
        return candidate;
    candidate.cut = best_cut.code;
    candidate.above = best_cut.above;
    finish<UnitCounts>(at, candidate, best - score(zeros, ones), tried,
                       xlogx.of_count(best_cut.left) + xlogx.of_count(known - best_cut.left), missing);
    return candidate;
}

}  // namespace

Candidate evaluate_two_classes(const Evaluation& at) {
    const std::size_t n = at.n();
    const auto with_bins = [&](auto score) {
        const bool always_hold = n < 0x10000;
        // A narrow table of many codes takes half the cache of a wide one. Where there are many, it is seldom that one of
        // them comes tens of thousands of times.
        if (always_hold || at.column.n_values > n / 256) {
            PackedBins<std::uint32_t> narrow(at, at.scratch.narrow_bins, at.scratch.marks);
            if (always_hold || narrow.holds(n)) return judge_bins(at, score, narrow);
            narrow.clear();
        }
        return judge_bins(at, score, PackedBins<std::uint64_t>(at, at.scratch.wide_bins, at.scratch.marks));
    };
    if (at.options.criterion == Criterion::gini) return with_bins(TwoClassGini{at.dataset.scale().factor()});
    return with_bins(TwoClassEntropy{at.dataset.xlogx().table()});
}

}  // namespace palmette
