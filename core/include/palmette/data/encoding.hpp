// Encoding: raw values to columns of codes, and codes back to values.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "palmette/data/column.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

/// A strided, read-only look at a column of the user's numbers. NaN is a missing value.
class ValueView {
  public:
    ValueView(const double* data, std::size_t size, std::ptrdiff_t stride) noexcept
        : doubles_(data), size_(size), stride_(stride) {}
    ValueView(const float* data, std::size_t size, std::ptrdiff_t stride) noexcept
        : floats_(data), size_(size), stride_(stride) {}
    /// Integers that a double holds exactly.
    template <std::integral Number>
        requires(sizeof(Number) <= 4)
    ValueView(const Number* data, std::size_t size, std::ptrdiff_t stride) noexcept
        : integers_(data), width_(sizeof(Number)), is_signed_(std::is_signed_v<Number>), size_(size), stride_(stride) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] double operator[](std::size_t i) const noexcept {
        const auto offset = static_cast<std::ptrdiff_t>(i) * stride_;
        if (doubles_) return doubles_[offset];
        if (floats_) return static_cast<double>(floats_[offset]);
        return integer(offset);
    }

  private:
    [[nodiscard]] double integer(std::ptrdiff_t offset) const noexcept {
        const auto as = [&]<class Number>(Number) {
            return static_cast<double>(static_cast<const Number*>(integers_)[offset]);
        };
        switch (width_) {
            case 1:
                return is_signed_ ? as(std::int8_t{}) : as(std::uint8_t{});
            case 2:
                return is_signed_ ? as(std::int16_t{}) : as(std::uint16_t{});
            default:
                return is_signed_ ? as(std::int32_t{}) : as(std::uint32_t{});
        }
    }

    const double* doubles_ = nullptr;
    const float* floats_ = nullptr;
    const void* integers_ = nullptr;
    std::uint8_t width_ = 0;
    bool is_signed_ = false;
    std::size_t size_;
    std::ptrdiff_t stride_;
};

/// A read-only look at the category numbers of a nominal column, in the integer type that they come in. -1 is missing.
struct CategoryView {
    std::variant<std::span<const std::int8_t>, std::span<const std::int16_t>, std::span<const std::int32_t>> numbers;
    std::uint32_t n_categories = 0;
};

/// A column as it comes in: continuous or nominal.
using ColumnView = std::variant<ValueView, CategoryView>;

/// Ranks the values. Throws std::invalid_argument on an infinite value.
Column encode_continuous(const ValueView& values);

/// Shifts category numbers to codes. Throws std::invalid_argument on a number out of range.
Column encode_nominal(const CategoryView& categories);

/// Encodes several columns, in their order, on all workers of the pool.
std::vector<Column> encode(std::span<const ColumnView> columns, WorkerPool& pool);

/// The distinct values in ascending order: entry c - 1 is the value of code c. A code that only rows without
/// weight have gets the next smaller value that has weight, and NaN if there is none.
std::vector<double> decode_values(const Column& column, const ValueView& values, std::span<const std::int64_t> weights);

}  // namespace palmette
