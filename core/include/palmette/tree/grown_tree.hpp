// GrownTree: a tree as the grower leaves it, nodes linked by pointers, tests in codes. Pruning works on it;
// `flatten` turns it into the Tree that predicts.
//
// While it is flattened it is there beside the Tree, and while it grows, beside the codes: of a table with few columns
// and many classes its nodes would be as many bytes as the codes. So a node keeps only what its children cannot tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
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

/// What one class weighs at a node.
struct ClassWeight {
    Weight weight = 0;
    Label label = 0;
};

/// What a node holds: the weight alone, where that tells all, else the weights of its classes.
union NodeContents {
    Weight weight = 0;
    ClassWeight* classes;  // ascending, none of weight 0
};

/// The test of an inner node. Leaves, most of the nodes, have none: it is the larger part. In memory its children lie
/// behind it, and then, if it is nominal, their codes.
class GrownSplit {
  public:
    std::uint32_t feature = 0;
    std::uint32_t cut = 0;  // continuous, once resolved: codes up to this go left
    std::int64_t gain = 0;
    Label empty_label = 0;  // of categories without samples: the majority when the node was split

    /// A test with two children, those up to a cut and those above it; the cut lies between two codes.
    static GrownSplit& of_gap(std::uint32_t feature, std::uint32_t lower, std::uint32_t upper, Arena& arena);
    /// A test with a child for each of these codes, ascending; a category without a child leads to an empty leaf.
    static GrownSplit& of_codes(std::uint32_t feature, std::span<const std::uint32_t> codes, Arena& arena);

    /// Finds threshold and cut of a continuous test among the distinct values of its feature. Once is enough.
    void resolve(std::span<const double> values, ThresholdRule rule);

    [[nodiscard]] FeatureKind kind() const noexcept { return kind_; }
    [[nodiscard]] std::span<GrownNode> children() noexcept;
    [[nodiscard]] std::span<const GrownNode> children() const noexcept;
    /// Of a nominal test: the codes of its children.
    [[nodiscard]] std::span<const std::uint32_t> codes() const noexcept;
    /// Which child has the samples of a code; the number of children where its category has none. A continuous test must
    /// be resolved.
    [[nodiscard]] std::size_t branch_of(std::uint32_t code) const noexcept;
    /// NaN unless the test is continuous and resolved.
    [[nodiscard]] double threshold() const noexcept {
        return resolved_ ? place_.threshold : std::numeric_limits<double>::quiet_NaN();
    }

  private:
    friend struct GrownNode;

    union Place {
        std::uint32_t gap[2] = {0, 0};  // the greatest code on the left, the smallest on the right
        double threshold;               // once resolved
    };

    static GrownSplit& make(std::uint32_t feature, FeatureKind kind, std::size_t n_children, Arena& arena);

    FeatureKind kind_ = FeatureKind::continuous;
    bool resolved_ = false;
    std::uint32_t n_children_ = 0;
    Place place_;            // of a continuous test
    NodeContents contents_;  // of the node: it has room for one of the two
};

struct GrownNode {
    Label label = 0;

    /// Label, weight and classes, from the weights of all classes; the first of the heaviest is the label. A node
    /// without weight keeps its label.
    void describe(std::span<const Weight> by_class, Arena& arena);
    /// The same for an inner node of samples that weigh one each and that all go to one child: its classes are the sums
    /// of its children's, and are not kept.
    void describe_as_sum(std::span<const Weight> by_class);

    /// Gives the node a test, or another one.
    void set_split(GrownSplit& split) noexcept {
        split.contents_ = contents();
        detail_.split = &split;
        is_leaf_ = false;
    }
    /// Makes a leaf of the node; one that is a sum must be described anew.
    void remove_split() noexcept {
        detail_.contents = contents();
        is_leaf_ = true;
    }

    [[nodiscard]] bool is_leaf() const noexcept { return is_leaf_; }
    /// None: a leaf.
    [[nodiscard]] GrownSplit* split() noexcept { return is_leaf_ ? nullptr : detail_.split; }
    [[nodiscard]] const GrownSplit* split() const noexcept { return is_leaf_ ? nullptr : detail_.split; }
    [[nodiscard]] std::span<GrownNode> children() noexcept {
        return is_leaf_ ? std::span<GrownNode>{} : detail_.split->children();
    }

    [[nodiscard]] Weight weight() const noexcept {
        if (!is_listed_) return contents().weight;
        return std::accumulate(classes().begin(), classes().end(), Weight{0},
                               [](Weight sum, const ClassWeight& here) { return sum + here.weight; });
    }
    /// How many classes are here.
    [[nodiscard]] Label n_classes() const noexcept { return n_classes_; }
    /// Whether only the children know the classes.
    [[nodiscard]] bool is_sum() const noexcept { return n_classes_ > 1 && !is_listed_; }

    /// Calls visit(class, weight) for the classes that are here, ascending; never for a node that is a sum.
    template <class Visit>
    void for_each_class(Visit visit) const {
        if (n_classes_ == 1) visit(label, contents().weight);
        for (const ClassWeight& here : classes()) visit(here.label, here.weight);
    }

    /// The weight of the samples of the label's class; not of a node that is a sum.
    [[nodiscard]] Weight right() const {
        Weight found = 0;
        for_each_class([&](Label k, Weight of_class) {
            if (k == label) found = of_class;
        });
        return found;
    }

  private:
    union Detail {
        NodeContents contents{};  // of a leaf
        GrownSplit* split;        // of an inner node
    };

    [[nodiscard]] NodeContents& contents() noexcept { return is_leaf_ ? detail_.contents : detail_.split->contents_; }
    [[nodiscard]] const NodeContents& contents() const noexcept {
        return is_leaf_ ? detail_.contents : detail_.split->contents_;
    }
    [[nodiscard]] std::span<const ClassWeight> classes() const noexcept {
        return is_listed_ ? std::span(contents().classes, n_classes_) : std::span<ClassWeight>{};
    }

    Label n_classes_ = 0;
    bool is_leaf_ = true;
    bool is_listed_ = false;
    Detail detail_;
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

    /// Bytes of the nodes.
    [[nodiscard]] std::size_t nbytes() const noexcept;

    /// The features that the tree tests, ascending.
    [[nodiscard]] std::vector<std::uint32_t> used_features() const;

    /// Sets threshold and cut of every node that tests the continuous `feature`; `values` are its distinct values
    /// (decode_values).
    void resolve_thresholds(std::uint32_t feature, std::span<const double> values, ThresholdRule rule);

    /// The tree as flat arrays in depth-first order, weights as doubles.
    [[nodiscard]] Tree flatten(const DatasetOutline& outline) const;
    [[nodiscard]] Tree flatten(const Dataset& dataset) const { return flatten(dataset.outline()); }

  private:
    std::vector<std::unique_ptr<Arena>> arenas_;
};

/// Sets threshold and cut of every node of the trees that tests one of the continuous `features`; `columns` are the
/// values that these features were encoded from, in the same order.
void resolve_thresholds(std::span<GrownTree> trees, const Dataset& dataset, std::span<const std::uint32_t> features,
                        std::span<const ValueView> columns, ThresholdRule rule, WorkerPool& pool);

}  // namespace palmette
