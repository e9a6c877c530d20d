// FCBF, the fast correlation-based filter (Yu & Liu 2004): of the relevant features, those that no better one makes redundant.
#pragma once

#include <cstdint>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/data/discretization.hpp"
#include "palmette/filter/uncertainty.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

struct FcbfOptions {
    double threshold = 0.0;  // δ: a feature is relevant if its uncertainty with the class exceeds it
    CutCost cut_cost = CutCost::values;
};

struct FcbfResult {
    static constexpr std::int64_t kept = -1, irrelevant = -2, undecided = -3;

    std::vector<std::uint32_t> selected;   // in order of their uncertainty with the class
    std::vector<Uncertainty> with_class;   // of every feature
    std::vector<std::int64_t> removed_by;  // of every feature: the one that made it redundant, or what else came of it
    std::uint64_t n_correlations = 0;
    bool complete = true;
};

/// Goes through the relevant features from the best on (the lowest of equals first): each that is left removes all after it
/// that have at least as much in common with it as with the class. Once the budget is spent, what is undecided is left out.
FcbfResult select_by_fcbf(const Dataset& dataset, const FcbfOptions& options, Budget& budget, Progress& progress,
                          WorkerPool& pool);

}  // namespace palmette
