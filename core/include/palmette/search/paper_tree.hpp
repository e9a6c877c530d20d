// PaperTree: DT(S) in the form that the algorithms of Ruggieri (2019) work on.
//
// Vocabulary. A *place* is what reaches a node: building samples and search rows. A *node* is a place with its split. A
// *tree* is an array of nodes in preorder, the trees of all folds one after the other, so that what the paper does with
// one tree (its used features, its error, its frontier, its lower bound) is one pass over an array whatever the number
// of folds. A tree owns the nodes that it grew and borrows those of the tree that it was made from: the search is depth
// first, so the larger tree outlives it. Only the array is cloned, never a node.
//
// Errors are additive over nodes. A search row is *whole* until it meets a node whose value it lacks; from there on it
// goes down in shares, and whether it errs is a matter of the subtree of that node alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palmette/data/block.hpp"
#include "palmette/search/feature_set.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette::paper {

/// Objects at fixed addresses, used again with the memory that they hold: a search builds a tree of about the same
/// shape some hundred thousand times on each level.
template <class T>
class Pool {
  public:
    [[nodiscard]] T& take() {
        if (n_taken_ == items_.size()) items_.push_back(std::make_unique<T>());
        return *items_[n_taken_++];
    }
    void release_all() noexcept { n_taken_ = 0; }

  private:
    std::vector<std::unique_ptr<T>> items_;
    std::size_t n_taken_ = 0;
};

struct Place {
    std::uint32_t fold = 0;
    std::uint32_t depth = 0;
    const Block* block = nullptr;
    NodeSamples samples;
    std::vector<std::uint32_t> rows;  // search rows that come here whole
};

struct Node {
    Place* place = nullptr;
    Label label = 0;
    FeatureKind kind = FeatureKind::continuous;
    std::uint32_t feature = 0;
    std::uint32_t cut = 0;  // continuous: dataset codes up to this go left
    std::uint32_t n_children = 0;
    Weight weight = 0;
    /// Of a leaf: its rows that err. Of a split: rows that err in a category without building samples.
    ErrorWeight own_error = 0;
    std::vector<std::uint32_t> codes;        // nominal: the category of each child, ascending
    std::vector<std::uint32_t> varying;      // slots of the block that may split here or below
    std::vector<std::uint32_t> shared_rows;  // whole so far, but with a missing value of `feature`
    std::vector<double> votes;               // leaf: share of each class; only where rows can come in shares
};

/// A node's place in the array of a tree, with what depends on its subtree.
template <std::size_t Words>
struct Entry {
    static constexpr std::int32_t no_unit = -1;

    const Node* node = nullptr;
    std::uint32_t size = 1;                                     // of the subtree: the next sibling is this far
    std::int32_t unit = no_unit;                                // that it splits on
    FeatureSet<Words> used{};                                   // units of the subtree
    ErrorWeight error = 0;                                      // of the subtree
    const std::vector<std::uint32_t>* erring_shared = nullptr;  // those of the node's shared rows that err

    [[nodiscard]] bool is_leaf() const noexcept { return unit == no_unit; }
};

template <std::size_t Words>
class PaperTree {
  public:
    [[nodiscard]] std::span<const Entry<Words>> entries() const noexcept { return entries_; }
    [[nodiscard]] const FeatureSet<Words>& used() const noexcept { return used_; }
    [[nodiscard]] ErrorWeight error() const noexcept { return error_; }

  private:
    template <std::size_t>
    friend class PaperGrower;

    void clear() {
        entries_.clear();
        used_ = {};
        error_ = 0;
        places_.release_all();
        nodes_.release_all();
        row_lists_.release_all();
        blocks_.clear();
    }

    std::vector<Entry<Words>> entries_;
    FeatureSet<Words> used_;
    ErrorWeight error_ = 0;
    Pool<Place> places_;
    Pool<Node> nodes_;
    Pool<std::vector<std::uint32_t>> row_lists_;
    std::vector<std::unique_ptr<const Block>> blocks_;
};

}  // namespace palmette::paper
