// DecisionTable: cells with their class weights; what OBLIVION's pruning ends with, and what it predicts by.
//
// An oblivious decision tree tests the same feature at all nodes of a level, so the order of the levels does not
// matter and the tree is a table: one row, a Cell, for each combination of values that occurs (Langley & Sage 1994,
// Section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

/// Cells in the order of their first samples. Codes are numbers of values or categories, -1 where missing.
struct DecisionTable {
    std::size_t n_features = 0;
    std::size_t n_classes = 0;
    std::vector<std::int32_t> codes;    // cells × features
    std::vector<double> class_weights;  // cells × classes

    [[nodiscard]] std::size_t n_cells() const noexcept { return n_classes == 0 ? 0 : class_weights.size() / n_classes; }
};

/// The table of all samples that weigh something, on the given features.
[[nodiscard]] DecisionTable fill_table(const Dataset& dataset, std::span<const std::uint32_t> features);

/// For each row of `codes` (rows × features, -1 where missing) the summed class weights of the cells at the smallest
/// Hamming distance, rows × classes. A row is left at 0 once the budget is spent. Throws std::invalid_argument where
/// the sizes do not fit together.
[[nodiscard]] std::vector<double> nearest_class_weights(const DecisionTable& table, std::span<const std::int32_t> codes,
                                                        std::size_t n_rows, Budget& budget, WorkerPool& pool);

}  // namespace palmette
