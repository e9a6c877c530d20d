// Removal orders: rk_frontier (Definition 9 of Ruggieri 2019), the order of 2017, and the two that they are compared
// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/search/paper.hpp"
#include "palmette/search/paper_tree.hpp"

namespace palmette::paper {

template <std::size_t Words>
class RemovalOrder {
  public:
    RemovalOrder(PaperOrder order, std::size_t n_units)
        : order_(order), below_(n_units), frontier_(n_units), cases_(n_units, 0) {}

    /// Fills `out` with the units of `removable`, first to be removed first. `decided` are the other units of the tree.
    void operator()(const PaperTree<Words>& tree, const FeatureSet<Words>& decided, const FeatureSet<Words>& removable,
                    std::vector<std::uint32_t>& out);

  private:
    void by_frontier(const PaperTree<Words>& tree, FeatureSet<Words> decided, FeatureSet<Words> removable,
                     std::vector<std::uint32_t>& out);
    void by_cases(const PaperTree<Words>& tree, std::vector<std::uint32_t>& out);
    void find_frontier(const PaperTree<Words>& tree, std::size_t begin, std::size_t end,
                       const FeatureSet<Words>& decided);

    PaperOrder order_;
    // By unit: its frontier nodes, and the units used in the subtrees below them.
    std::vector<FeatureSet<Words>> below_;
    std::vector<std::vector<std::size_t>> frontier_;
    std::vector<Weight> cases_;
};

}  // namespace palmette::paper
