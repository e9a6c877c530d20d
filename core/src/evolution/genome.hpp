// Genome: a tree assembled from stumps, as breed_tree.cpp breeds it; grower.cpp's trees are grown, these are put together.
//
// A stump is a test on one feature with a cut of its own, found on the training set or on a piece of it. A genome lists
// the stumps of a tree in depth-first order, -1 for a leaf; a stump is followed by the subtrees of all its branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/evolution/evolution.hpp"
#include "palmette/support/random.hpp"

namespace palmette {

struct Stump {
    std::uint32_t feature = 0;
    std::uint32_t n_branches = 2;
    std::uint32_t lower = 0, upper = 0;  // continuous: the codes that the cut lies between
    std::uint32_t cut = 0;               // codes up to this go left
    double threshold = 0;
};

using Genome = std::vector<std::int32_t>;

/// Longer genomes are not bred: a nominal stump has as many branches as categories, and copies of it multiply.
constexpr std::size_t longest_genome = 4096;

/// The best cut of every feature on the whole training set and on each of `n_pieces` parts of it, without repeats; a
/// nominal feature has one stump.
[[nodiscard]] std::vector<Stump> make_stumps(const EvolutionProblem& problem, std::size_t n_pieces,
                                             RandomStream stream);

class Stumps {
  public:
    explicit Stumps(std::vector<Stump> stumps) : stumps_(std::move(stumps)) {}

    [[nodiscard]] std::size_t size() const noexcept { return stumps_.size(); }
    [[nodiscard]] const Stump& operator[](std::int32_t number) const noexcept {
        return stumps_[static_cast<std::size_t>(number)];
    }
    /// One past the last gene of the subtree that begins at `place`.
    [[nodiscard]] std::size_t end_of_subtree(std::span<const std::int32_t> genome, std::size_t place) const noexcept;

    /// A random tree of at most `height` levels, all of them filled if `full`.
    [[nodiscard]] Genome assemble(std::uint32_t height, bool full, RandomStream& stream) const;

    /// Exchanges a random subtree of one for a random subtree of the other.
    void cross(Genome& one, Genome& other, RandomStream& stream) const;

    /// Collapses a random subtree to a leaf, or grows a random stump from a random leaf.
    void mutate(Genome& genome, RandomStream& stream) const;

  private:
    [[nodiscard]] std::int32_t any(RandomStream& stream) const {
        return static_cast<std::int32_t>(stream.below(stumps_.size()));
    }

    std::vector<Stump> stumps_;
};

}  // namespace palmette
