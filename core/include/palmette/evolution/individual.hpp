// Individual: one tree of a population, as the list of what its nodes test, with what it is judged by.
//
// A cut is a function of the samples at a node and of the feature tested there, so the features alone say which tree it
// is. A *position* is a place in the complete tree: 0 is the root, and branch j of position p is 2p + 1 + j. A tree of
// continuous features has no others, as in the paper. The third and later branches of a nominal split, and all that lies
// below them, have no place in a complete binary tree; their positions are hashed from the path, above `first_hashed`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/support/fixed_point.hpp"
#include "palmette/support/random.hpp"

namespace palmette {

using Position = std::uint64_t;
constexpr Position root_position = 0;
constexpr Position first_hashed = Position{1} << 63;

/// Two positions share a number with a chance below 2^-40 in a run of a million nodes; they would share their draws.
[[nodiscard]] constexpr Position position_of_branch(Position parent, std::size_t branch) noexcept {
    if (parent < first_hashed && branch < 2) return 2 * parent + 1 + branch;
    return RandomStream(parent).child(branch).next() | first_hashed;
}

struct Gene {
    Position position = root_position;
    std::int32_t feature = -1;  // -1: a leaf, the class attribute C of the paper
    std::uint32_t level = 1;    // the root is on level 1

    bool operator==(const Gene&) const = default;
};

/// Sets that every individual is judged on without being grown on them: the validation set, and one that is only watched.
constexpr std::size_t most_watched = 2;

/// What an individual is judged by.
struct Judgement {
    Weight right = 0;          // of the training set: the weight in leaves of its own class
    std::uint32_t height = 1;  // levels
    std::uint32_t n_nodes = 1;
    std::array<Weight, most_watched> watched{};  // the same for the watched sets
};

struct Individual {
    std::vector<Gene> genes;  // by position
    Judgement judgement;
};

/// The lexicographic order of individuals: accuracy, then height, then (unless left out) the number of nodes.
class Order {
  public:
    /// Accuracies are compared in steps: two in the same step tie. A step of 1 unit of weight is no tolerance at all.
    explicit Order(Weight step = 1, bool by_nodes = true) : step_(step < 1 ? 1 : step), by_nodes_(by_nodes) {}

    [[nodiscard]] bool before(const Judgement& a, const Judgement& b) const noexcept { return key(a) < key(b); }
    [[nodiscard]] bool tie(const Judgement& a, const Judgement& b) const noexcept { return key(a) == key(b); }

  private:
    [[nodiscard]] std::array<std::int64_t, 3> key(const Judgement& of) const noexcept {
        return {-(of.right / step_), of.height, by_nodes_ ? of.n_nodes : 0};
    }

    Weight step_;
    bool by_nodes_;
};

}  // namespace palmette
