// Class probabilities of rows of the dataset by their codes: for trees whose training rows are at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/tree/grown_tree.hpp"

namespace palmette {

struct VisitByCode {
    const GrownNode* node;
    double share;
};

/// Adds the class probabilities of one row of the dataset, by codes. The same rule as prediction by values. The
/// thresholds of the tree must be resolved.
inline void add_probabilities_of_row(const GrownNode* root, const Dataset& dataset, std::size_t row,
                                     std::vector<VisitByCode>& stack, double* out) {
    stack.push_back({root, 1.0});
    while (!stack.empty()) {
        const auto [node, share] = stack.back();
        stack.pop_back();
        if (node->is_leaf()) {
            const auto total = static_cast<double>(node->weight());
            if (total > 0)
                node->for_each_class(
                    [&](Label k, Weight weight) { out[k] += share * (static_cast<double>(weight) / total); });
            else
                out[node->label] += share;
            continue;
        }
        const GrownSplit& split = *node->split();
        const auto children = split.children();
        const std::uint32_t code = dataset.column(split.feature).codes[row];
        if (code == 0) {
            double weight_below = 0;
            for (const GrownNode& child : children) weight_below += static_cast<double>(child.weight());
            for (std::size_t j = children.size(); j-- > 0;)
                if (const auto weight = static_cast<double>(children[j].weight()); weight > 0)
                    stack.push_back({&children[j], share * (weight / weight_below)});
        } else if (const std::size_t branch = split.branch_of(code); branch < children.size()) {
            stack.push_back({&children[branch], share});
        } else {
            out[split.empty_label] += share;
        }
    }
}

}  // namespace palmette
