// Error-based pruning with subtree raising (C4.5 Release 8). For finished trees only: it breaks Lemma 6, so
// no search may prune on its way.
#pragma once

#include <cstdint>
#include <span>

#include "palmette/data/dataset.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/tree/grown_tree.hpp"

namespace palmette {

/// The errors to add to `errors` seen in `weight` samples: the upper confidence limit of the binomial, C4.5's way.
[[nodiscard]] double extra_errors(double weight, double errors, double confidence);

/// Prunes the tree on the rows of `dataset` that it was grown on: all of them, or those of `sample` (ascending, with
/// repeats, each of weight 1). Its thresholds must be resolved.
void prune_by_error(GrownTree& tree, const Dataset& dataset, double confidence, Budget& budget,
                    std::span<const std::uint32_t> sample = {});

}  // namespace palmette
