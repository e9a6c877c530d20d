// Tree: a finished decision tree as flat arrays, in values rather than codes; it predicts, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/column.hpp"
#include "palmette/tree/class_weights.hpp"

namespace palmette {

/// Nodes in depth-first preorder; node 0 is the root and every child comes after its parent.
struct TreeArrays {
    std::size_t n_classes = 0;
    std::vector<std::int32_t> feature;       // -1: a leaf
    std::vector<double> threshold;           // NaN unless the split is continuous
    std::vector<std::int64_t> branch_start;  // one more than nodes
    std::vector<std::int32_t> branches;      // continuous: (<=, >); nominal: one per declared category
    std::vector<std::int32_t> label;
    std::vector<double> weight;
    ClassWeights class_weights;
    std::vector<double> gain;
};

class Tree {
  public:
    /// Checks every index, so that no array, however it was made, can lead prediction out of bounds. `n_categories[f]`
    /// is 0 for a continuous feature. Throws std::invalid_argument with the place of the fault.
    Tree(TreeArrays arrays, std::vector<std::uint32_t> n_categories);

    [[nodiscard]] const TreeArrays& arrays() const noexcept { return arrays_; }
    [[nodiscard]] std::size_t n_nodes() const noexcept { return arrays_.feature.size(); }
    [[nodiscard]] std::size_t n_classes() const noexcept { return arrays_.n_classes; }
    [[nodiscard]] std::span<const std::uint32_t> n_categories() const noexcept { return n_categories_; }
    [[nodiscard]] bool is_leaf(std::size_t node) const noexcept { return arrays_.feature[node] < 0; }
    /// By node; -1 for the root.
    [[nodiscard]] const std::vector<std::int32_t>& parents() const noexcept { return parents_; }
    /// Splits on the longest path.
    [[nodiscard]] std::int32_t depth() const noexcept { return depth_; }

    /// Calls visit(child) once for every distinct child that holds samples.
    template <class Visit>
    void for_each_weighted_child(std::size_t node, Visit visit) const {
        const auto begin = static_cast<std::size_t>(arrays_.branch_start[node]);
        const auto end = static_cast<std::size_t>(arrays_.branch_start[node + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            const auto child = static_cast<std::size_t>(arrays_.branches[i]);
            // Branches that share a child share the empty leaf, whose weight is zero: no child is met twice.
            if (arrays_.weight[child] > 0) visit(child);
        }
    }

  private:
    TreeArrays arrays_;
    std::vector<std::uint32_t> n_categories_;
    std::vector<std::int32_t> parents_;
    std::int32_t depth_ = 0;
};

}  // namespace palmette
