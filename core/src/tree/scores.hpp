// Scores of sets of samples, the terms that a split's gain is made of.
//
// The score of a set is Σ x·log2(x) over its classes minus t·log2(t) of its total (or, for Gini, Σ x²/t), in fixed
// point: the gain of a split is the sum of the scores of its branches minus the score of the known samples.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "palmette/data/dataset.hpp"

namespace palmette {

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

template <class Counts>
class Entropy {
  public:
    using Count = typename Counts::Count;
    static constexpr bool pure_scores_zero = true;  // a set of one class

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
        Sides(const Entropy& entropy, Count* left, Count* right, std::vector<std::int64_t>& terms,
              std::size_t n_classes)
            : entropy_(entropy), left_(left), right_(right) {
            if constexpr (Counts::weighted) {
                terms.assign(2 * n_classes, 0);
                terms_ = terms.data();
            }
            for (std::size_t k = 0; k < n_classes; ++k) {
                const std::int64_t term = entropy.term(right[k]);
                right_sum_ += term;
                if constexpr (Counts::weighted) terms_[2 * k + 1] = term;
            }
        }
        void move(std::size_t k, Count count) noexcept {
            const Count l = left_[k], r = right_[k];
            if constexpr (Counts::weighted) {  // a logarithm each, so those of before are kept
                const std::int64_t left_term = entropy_.term(l + count), right_term = entropy_.term(r - count);
                left_sum_ += left_term - std::exchange(terms_[2 * k], left_term);
                right_sum_ += right_term - std::exchange(terms_[2 * k + 1], right_term);
            } else {
                left_sum_ += entropy_.term(l + count) - entropy_.term(l);
                right_sum_ += entropy_.term(r - count) - entropy_.term(r);
            }
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
        std::int64_t* terms_ = nullptr;  // left and right, class by class
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
    static constexpr bool pure_scores_zero = false;

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
        Sides(const Gini& gini, Count* left, Count* right, std::vector<std::int64_t>&, std::size_t n_classes)
            : gini_(gini), left_(left), right_(right), n_classes_(n_classes) {
            for (std::size_t k = 0; k < n_classes; ++k) right_squares_ += gini.number(right[k]) * gini.number(right[k]);
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
                return gini_.score(left_total, left_, n_classes_) + gini_.score(right_total, right_, n_classes_);
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

}  // namespace palmette
