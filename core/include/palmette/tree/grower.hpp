// Grower: top-down induction, one ranking after another (Quinlan's C4.5, Release 8, without collapse).
#pragma once

#include <cstdint>
#include <memory>
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

/// Grows the tree of the given samples of the dataset's block (repeats allowed, unit weights) on the calling thread.
GrownTree grow_tree_of_samples(const Dataset& dataset, const std::shared_ptr<const Block>& block,
                               std::vector<std::uint32_t> rows, const GrowthOptions& options, Budget& budget,
                               RankingScratch& scratch);

}  // namespace palmette
