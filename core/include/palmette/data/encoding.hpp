// Encoding: raw values to columns of codes, and codes back to values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/column.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

/// A strided, read-only look at a column of the user's floating-point numbers. NaN is a missing value.
class ValueView {
  public:
    ValueView(const double* data, std::size_t size, std::ptrdiff_t stride) noexcept
        : doubles_(data), size_(size), stride_(stride) {}
    ValueView(const float* data, std::size_t size, std::ptrdiff_t stride) noexcept
        : floats_(data), size_(size), stride_(stride) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] double operator[](std::size_t i) const noexcept {
        const auto offset = static_cast<std::ptrdiff_t>(i) * stride_;
        return doubles_ ? doubles_[offset] : static_cast<double>(floats_[offset]);
    }

  private:
    const double* doubles_ = nullptr;
    const float* floats_ = nullptr;
    std::size_t size_;
    std::ptrdiff_t stride_;
};

/// Ranks the values. Throws std::invalid_argument on an infinite value.
Column encode_continuous(const ValueView& values);

/// Ranks the values of several columns, on all workers of the pool.
std::vector<Column> encode_continuous(std::span<const ValueView> columns, WorkerPool& pool);

/// Shifts category numbers (-1 = missing) to codes. Throws std::invalid_argument on a number out of range.
Column encode_nominal(std::span<const std::int32_t> categories, std::uint32_t n_categories);

/// The distinct values in ascending order: entry c - 1 is the value of code c. A code that only rows without
/// weight have gets the next smaller value that has weight, and NaN if there is none.
std::vector<double> decode_values(const Column& column, const ValueView& values, std::span<const std::int64_t> weights);

}  // namespace palmette
