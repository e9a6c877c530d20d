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

/// A strided, read-only look at a column of the user's numbers: floats, or integers that a double holds exactly. NaN is
/// a missing value.
class ValueView {
  public:
    template <class Number>
        requires(std::floating_point<Number> || (std::integral<Number> && sizeof(Number) <= 4))
    ValueView(const Number* data, std::size_t size, std::ptrdiff_t stride) noexcept
        : data_(data), size_(size), stride_(stride) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_contiguous() const noexcept { return stride_ == 1; }
    [[nodiscard]] double operator[](std::size_t i) const noexcept {
        const auto offset = static_cast<std::ptrdiff_t>(i) * stride_;
        if (const auto* doubles = std::get_if<const double*>(&data_)) return (*doubles)[offset];
        return std::visit([offset](const auto* numbers) { return static_cast<double>(numbers[offset]); }, data_);
    }

    /// Calls use(first number, stride), so that a loop over all of them need not ask for their type each time.
    template <class Use>
    decltype(auto) visit(Use use) const {
        return std::visit([&](const auto* numbers) { return use(numbers, stride_); }, data_);
    }

  private:
    std::variant<const double*, const float*, const std::int32_t*, const std::uint32_t*, const std::int16_t*,
                 const std::uint16_t*, const std::int8_t*, const std::uint8_t*>
        data_;
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
