// Grower: top-down induction, one ranking after another (Quinlan's C4.5, Release 8, without collapse).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/random.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/grown_tree.hpp"
#include "palmette/tree/options.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette {

/// Grows the tree of all rows with positive weight, on all workers of the pool. The tree does not depend on their
/// number. Only `features` may be tested, or all of them without a list; the order of the list does not matter.
/// Throws std::invalid_argument on a feature that the dataset does not have.
GrownTree grow_tree(const Dataset& dataset, const GrowthOptions& options, Budget& budget, Progress& progress,
                    WorkerPool& pool, std::optional<std::span<const std::uint32_t>> features = std::nullopt);

/// What one of several trees is grown from.
struct TreeStart {
    GrowthOptions options;
    std::optional<std::vector<std::uint32_t>> rows;  // repeats allowed, unit weights; without: all that have weight
};

/// Grows the trees that `start` tells by number, each on one worker that gives parts of it away when another has run out
/// of trees. Tree 0 is grown whatever is left of the budget; others that are not begun by its end have no root.
std::vector<GrownTree> grow_trees(const Dataset& dataset, std::size_t n_trees,
                                  const std::function<TreeStart(std::size_t)>& start, Budget& budget,
                                  Progress& progress, WorkerPool& pool);

}  // namespace palmette
