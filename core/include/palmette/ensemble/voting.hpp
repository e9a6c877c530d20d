// Voting: every tree names a class, and the votes have weights (AdaBoost.M1). `tree/prediction.hpp` has the mean instead.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/prediction.hpp"
#include "palmette/tree/tree.hpp"

namespace palmette {

/// The share of the votes for each class (row-major, rows × classes). A tree votes for its most probable class, the
/// lowest index on ties. Rows are left out once the budget is spent.
std::vector<double> predict_votes(std::span<const Tree* const> trees, std::span<const double> votes,
                                  std::span<const PredictionColumn> columns, std::size_t n_rows, Budget& budget,
                                  WorkerPool& pool);

}  // namespace palmette
