// TreeDistribution: the graphical model GM of Ardennes, one probability mass function a position of the complete tree.
//
// The functions are estimated from the elite and independent of each other. Of a position that `lacking` members of
// the elite do not have, the probability of label a is (count of a + lacking / number of features) / elite size, where
// a label is a feature or the class, and only features share in the lacking part; a position that nobody has is
// uniform over the features. Only the counts are kept, so the model takes as little room as the elite does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "palmette/evolution/individual.hpp"

namespace palmette {

class TreeDistribution {
  public:
    /// So many of the elite have `feature` (-1: a leaf) at `position`.
    struct Cell {
        Position position;
        std::int32_t feature;
        std::uint32_t count;
    };

    /// Uniform everywhere.
    TreeDistribution(std::size_t n_features, std::size_t n_elite) : n_features_(n_features), n_elite_(n_elite) {}

    /// Estimated from the elite. On the last level the class is certain: nothing is drawn there, and nothing counted.
    TreeDistribution(std::size_t n_features, std::span<const Individual> elite, std::uint32_t last_level);

    [[nodiscard]] bool uniform() const noexcept { return cells_.empty(); }
    /// By position, then by feature.
    [[nodiscard]] const std::vector<Cell>& cells() const noexcept { return cells_; }

    /// A feature, or -1 for the class. Whole numbers throughout: the same draw on every machine.
    [[nodiscard]] std::int32_t draw(Position position, RandomStream stream) const;

  private:
    struct Range {
        std::size_t begin, end;
        std::uint64_t present;  // members of the elite that have the position
    };

    std::size_t n_features_;
    std::size_t n_elite_;
    std::vector<Cell> cells_;
    std::unordered_map<Position, Range> ranges_;
};

}  // namespace palmette
