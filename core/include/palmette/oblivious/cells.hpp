// Cells: the samples of a dataset that are alike on some features. A decision table is a set of cells.
//
// Two values are alike iff they have the same code, so a missing value is alike with a missing value and with nothing
// else: being alike is an equivalence, which a cell needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"

namespace palmette {

/// A division of some rows into cells. Cells are numbered in the order of their first rows.
struct CellDivision {
    std::vector<std::uint32_t> cell_of;    // for each of the rows, its cell
    std::vector<std::uint32_t> first_row;  // for each cell, the place of its first row among the rows

    [[nodiscard]] std::size_t n_cells() const noexcept { return first_row.size(); }
};

/// The rows of the dataset that weigh something.
[[nodiscard]] std::vector<std::uint32_t> weighty_rows(const Dataset& dataset);

/// All rows in one cell.
[[nodiscard]] CellDivision undivided(std::size_t n_rows);

/// Divides the cells further, by one more feature. `rows` are the rows of the dataset that are divided.
void divide_by(const Dataset& dataset, std::span<const std::uint32_t> rows, std::uint32_t feature,
               CellDivision& division);

/// The cells of the rows on the given features.
[[nodiscard]] CellDivision divide(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                  std::span<const std::uint32_t> features);

}  // namespace palmette
