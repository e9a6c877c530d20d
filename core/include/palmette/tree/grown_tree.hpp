// GrownTree: a tree as the grower leaves it, nodes linked by pointers, tests in codes. Pruning works on it;
// `flatten` turns it into the Tree that predicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/data/encoding.hpp"
#include "palmette/support/arena.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/options.hpp"
#include "palmette/tree/tree.hpp"

namespace palmette {

struct GrownNode;

/// The test of an inner node. Leaves, most of the nodes, have none: it is the larger part.
struct GrownSplit {
    struct Branch {
        std::uint32_t code;  // nominal: the category's code. continuous: 0 for "at most", 1 for "above"
        GrownNode* child;
    };

    std::uint32_t feature = 0;
    FeatureKind kind = FeatureKind::continuous;
    Label empty_label = 0;    // of categories without samples: the majority when the node was split
    std::uint32_t lower = 0;  // continuous: the greatest code on the left, the smallest on the right
    std::uint32_t upper = 0;
    std::uint32_t cut = 0;  // once resolved: codes up to this go left
    std::uint32_t n_branches = 0;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    std::int64_t gain = 0;
    Branch* branches = nullptr;  // in order of code; a category without a branch leads to an empty leaf

    [[nodiscard]] std::span<Branch> children() const noexcept { return {branches, n_branches}; }
};

/// What one class weighs at a node.
struct ClassWeight {
    Weight weight = 0;
    Label label = 0;
};

struct GrownNode {
    GrownSplit* split = nullptr;  // none: a leaf
    Weight weight = 0;
    ClassWeight* classes = nullptr;  // ascending, none of weight 0
    Label n_classes = 0;             // 0, as at most leaves: all the weight is of the label's class
    Label label = 0;

    /// Label, weight and classes, from the weights of all classes; the first of the heaviest is the label. A node
    /// without weight keeps its label.
    void describe(std::span<const Weight> by_class, Arena& arena);

    /// Calls visit(class, weight) for the classes that are here, ascending.
    template <class Visit>
    void for_each_class(Visit visit) const {
        if (n_classes == 0 && weight > 0) visit(label, weight);
        for (const ClassWeight& here : std::span(classes, n_classes)) visit(here.label, here.weight);
    }

    /// The weight of the samples of the label's class.
    [[nodiscard]] Weight right() const {
        Weight found = 0;
        for_each_class([&](Label k, Weight of_class) {
            if (k == label) found = of_class;
        });
        return found;
    }

    [[nodiscard]] bool is_leaf() const noexcept { return split == nullptr; }
    [[nodiscard]] std::span<GrownSplit::Branch> children() const noexcept {
        return is_leaf() ? std::span<GrownSplit::Branch>{} : split->children();
    }
};

class GrownTree {
  public:
    GrownTree() = default;
    GrownTree(GrownTree&&) = default;
    GrownTree& operator=(GrownTree&&) = default;
    GrownTree(const GrownTree&) = delete;
    GrownTree& operator=(const GrownTree&) = delete;

    GrownNode* root = nullptr;
    bool complete = true;  // false when the budget ended the growing

    /// A fresh arena that lives as long as the tree; each worker takes its own.
    Arena& new_arena() { return *arenas_.emplace_back(std::make_unique<Arena>()); }

    /// The features that the tree tests, ascending.
    [[nodiscard]] std::vector<std::uint32_t> used_features() const;

    /// Sets threshold and cut of every node that tests the continuous `feature`; `values` are its distinct values
    /// (decode_values).
    void resolve_thresholds(std::uint32_t feature, std::span<const double> values, ThresholdRule rule);

    /// The tree as flat arrays in depth-first order, weights as doubles.
    [[nodiscard]] Tree flatten(const Dataset& dataset) const;

  private:
    std::vector<std::unique_ptr<Arena>> arenas_;
};

/// Sets threshold and cut of every node of the trees that tests one of the continuous `features`; `columns` are the
/// values that these features were encoded from, in the same order.
void resolve_thresholds(std::span<GrownTree> trees, const Dataset& dataset, std::span<const std::uint32_t> features,
                        std::span<const ValueView> columns, ThresholdRule rule, WorkerPool& pool);

}  // namespace palmette
