// The best split of one feature by information gain ratio, as Ardennes makes it (Cagnini et al. 2017, Section II-B).
//
// Every midpoint between two neighbouring values at the node is tried, the lowest of the best wins, and nothing is asked
// for but a positive gain: no smallest side, no correction, and the ratio, not the gain, chooses among the cuts (C4.5
// chooses by gain; tree/ranking.hpp). A nominal feature has one branch for each category that occurs.
#pragma once

#include <cstdint>

#include "palmette/data/block.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette {

/// Its quality is the bit pattern of the ratio, and 0 where the feature cannot split. `block` is that of the dataset.
[[nodiscard]] Candidate best_ratio_split(const Dataset& dataset, const Block& block, const NodeSamples& samples,
                                         const NodeTotals& totals, std::uint32_t feature, RankingScratch& scratch);

}  // namespace palmette
