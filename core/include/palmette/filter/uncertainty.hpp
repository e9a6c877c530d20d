// Symmetric uncertainty: how much two discrete columns tell about each other, SU = 2 (H(a) + H(b) - H(a, b)) / (H(a) + H(b)).
//
// 0 for independent columns, 1 if each determines the other. Entropies are sums in fixed point and an uncertainty is an
// integer number of 2^-31, so that neither the order of the values nor that of a sum over many features changes a bit:
// copies tie, and a merit does not depend on the way that led to its subset.
//
// A sample whose value is missing is spread over the values of its column in proportion to their frequency, as Weka does by
// default: by the frequencies of the column where the other value is known, by those of the known pairs where both are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "palmette/filter/discrete_table.hpp"

namespace palmette {

using Uncertainty = std::uint32_t;
constexpr Uncertainty full_uncertainty = Uncertainty{1} << 31;

[[nodiscard]] constexpr double to_double(Uncertainty uncertainty) noexcept {
    return static_cast<double>(uncertainty) / full_uncertainty;
}

/// Memory of one worker, kept from pair to pair.
struct UncertaintyScratch {
    std::vector<std::uint32_t> counts;
    std::vector<Weight> weights, original, rows, columns;
    std::vector<std::pair<std::uint64_t, Weight>> pairs;
};

/// Of two columns of the table, features or the class; the same bits whichever comes first. Mutual information of less
/// than 1e-9 bits a sample is rounding, and counts as none.
Uncertainty symmetric_uncertainty(const DiscreteTable& table, std::size_t first, std::size_t second,
                                  UncertaintyScratch& scratch);

}  // namespace palmette
