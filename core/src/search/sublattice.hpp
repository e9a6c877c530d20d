// Sublattice: a region of the search, by what its subsets have in common.
#pragma once

#include <cstddef>

#include "palmette/search/feature_set.hpp"

namespace palmette {

/// The subsets that hold all of `included` and none of `excluded`; units in neither are undecided.
template <std::size_t Words>
struct Sublattice {
    FeatureSet<Words> included;
    FeatureSet<Words> excluded;
    std::size_t size = 0;  // number of features in `included`
};

}  // namespace palmette
