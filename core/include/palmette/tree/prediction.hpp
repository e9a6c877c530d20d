// Prediction: class probabilities of samples given in values. A missing value follows all branches, in proportion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/encoding.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/tree.hpp"

namespace palmette {

/// A column to predict from: numbers for a continuous feature, category numbers (-1: missing or unseen) for a
/// nominal one, or neither for a feature that no tree asks for.
struct PredictionColumn {
    ValueView values{static_cast<const double*>(nullptr), 0, 0};
    std::span<const std::int32_t> categories;
};

/// Throws std::invalid_argument unless there is a tree, all have the same classes and categories, and every feature that
/// one of them tests has a column of `n_rows` entries of its kind.
void check_columns(std::span<const Tree* const> trees, std::span<const PredictionColumn> columns, std::size_t n_rows);

/// Adds the tree's class probabilities of rows begin..end-1 to out (row-major, rows × classes, from row `begin`).
void add_probabilities(const Tree& tree, std::span<const PredictionColumn> columns, std::size_t begin, std::size_t end,
                       double* out);

/// Mean class probabilities over the trees, rows in parallel. Rows are left out once the budget is spent.
std::vector<double> predict_probabilities(std::span<const Tree* const> trees, std::span<const PredictionColumn> columns,
                                          std::size_t n_rows, Budget& budget, WorkerPool& pool);

/// The leaf that each row reaches; of several, the one that gets the greatest share, then the first. Rows are
/// left out once the budget is spent.
std::vector<std::int32_t> find_leaves(const Tree& tree, std::span<const PredictionColumn> columns, std::size_t n_rows,
                                      Budget& budget, WorkerPool& pool);

}  // namespace palmette
