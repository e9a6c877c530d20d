// Folds that are drawn anew at a step: the samples of each class exchange theirs.
//
// So every fold keeps its number of samples of every class, however the first ones were dealt. The draw depends on the
// seed and the step alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"

namespace palmette {

/// The fold of each row at a step. `folds` are those of step 0, which come back as they are; rows without weight keep
/// theirs at every step. Throws std::invalid_argument unless there is a fold for each row.
[[nodiscard]] std::vector<std::uint32_t> redrawn_folds(const Dataset& dataset, std::span<const std::uint32_t> folds,
                                                       std::uint64_t seed, std::size_t step);

}  // namespace palmette
