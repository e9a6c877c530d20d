// Algorithm 1 (subset) of Ruggieri 2019: all subsets of a sublattice, each obtained from a larger one by one removal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/search/feature_set.hpp"

namespace palmette::paper {

/// The family R ⋈ Pow(S): every subset that holds all of `required` and any of `optional`.
template <std::size_t Words>
struct Sublattice {
    FeatureSet<Words> required;
    FeatureSet<Words> optional;

    [[nodiscard]] FeatureSet<Words> all() const noexcept { return required | optional; }
};

/// Calls visit(subset) for each, in reverse binary counting order; ends early, with false, when a visit returns false.
/// To be d calls deep takes 2^d visits before: no run lives to exhaust the stack.
template <std::size_t Words, class Visit>
bool enumerate_subsets(const Sublattice<Words>& at, Visit& visit) {
    if (!visit(at.all())) return false;
    std::vector<std::size_t> descending;
    at.optional.for_each([&](std::size_t unit) { descending.insert(descending.begin(), unit); });
    Sublattice<Words> below{at.all(), {}};
    for (const std::size_t unit : descending) {
        below.required.erase(unit);
        if (!enumerate_subsets(below, visit)) return false;
        below.optional.insert(unit);
    }
    return true;
}

}  // namespace palmette::paper
