// Fixed-point weights and x·log2(x): the arithmetic that makes a split's quality exact.
//
// A weight is an integer number of 2^-q. Sums of integers do not depend on their order, so the quality of a
// feature is bit-identical whichever subset, parent or thread asks: the ranking of a node is a function of
// its samples alone (semantics.md §1), which is what Lemma 6 and every search over the lattice rest on.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette {

using Weight = std::int64_t;

class WorkerPool;

/// The unit of a problem's weights: 2^-fraction_bits.
class WeightScale {
  public:
    static constexpr int most_fraction_bits = 32;
    static constexpr double largest_total = 1099511627776.0;  // 2^40: leaves 16 bits for fractions

    WeightScale() = default;
    /// The finest scale under which total·log2(total) still fits in 63 bits.
    explicit WeightScale(double total_weight);

    [[nodiscard]] int fraction_bits() const noexcept { return fraction_bits_; }
    [[nodiscard]] Weight one() const noexcept { return Weight{1} << fraction_bits_; }
    [[nodiscard]] Weight from_double(double weight) const { return std::llround(weight * factor_); }
    [[nodiscard]] double to_double(Weight weight) const noexcept { return static_cast<double>(weight) / factor_; }
    [[nodiscard]] double factor() const noexcept { return factor_; }

    /// Forgiveness of the "weight at least m" tests: three thirds of a sample count as one sample.
    [[nodiscard]] Weight slack() const noexcept { return Weight{1} << (fraction_bits_ - 16); }
    [[nodiscard]] bool reaches(Weight weight, double minimum) const noexcept {
        return static_cast<double>(weight + slack()) >= minimum * factor_;
    }
    /// The smallest whole number of samples whose weight reaches `minimum`.
    [[nodiscard]] std::uint32_t count_that_reaches(double minimum) const noexcept;

  private:
    int fraction_bits_ = most_fraction_bits;
    double factor_ = 4294967296.0;
};

/// The part of `weight` that goes down a branch holding `part` of the `whole` known weight, rounded to the nearest
/// unit.
[[nodiscard]] inline Weight share_of_weight(Weight weight, Weight part, Weight whole) noexcept {
    __extension__ using Wide = __int128;
    return static_cast<Weight>((static_cast<Wide>(weight) * part + whole / 2) / whole);
}

/// x·log2(x) in fixed point, from a table for whole weights; log2(x) beside it.
class XLogX {
  public:
    XLogX() = default;
    /// With a pool, its workers fill the table together.
    XLogX(WeightScale scale, std::size_t largest_count, WorkerPool* pool = nullptr);

    [[nodiscard]] std::int64_t of_count(std::uint32_t count) const noexcept {
        return count < table_.size() ? table_[count] : compute(static_cast<double>(count));
    }
    /// Unchecked look-up for counts up to `largest_count`, for loops that have checked `covers` once.
    [[nodiscard]] const std::int64_t* table() const noexcept { return table_.data(); }
    [[nodiscard]] bool covers(std::size_t count) const noexcept { return count < table_.size(); }

    [[nodiscard]] std::int64_t of_weight(Weight weight) const noexcept {
        if (weight <= 0) return 0;
        const auto whole = static_cast<std::uint64_t>(weight) >> bits_;
        if ((weight & mask_) == 0 && whole < table_.size()) return table_[whole];
        return compute(static_cast<double>(weight) / factor_);
    }
    /// log2 of a number of things, not of a weight.
    [[nodiscard]] std::int64_t log2_of_count(std::uint64_t count) const noexcept {
        return count < logs_.size() ? logs_[count] : compute_log2(static_cast<double>(count));
    }
    [[nodiscard]] std::size_t nbytes() const noexcept { return (table_.size() + logs_.size()) * sizeof(std::int64_t); }

    // 4 Mi entries: beyond, a logarithm is computed. A larger table would outgrow the data that it serves.
    static constexpr std::size_t largest_table = std::size_t{1} << 22;
    // Asked for once a feature and node, so only nodes of few samples gain by a table.
    static constexpr std::size_t largest_log_table = std::size_t{1} << 10;

  private:
    [[nodiscard]] std::int64_t compute(double x) const noexcept { return round(x * std::log2(x) * factor_); }
    [[nodiscard]] std::int64_t compute_log2(double x) const noexcept { return round(std::log2(x) * factor_); }

    /// std::llround without the call.
    [[nodiscard]] static std::int64_t round(double x) noexcept {
        const auto towards_zero = static_cast<std::int64_t>(x);
        const double rest = x - static_cast<double>(towards_zero);
        return towards_zero + (rest >= 0.5) - (rest <= -0.5);
    }

    std::vector<std::int64_t> table_;
    std::vector<std::int64_t> logs_;
    int bits_ = WeightScale::most_fraction_bits;
    Weight mask_ = (Weight{1} << WeightScale::most_fraction_bits) - 1;
    double factor_ = 4294967296.0;
};

}  // namespace palmette
