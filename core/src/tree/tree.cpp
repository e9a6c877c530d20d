#include "palmette/tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace palmette {
namespace {

[[noreturn]] void fault(const std::string& sentence) {
    throw std::invalid_argument("not a tree: " + sentence);
}

std::string at_node(std::size_t node) {
    return " at node " + std::to_string(node);
}

/// The lengths fit already.
void check_class_weights(const ClassWeights& kept, std::size_t n_classes) {
    const auto n_entries = static_cast<std::int64_t>(kept.label.size());
    if (kept.start.front() != 0 || kept.start.back() != n_entries) fault("class_start does not span the class weights");
    for (std::size_t node = 0; node < kept.n_nodes(); ++node) {
        const std::int32_t begin = kept.start[node], end = kept.start[node + 1];
        if (begin < 0 || end < begin || end > n_entries) fault("class_start is not ascending" + at_node(node));
        std::size_t least = 0;
        kept.for_each(node, [&](std::size_t label, double weight) {
            if (label < least || label >= n_classes) fault("the classes are not ascending" + at_node(node));
            least = label + 1;
            if (!std::isfinite(weight) || weight <= 0) fault("a class weight is not a number > 0" + at_node(node));
        });
    }
}

}  // namespace

Tree::Tree(TreeArrays arrays, std::vector<std::uint32_t> n_categories)
    : arrays_(std::move(arrays)), n_categories_(std::move(n_categories)) {
    const TreeArrays& a = arrays_;
    const std::size_t n = a.feature.size();
    if (n == 0) fault("it has no nodes");
    if (n > 0x7fffffff) fault("it has more than 2**31 - 1 nodes");
    if (a.n_classes == 0) fault("it has no classes");
    if (a.threshold.size() != n || a.label.size() != n || a.weight.size() != n || a.gain.size() != n ||
        a.branch_start.size() != n + 1 || a.class_weights.start.size() != n + 1 ||
        a.class_weights.label.size() != a.class_weights.weight.size())
        fault("its arrays have different lengths");
    if (a.branch_start[0] != 0 || a.branch_start[n] != static_cast<std::int64_t>(a.branches.size()))
        fault("branch_start does not span the branches");
    check_class_weights(a.class_weights, a.n_classes);

    parents_.assign(n, -1);
    std::vector<std::int32_t>& parent = parents_;
    for (std::size_t node = 0; node < n; ++node) {
        const std::int64_t begin = a.branch_start[node], end = a.branch_start[node + 1];
        if (begin < 0 || end < begin || end > static_cast<std::int64_t>(a.branches.size()))
            fault("branch_start is not ascending" + at_node(node));
        const auto n_branches = static_cast<std::size_t>(end - begin);
        if (a.label[node] < 0 || static_cast<std::size_t>(a.label[node]) >= a.n_classes)
            fault("label " + std::to_string(a.label[node]) + " is out of range" + at_node(node));
        if (!std::isfinite(a.weight[node]) || a.weight[node] < 0)
            fault("the weight is not a number >= 0" + at_node(node));
        if (a.feature[node] < 0) {
            if (n_branches != 0) fault("a leaf has branches" + at_node(node));
            continue;
        }
        const auto feature = static_cast<std::size_t>(a.feature[node]);
        if (feature >= n_categories_.size())
            fault("feature " + std::to_string(feature) + " does not exist" + at_node(node));
        const bool nominal = n_categories_[feature] > 0;
        if (n_branches != (nominal ? n_categories_[feature] : 2))
            fault("the number of branches does not fit the feature" + at_node(node));
        if (!nominal && !std::isfinite(a.threshold[node])) fault("the threshold is not finite" + at_node(node));
        double weight_below = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int32_t child = a.branches[static_cast<std::size_t>(i)];
            if (child <= static_cast<std::int32_t>(node) || static_cast<std::size_t>(child) >= n)
                fault("a branch leads to node " + std::to_string(child) + at_node(node));
            const auto c = static_cast<std::size_t>(child);
            if (parent[c] == static_cast<std::int32_t>(node)) {
                if (!nominal || a.weight[c] > 0 || a.feature[c] >= 0)
                    fault("two branches share a child that is not an empty leaf" + at_node(node));
            } else if (parent[c] >= 0) {
                fault("node " + std::to_string(child) + " has two parents");
            }
            parent[c] = static_cast<std::int32_t>(node);
            weight_below += a.weight[c];
        }
        if (!(weight_below > 0)) fault("no branch holds any weight" + at_node(node));
        if (!std::isfinite(weight_below)) fault("the weights of the branches have no finite sum" + at_node(node));
    }
    std::vector<std::int32_t> depths(n, 0);
    for (std::size_t node = 1; node < n; ++node) {
        if (parent[node] < 0) fault("node " + std::to_string(node) + " has no parent");
        depths[node] = depths[static_cast<std::size_t>(parent[node])] + 1;
        depth_ = std::max(depth_, depths[node]);
    }
}

}  // namespace palmette
