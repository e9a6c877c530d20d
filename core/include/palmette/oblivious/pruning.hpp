// Pruning of a decision table: OBLIVION (Langley & Sage 1994), exact, all removals of a step from one pass.
//
// A sample is predicted by the cells that are nearest to it in Hamming distance on the kept features: their class
// weights are summed, the largest wins, the lowest class on ties. The error of a set of features is that of n-way
// cross-validation, by default leave-one-out. Start with all units; of all that may go, remove the one without which
// the errors are fewest (the lowest on ties), as long as they are no more than now.
//
// The fewest errors of many removals are fewest by luck too. Where the same folds are kept, or in leave-one-out, the
// luck is kept with them: the next removals are held against an error that is too low, and the walk stops early. With
// folds that are drawn anew at every step, for what is there as for what is tried, both start afresh; then an error may
// be larger than that of the step before.
//
// The removal of a unit u lowers a distance d by the number of features of u on which two cells differ, at most the
// size of u. So if the nearest cells of a sample are at distance m, only cells up to distance m + max |u| can be
// nearest after any one removal: one look at the distances of a sample gives its prediction for every candidate.
// Distances are kept in a table and lowered where cells differ on what was removed; cells that have become alike are
// merged. Where the table does not fit into the memory limit, a row of it is counted anew whenever it is looked at:
// slower, the same answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/search/elimination.hpp"
#include "palmette/support/budget.hpp"

namespace palmette {

struct TablePruningSettings {
    std::vector<std::vector<std::uint32_t>> units;  // features that stay or go together, all features in one unit each
    std::vector<std::uint32_t> keep;                // units of every subset
    std::size_t min_features = 0;                   // never fewer
    /// The fold of each row, 0, 1, …; empty for leave-one-out.
    std::vector<std::uint32_t> folds;
    /// Whether every step after the first draws the folds anew (see folds.hpp).
    bool redraw_folds = false;
    std::uint64_t seed = 0;  // of these draws
    std::size_t n_jobs = 1;
    std::size_t memory_limit = std::size_t{1} << 30;  // bytes for the distances
};

constexpr std::size_t most_pruned_features = 65000;  // a distance is a number of two bytes

/// The error of a step is -1 where the budget ended the call before it was known; this can only be step 0. `n_trees`
/// counts the tables that were judged, `n_scans` the rows of distances that were looked through.
EliminationResult prune_table(const Dataset& dataset, const TablePruningSettings& settings, Budget& budget,
                              EliminationProgress& progress);

}  // namespace palmette
