// The best cut of a continuous feature at a node of few samples, by sorting them: unit weights, nothing missing.
//
// Most nodes of a search are this small, and there the tables of the general evaluation cost more than the samples. The
// candidate is the same to the last bit: the same cuts are judged (ranking.cpp says why most need not be), by the same
// integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "sort_keys.hpp"

namespace palmette {

constexpr std::size_t most_sorted_of_many_classes = 128;
constexpr std::size_t most_tried_at_all_cuts = 256;
constexpr int class_bits = 8;

/// True if sorting is faster than counting by code: few samples, or many more codes than samples.
[[nodiscard]] inline bool is_better_sorted(const Evaluation& at) noexcept {
    const std::size_t n = at.n();
    if (!at.samples.weights.empty() || at.options.criterion == Criterion::gini ||
        at.column.kind != FeatureKind::continuous || at.n_classes() >= (1U << class_bits) ||
        at.column.n_values >= (1U << most_code_bits) || !at.dataset.xlogx().covers(n))
        return false;
    if (n <= most_sorted_by_rank || at.column.n_values > 8 * n + 64) return true;
    return at.n_classes() > 2 && n <= most_sorted_of_many_classes;
}

/// Both sides of a cut between two classes.
class TwoSides {
  public:
    TwoSides(const std::int64_t* xlogx, std::span<const std::uint32_t> counts, RankingScratch&)
        : x_(xlogx), zeros_(counts[0]), ones_(counts[1]) {}
    void move(std::uint32_t label) noexcept {
        left_ones_ += label;
        ++left_;
    }
    [[nodiscard]] std::int64_t score() const noexcept {
        return of(left_ - left_ones_, left_ones_) + of(zeros_ - (left_ - left_ones_), ones_ - left_ones_);
    }
    [[nodiscard]] std::int64_t score_of_all() const noexcept { return of(zeros_, ones_); }

  private:
    [[nodiscard]] std::int64_t of(std::uint32_t zeros, std::uint32_t ones) const noexcept {
        return x_[zeros] + x_[ones] - x_[zeros + ones];
    }
    const std::int64_t* x_;
    std::uint32_t zeros_, ones_, left_ = 0, left_ones_ = 0;
};

/// Both sides of a cut between many classes.
class ManySides {
  public:
    ManySides(const std::int64_t* xlogx, std::span<const std::uint32_t> counts, RankingScratch& scratch) : x_(xlogx) {
        scratch.unit.left.assign(counts.size(), 0);
        left_counts_ = scratch.unit.left.data();
        counts_ = counts.data();
        for (const std::uint32_t count : counts) {
            right_sum_ += x_[count];
            right_ += count;
        }
        all_ = right_sum_ - x_[right_];
    }
    void move(std::uint32_t label) noexcept {
        const std::uint32_t l = left_counts_[label], r = counts_[label] - l;
        left_counts_[label] = l + 1;
        left_sum_ += x_[l + 1] - x_[l];
        right_sum_ += x_[r - 1] - x_[r];
        ++left_;
        --right_;
    }
    [[nodiscard]] std::int64_t score() const noexcept { return left_sum_ - x_[left_] + right_sum_ - x_[right_]; }
    [[nodiscard]] std::int64_t score_of_all() const noexcept { return all_; }

  private:
    const std::int64_t* x_;
    std::uint32_t* left_counts_;
    const std::uint32_t* counts_;  // of both sides
    std::int64_t left_sum_ = 0, right_sum_ = 0, all_ = 0;
    std::uint32_t left_ = 0, right_ = 0;
};

/// The best cut so far, and how many were tried.
struct SortedCuts {
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    std::uint32_t best_left = 0;
    std::uint32_t tried = 0;
};

/// Judges every permitted cut: among few samples the jumps that tell which to leave out cost more than the scores. The
/// best is the same. A cut that need not be judged lies inside a run of one class, where the score is convex; of n
/// samples in several classes its second difference is at least 1/n² bits, and what is rounded away is some 2⁻³¹.
template <class Sides>
SortedCuts try_every_cut(const Evaluation& at, Sides& sides, std::uint32_t least, Candidate& candidate) {
    constexpr std::uint32_t class_mask = (1U << class_bits) - 1;
    const std::uint32_t* keys = at.scratch.cut_keys.data();
    const auto known = static_cast<std::uint32_t>(at.n());
    SortedCuts cuts;
    std::uint32_t i = 0;
    for (; i < least && i < known; ++i) sides.move(keys[i] & class_mask);
    for (; known - i >= least; ++i) {
        const std::uint32_t code = keys[i] >> class_bits, before = keys[i - 1] >> class_bits;
        const bool permitted = code != before;
        const std::int64_t score = sides.score();
        cuts.tried += permitted;
        if (permitted & (score > cuts.best)) {
            cuts.best = score;
            cuts.best_left = i;
            candidate.cut = before;
            candidate.above = code;
        }
        sides.move(keys[i] & class_mask);
    }
    return cuts;
}

/// Leaves out the cuts that cannot be best.
template <class Sides>
SortedCuts try_worthwhile_cuts(const Evaluation& at, Sides& sides, std::uint32_t least, Candidate& candidate) {
    constexpr std::uint32_t class_mask = (1U << class_bits) - 1, several = 1U << class_bits;
    const std::uint32_t* keys = at.scratch.cut_keys.data();
    const auto known = static_cast<std::uint32_t>(at.n());
    SortedCuts cuts;
    std::uint32_t previous = several + 1, previous_code = 0;
    for (std::uint32_t i = 0; i < known;) {
        const std::uint32_t code = keys[i] >> class_bits;
        std::uint32_t end = i, only = keys[i] & class_mask;
        for (; keys[end] >> class_bits == code; ++end)
            if ((keys[end] & class_mask) != only) only = several;
        if (i >= least && known - i >= least) {
            ++cuts.tried;
            if (cuts.tried == 1 || known - end < least || only == several || only != previous) {
                const std::int64_t score = sides.score();
                if (score > cuts.best) {
                    cuts.best = score;
                    cuts.best_left = i;
                    candidate.cut = previous_code;
                    candidate.above = code;
                }
            }
        }
        for (; i < end; ++i) sides.move(keys[i] & class_mask);
        previous = only;
        previous_code = code;
    }
    return cuts;
}

template <class Sides>
void try_sorted_cuts(const Evaluation& at, Candidate& candidate) {
    const auto known = static_cast<std::uint32_t>(at.n());
    const std::uint32_t least = smallest_side<UnitCounts>(at, known);
    const XLogX& xlogx = at.dataset.xlogx();
    Sides sides(xlogx.table(), at.totals.class_counts, at.scratch);
    const SortedCuts cuts = known <= most_tried_at_all_cuts ? try_every_cut(at, sides, least, candidate)
                                                            : try_worthwhile_cuts(at, sides, least, candidate);
    if (cuts.tried == 0) return;
    finish<UnitCounts>(at, candidate, cuts.best - sides.score_of_all(), cuts.tried,
                       xlogx.of_count(cuts.best_left) + xlogx.of_count(known - cuts.best_left), 0);
}

/// False if a sample misses its value. `is_better_sorted` must hold.
[[nodiscard]] inline bool find_sorted_cut(const Evaluation& at, Candidate& candidate) {
    const std::size_t n = at.n();
    std::vector<std::uint32_t>& keys = at.scratch.cut_keys;
    keys.resize(n + 1);
    std::uint32_t least_code = ~std::uint32_t{0}, greatest_code = 0;
    with_codes(at.column, at.samples, [&](auto code_of) {
        const Label* labels = at.totals.labels.data();
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = code_of(i);
            keys[i] = code << class_bits | labels[i];
            least_code = std::min(least_code, code);
            greatest_code = std::max(greatest_code, code);
        }
    });
    if (least_code == 0) return false;
    candidate.constant = least_code == greatest_code;
    if (candidate.constant) return true;
    if (at.c45() && !at.dataset.scale().reaches(at.totals.weight, 2 * at.options.min_samples)) return true;
    sort_by_code(keys, n, class_bits, least_code, greatest_code, at.scratch.cut_buffer);
    keys[n] = ~std::uint32_t{0};  // no code
    if (at.n_classes() == 2)
        try_sorted_cuts<TwoSides>(at, candidate);
    else
        try_sorted_cuts<ManySides>(at, candidate);
    return true;
}

}  // namespace palmette
