// CFS, correlation-based feature selection (Hall 2000): the subset whose features tell most of the class and least of each other.
//
// The merit of k features is k·r_cf / √(k + k(k − 1)·r_ff), with the means of their symmetric uncertainties with the
// class (r_cf) and with each other (r_ff). The subsets are searched best first, as Weka does by default: of all subsets seen, the
// one of the highest merit is expanded by each feature that it lacks, until `max_stale` expansions in a row bring no better one.
#pragma once

#include <cstdint>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/data/discretization.hpp"
#include "palmette/filter/uncertainty.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

struct CfsOptions {
    std::uint32_t max_stale = 5;
    bool locally_predictive = true;
    CutCost cut_cost = CutCost::values;
};

/// A subset that was expanded.
struct CfsExpansion {
    std::vector<std::uint32_t> features;  // in the order in which they were added
    double merit = 0.0;
    double best_merit = 0.0;  // known after the expansion
};

struct CfsResult {
    std::vector<std::uint32_t> selected;   // in the order in which they were added
    std::size_t n_locally_predictive = 0;  // how many of them, the last ones, were added after the search
    double merit = 0.0;                    // of the subset that the search found
    std::vector<CfsExpansion> history;
    std::vector<Uncertainty> with_class;  // of every feature
    std::uint64_t n_correlations = 0;
    std::uint64_t n_subsets = 0;  // whose merit was computed
    bool complete = true;
};

/// Features that have nothing in common with the class are not looked at: with any of them a merit is lower than without. Once
/// the budget is spent, the best subset so far is the answer.
CfsResult select_by_cfs(const Dataset& dataset, const CfsOptions& options, Budget& budget, Progress& progress,
                        WorkerPool& pool);

}  // namespace palmette
