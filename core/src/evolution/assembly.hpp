// Assembly: the tree that a genome makes of the training samples, judged, and mended where it tests in vain.
#pragma once

#include <cstdint>

#include "genome.hpp"
#include "palmette/data/block.hpp"
#include "palmette/tree/grown_tree.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette {

struct Assembled {
    Genome genome;  // as it was mended
    Judgement judgement;
};

class Assembler {
  public:
    Assembler(const EvolutionProblem& problem, const Stumps& stumps, std::uint32_t max_height);

    /// Follows the samples down the genome. A test that separates nothing gives way to the subtree of the branch that
    /// all samples take; what is pure, or deeper than `max_height`, becomes a leaf; leaves of one label under one test
    /// merge.
    [[nodiscard]] Assembled assemble(const Genome& genome) const;

    [[nodiscard]] GrownTree tree_of(const Genome& genome) const;

  private:
    struct Visit;
    struct Outcome;
    Outcome follow_genes(const Visit& visit, std::size_t place, const NodeSamples& samples,
                         const std::vector<WatchedRows>& watched, std::uint32_t level) const;

    const EvolutionProblem& problem_;
    const Stumps& stumps_;
    std::uint32_t max_height_;
    Block block_;
    NodeSamples all_;
};

}  // namespace palmette
