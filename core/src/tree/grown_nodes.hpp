// How the nodes of a grown tree are filled in, by whoever grows one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "palmette/tree/grown_tree.hpp"

namespace palmette {

/// Splits a node that was described before; `lower` and `upper` are the codes beside the cut of a continuous feature,
/// `codes` those of the branches of a nominal one. The children are the caller's to fill.
inline std::span<GrownNode> add_split(GrownNode& node, const Dataset& dataset, std::uint32_t feature, std::int64_t gain,
                                      std::uint32_t lower, std::uint32_t upper, std::span<const std::uint32_t> codes,
                                      Arena& arena) {
    GrownSplit& split = dataset.column(feature).kind == FeatureKind::nominal
                            ? GrownSplit::of_codes(feature, codes, arena)
                            : GrownSplit::of_gap(feature, lower, upper, arena);
    split.gain = gain;
    split.empty_label = node.label;
    node.set_split(split);
    return split.children();
}

}  // namespace palmette
