// The NumPy boundary: the only place that knows how arrays of the user look to the core, and the core's to the user.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "palmette/data/encoding.hpp"

namespace nb = nanobind;

namespace palmette::bindings {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A column of floating-point numbers or of integers of at most 32 bits, strided or not, without a copy.
inline ValueView value_view(const AnyColumn& column) {
    std::optional<ValueView> view;
    const auto look = [&]<class Number>(Number) {
        if (column.dtype() == nb::dtype<Number>())
            view = ValueView(static_cast<const Number*>(column.data()), column.shape(0), column.stride(0));
        return view.has_value();
    };
    if (look(double{}) || look(float{}) || look(std::int32_t{}) || look(std::uint32_t{}) || look(std::int16_t{}) ||
        look(std::uint16_t{}) || look(std::int8_t{}) || look(std::uint8_t{}))
        return *view;
    throw nb::type_error("a column of numbers must be of floats of 32 or 64 bits, or of integers of at most 32 bits");
}

/// Category numbers, contiguous, without a copy.
inline CategoryView category_view(const AnyColumn& column, std::uint32_t n_categories) {
    if (column.shape(0) > 1 && column.stride(0) != 1) throw nb::type_error("category numbers must be contiguous");
    const auto numbers = [&]<class Number>(Number) {
        return std::span<const Number>(static_cast<const Number*>(column.data()), column.shape(0));
    };
    if (column.dtype() == nb::dtype<std::int8_t>()) return {numbers(std::int8_t{}), n_categories};
    if (column.dtype() == nb::dtype<std::int16_t>()) return {numbers(std::int16_t{}), n_categories};
    if (column.dtype() == nb::dtype<std::int32_t>()) return {numbers(std::int32_t{}), n_categories};
    throw nb::type_error("category numbers must be int8, int16 or int32");
}

inline std::vector<ValueView> value_views(const std::vector<AnyColumn>& columns) {
    std::vector<ValueView> views;
    views.reserve(columns.size());
    for (const AnyColumn& column : columns) views.push_back(value_view(column));
    return views;
}

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class To, class T>
std::vector<To> vector_of(const Vector<T>& array) {
    return std::vector<To>(array.data(), array.data() + array.shape(0));
}

/// Hands a vector over to NumPy without a copy.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

/// A read-only look at memory that `owner` keeps alive.
template <class T>
nb::ndarray<nb::numpy, const T> view_of(const std::vector<T>& values, std::initializer_list<std::size_t> shape,
                                        nb::handle owner) {
    return nb::ndarray<nb::numpy, const T>(values.data(), shape, owner);
}

}  // namespace palmette::bindings
