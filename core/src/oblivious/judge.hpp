// The errors of a decision table and of all tables with one unit fewer, from one look at each sample's neighbourhood.
//
// pruning.cpp walks by these errors. The argument why one look is enough is in pruning.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distances.hpp"
#include "nearest.hpp"
#include "palmette/support/fixed_point.hpp"

namespace palmette::oblivious {

/// The features of a unit, as a range of places in the codes of a cell.
struct PlaceRange {
    std::uint32_t begin;
    std::uint32_t end;
};

/// The class weights of the cells, and how many samples each holds; a cell that was merged into another holds none.
struct CellCounts {
    std::size_t n_classes = 0;
    std::vector<Weight> weights;  // cells × classes
    std::vector<std::uint32_t> n_samples;

    [[nodiscard]] const Weight* of(std::size_t cell) const noexcept { return weights.data() + cell * n_classes; }
    [[nodiscard]] Weight* of(std::size_t cell) noexcept { return weights.data() + cell * n_classes; }
};

/// The class of the largest weight, the lowest on ties.
inline std::size_t winner(std::span<const Weight> weights) {
    return static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
}

/// One worker's memory and its share of the errors.
template <class Code, class Distance>
class Judge {
  public:
    /// `candidates` are the units that may go; errors()[1 + i] is the error without candidate i, errors()[0] with all.
    Judge(const CellDistances<Code, Distance>& distances, std::span<const PlaceRange> candidates, std::size_t n_classes)
        : distances_(distances),
          candidates_(candidates),
          n_classes_(n_classes),
          errors_(1 + candidates.size(), 0),
          nearest_weights_(n_classes),
          best_(candidates.size()),
          lowered_weights_(candidates.size() * n_classes),
          totals_(n_classes),
          sums_(n_classes) {
        for (const PlaceRange& range : candidates) {
            reach_ = std::max(reach_, range.end - range.begin);
            single_ = single_ && range.end - range.begin == 1;
        }
        if (!distances.keeps_table()) scratch_.resize(distances.n_cells());
    }

    [[nodiscard]] const std::vector<Weight>& errors() const noexcept { return errors_; }

    /// Looks at the neighbours of a cell; `occupied` tells whether the cell itself has samples left.
    void look(std::size_t cell, const CellCounts& counts, bool occupied) {
        const Distance* row = distances_.row(cell, scratch_.data());
        nearest_ =
            find_nearest(row, distances_.n_cells(), cell, counts.n_samples, occupied ? 0 : nobody, reach_, found_);
        std::ranges::fill(nearest_weights_, 0);
        std::ranges::fill(best_, nobody);
        const Code* here = distances_.codes(cell);
        for (const Neighbour& neighbour : found_) {
            const Weight* weights = counts.of(neighbour.cell);
            if (neighbour.distance == nearest_) add(weights, nearest_weights_.data());
            const Code* there = distances_.codes(neighbour.cell);
            if (single_) {
                for (std::size_t i = 0; i < candidates_.size(); ++i)
                    if (here[candidates_[i].begin] != there[candidates_[i].begin])
                        lower(i, neighbour.distance - 1, weights);
            } else {
                for (std::size_t i = 0; i < candidates_.size(); ++i) {
                    std::uint32_t differing = 0;
                    for (std::uint32_t place = candidates_[i].begin; place < candidates_[i].end; ++place)
                        differing += here[place] != there[place] ? 1 : 0;
                    if (differing > 0) lower(i, neighbour.distance - differing, weights);
                }
            }
        }
    }

    /// Counts the errors on samples of the cell that was looked at. `own` are the class weights left in the cell,
    /// `held` those of the samples that are predicted; they count `times`.
    void judge(std::span<const Weight> own, std::span<const Weight> held, Weight times) {
        Weight all = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            all += held[k];
            totals_[k] = nearest_weights_[k] + own[k];
        }
        const Weight error = times * (all - held[winner(totals_)]);
        errors_[0] += error;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (best_[i] == nobody) {
                errors_[1 + i] += error;
                continue;
            }
            const Weight* lowered = lowered_weights_.data() + i * n_classes_;
            // Nobody who stays at the nearest distance counts beside one that has come nearer.
            const bool nearer = best_[i] < nearest_;
            for (std::size_t k = 0; k < n_classes_; ++k) sums_[k] = lowered[k] + (nearer ? 0 : totals_[k]);
            errors_[1 + i] += times * (all - held[winner(sums_)]);
        }
    }

  private:
    void add(const Weight* weights, Weight* sums) const {
        for (std::size_t k = 0; k < n_classes_; ++k) sums[k] += weights[k];
    }

    /// A neighbour comes to `distance` without candidate i.
    void lower(std::size_t i, std::uint32_t distance, const Weight* weights) {
        if (distance > nearest_ || distance > best_[i]) return;
        Weight* lowered = lowered_weights_.data() + i * n_classes_;
        if (distance < best_[i]) {
            best_[i] = distance;
            std::copy_n(weights, n_classes_, lowered);
        } else {
            add(weights, lowered);
        }
    }

    const CellDistances<Code, Distance>& distances_;
    std::span<const PlaceRange> candidates_;
    std::size_t n_classes_;
    std::uint32_t reach_ = 0;
    bool single_ = true;
    std::vector<Weight> errors_;

    std::vector<Distance> scratch_;
    std::vector<Neighbour> found_;
    std::uint32_t nearest_ = nobody;
    std::vector<Weight> nearest_weights_;  // of the nearest cells, without the cell itself
    std::vector<std::uint32_t> best_;  // for each candidate, the least distance of those that come nearer without it
    std::vector<Weight> lowered_weights_;  // candidates × classes: the class weights of those
    std::vector<Weight> totals_;
    std::vector<Weight> sums_;
};

}  // namespace palmette::oblivious
