// ClassWeights: what each class weighs at each node of a tree, kept for the classes that are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "palmette/data/dataset.hpp"

namespace palmette {

/// Most nodes hold few of the classes: of a table of nodes × classes nearly all would be zeros.
struct ClassWeights {
    std::vector<std::int32_t> start{0};  // where a node's entries begin; one more than nodes
    std::vector<Label> label;            // ascending within a node
    std::vector<double> weight;          // of the class at the node, > 0

    [[nodiscard]] std::size_t n_nodes() const noexcept { return start.empty() ? 0 : start.size() - 1; }

    /// What a class weighs at the node that is being appended.
    void add(std::size_t k, double class_weight) {
        if (class_weight == 0) return;
        label.push_back(static_cast<Label>(k));
        weight.push_back(class_weight);
    }

    /// Room for so many classes of the node that is being appended, to be filled in later.
    void leave_room(std::size_t n_classes) {
        label.resize(label.size() + n_classes, Label{0});
        weight.resize(weight.size() + n_classes, 0.0);
    }

    void end_node() {
        if (label.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::length_error("the tree has more than 2**31 - 1 weights of classes");
        start.push_back(static_cast<std::int32_t>(label.size()));
    }

    /// Calls visit(class, weight) for the classes that are there.
    template <class Visit>
    void for_each(std::size_t node, Visit visit) const {
        const auto end = static_cast<std::size_t>(start[node + 1]);
        for (auto i = static_cast<std::size_t>(start[node]); i < end; ++i) visit(std::size_t{label[i]}, weight[i]);
    }
};

}  // namespace palmette
