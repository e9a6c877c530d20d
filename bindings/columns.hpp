// The columns that a prediction reads: per feature an array of numbers, an array of category numbers, or None.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "palmette/tree/prediction.hpp"

namespace palmette::bindings {

using Columns = std::vector<std::optional<AnyColumn>>;

/// Views on the user's columns; valid while the arrays are.
class PredictionColumns {
  public:
    explicit PredictionColumns(const Columns& columns) : columns_(columns.size()) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (!columns[i]) continue;
            if (columns[i]->dtype() == nb::dtype<std::int32_t>()) {
                if (columns[i]->stride(0) != 1 && columns[i]->shape(0) > 1)
                    throw nb::type_error("category numbers must be contiguous");
                columns_[i].categories = {static_cast<const std::int32_t*>(columns[i]->data()), columns[i]->shape(0)};
            } else {
                columns_[i].values = value_view(*columns[i]);
            }
        }
    }
    [[nodiscard]] std::span<const PredictionColumn> span() const noexcept { return columns_; }

  private:
    std::vector<PredictionColumn> columns_;
};

}  // namespace palmette::bindings
