// Forest: C4.5 trees on bootstrap samples with a random choice of features at each node (Breiman 2001).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/grown_tree.hpp"
#include "palmette/tree/options.hpp"

namespace palmette {

struct ForestOptions {
    GrowthOptions tree;  // its seed is the seed of the forest
    std::size_t n_trees = 100;
    bool bootstrap = true;
    std::size_t n_draws = 0;  // of a bootstrap sample; 0: as many as there are rows
};

struct GrownForest {
    GrownForest() = default;
    GrownForest(GrownForest&&) = default;
    GrownForest(const GrownForest&) = delete;
    GrownForest& operator=(const GrownForest&) = delete;

    std::vector<GrownTree> trees;
    std::vector<std::size_t> numbers;  // of the trees, which their random streams are made from
    bool complete = true;              // false: the budget ended the growing, `trees` are those that were finished
};

/// Tree i depends on the seed and on i alone.
GrownForest grow_forest(const Dataset& dataset, const ForestOptions& options, Budget& budget, Progress& progress,
                        WorkerPool& pool);

/// The seed of the features that tree `number` draws at its nodes.
std::uint64_t seed_of_tree(const ForestOptions& options, std::size_t number);

/// The rows that tree `number` was grown on, with repeats. With weights, rows are drawn in proportion to them.
std::vector<std::uint32_t> bootstrap_sample(const Dataset& dataset, const ForestOptions& options, std::size_t number);
/// The same with weights of the caller's, one for each row, in place of the dataset's.
std::vector<std::uint32_t> bootstrap_sample(std::span<const Weight> weights, const ForestOptions& options,
                                            std::size_t number);

/// Prunes every tree on the rows that it was grown on; the thresholds of the trees must be resolved. A tree that the
/// budget leaves no time for stays as it is.
void prune_forest(GrownForest& forest, const Dataset& dataset, const ForestOptions& options, double confidence,
                  Budget& budget, WorkerPool& pool);

/// Mean class probabilities (or shares of the votes) of each row over the trees that did not see it (row-major,
/// rows × classes), and how many trees that were. The thresholds of the trees must be resolved.
struct OutOfBag {
    std::vector<double> probabilities;
    std::vector<std::uint32_t> n_trees;
};
enum class Voting : std::uint8_t { soft, hard };

/// Hard voting: a tree votes for its most probable class, the lowest index on ties. Rows are left out once the budget is
/// spent.
OutOfBag out_of_bag(const GrownForest& forest, const Dataset& dataset, const ForestOptions& options, Voting voting,
                    Budget& budget, WorkerPool& pool);

}  // namespace palmette
