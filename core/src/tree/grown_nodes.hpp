// How the nodes of a grown tree are filled in, by whoever grows one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "palmette/tree/grown_tree.hpp"

namespace palmette {

/// Splits a node that was described before; `lower` and `upper` are the codes beside the cut of a continuous feature.
/// The branches are the caller's to fill.
inline GrownSplit& add_split(GrownNode& node, const Dataset& dataset, std::uint32_t feature, std::int64_t gain,
                             std::uint32_t lower, std::uint32_t upper, std::size_t n_branches, Arena& arena) {
    GrownSplit& split = *(node.split = arena.make<GrownSplit>(1));
    split.feature = feature;
    split.kind = dataset.column(feature).kind;
    split.empty_label = node.label;
    split.lower = lower;
    split.upper = upper;
    split.gain = gain;
    split.n_branches = static_cast<std::uint32_t>(n_branches);
    split.branches = arena.make<GrownSplit::Branch>(n_branches);
    return split;
}

}  // namespace palmette
