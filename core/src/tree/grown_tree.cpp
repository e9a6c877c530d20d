#include "palmette/tree/grown_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "palmette/tree/midpoint.hpp"

namespace palmette {
namespace {

/// Visits every node, parents first, without recursion: a degenerate tree may be as deep as it has samples.
template <class Visit>
void for_each_node(GrownNode* root, Visit visit) {
    std::vector<GrownNode*> stack{root};
    while (!stack.empty()) {
        GrownNode* node = stack.back();
        stack.pop_back();
        visit(*node);
        for (const auto& branch : node->children()) stack.push_back(branch.child);
    }
}

/// `values` are the distinct values of the node's feature.
void resolve(GrownNode& node, std::span<const double> values, ThresholdRule rule) {
    const double middle = midpoint(values[node.lower - 1], values[node.upper - 1]);
    // Samples elsewhere in the tree may have values between the two.
    const auto between = values.subspan(node.lower, node.upper - 1 - node.lower);
    const auto above = std::ranges::upper_bound(between, middle);
    node.cut = node.lower + static_cast<std::uint32_t>(above - between.begin());
    node.threshold = rule == ThresholdRule::midpoint ? middle : values[node.cut - 1];
}

/// Whether a branch of a flat tree needs no node of its own: the parent's empty leaf says the same.
bool is_like_empty(const GrownNode& node, const GrownNode& child) {
    return node.kind == FeatureKind::nominal && child.is_leaf() && child.weight == 0 && child.label == node.empty_label;
}

std::size_t n_slots_of(const GrownNode& node, std::span<const std::uint32_t> n_categories) {
    return node.kind == FeatureKind::nominal ? n_categories[static_cast<std::size_t>(node.feature)] : 2;
}

/// Makes room for all that a flat tree will hold: arrays that grow by and by are copied, and touch twice the memory.
void reserve(TreeArrays& arrays, GrownNode* root, std::span<const std::uint32_t> n_categories) {
    std::size_t n_nodes = 1, n_branches = 0;
    for_each_node(root, [&](const GrownNode& node) {
        if (node.is_leaf()) return;
        const auto n_claimed = static_cast<std::size_t>(std::ranges::count_if(
            node.children(), [&](const GrownNode::Branch& branch) { return !is_like_empty(node, *branch.child); }));
        const std::size_t n_slots = n_slots_of(node, n_categories);
        n_nodes += n_claimed + (n_claimed < n_slots);
        n_branches += n_slots;
    });
    arrays.feature.reserve(n_nodes);
    arrays.threshold.reserve(n_nodes);
    arrays.branch_start.reserve(n_nodes + 1);
    arrays.branches.reserve(n_branches);
    arrays.label.reserve(n_nodes);
    arrays.weight.reserve(n_nodes);
    arrays.class_weights.reserve(n_nodes * arrays.n_classes);
    arrays.gain.reserve(n_nodes);
}

}  // namespace

std::vector<std::uint32_t> GrownTree::used_features() const {
    std::vector<bool> is_used;
    for_each_node(root, [&](const GrownNode& node) {
        if (node.is_leaf()) return;
        const auto feature = static_cast<std::size_t>(node.feature);
        if (feature >= is_used.size()) is_used.resize(feature + 1, false);
        is_used[feature] = true;
    });
    std::vector<std::uint32_t> used;
    for (std::uint32_t feature = 0; feature < is_used.size(); ++feature)
        if (is_used[feature]) used.push_back(feature);
    return used;
}

void GrownTree::resolve_thresholds(std::uint32_t feature, std::span<const double> values, ThresholdRule rule) {
    for_each_node(root, [&](GrownNode& node) {
        if (node.feature == static_cast<std::int32_t>(feature)) resolve(node, values, rule);
    });
}

void resolve_thresholds(std::span<GrownTree> trees, const Dataset& dataset, std::span<const std::uint32_t> features,
                        std::span<const ValueView> columns, ThresholdRule rule, WorkerPool& pool) {
    if (features.size() != columns.size())
        throw std::invalid_argument("values were given for " + std::to_string(columns.size()) + " of " +
                                    std::to_string(features.size()) + " features");
    constexpr std::size_t absent = ~std::size_t{0};
    std::vector<std::size_t> place_of(dataset.n_features(), absent);
    for (std::size_t i = 0; i < features.size(); ++i) place_of.at(features[i]) = i;
    // One walk over the trees for all features: a walk for each took as long as reading the values.
    std::vector<std::vector<GrownNode*>> nodes(features.size());
    for (const GrownTree& tree : trees)
        for_each_node(tree.root, [&](GrownNode& node) {
            if (node.is_leaf()) return;
            const std::size_t place = place_of[static_cast<std::size_t>(node.feature)];
            if (place != absent) nodes[place].push_back(&node);
        });
    pool.run(features.size(), [&](std::size_t, std::size_t i) {
        if (nodes[i].empty()) return;
        const auto values = decode_values(dataset.column(features[i]), columns[i], dataset.weights());
        for (GrownNode* node : nodes[i]) resolve(*node, values, rule);
    });
}

Tree GrownTree::flatten(const Dataset& dataset) const {
    const WeightScale& scale = dataset.scale();
    TreeArrays arrays;
    arrays.n_classes = dataset.n_classes();
    std::vector<std::uint32_t> n_categories;
    for (std::size_t f = 0; f < dataset.n_features(); ++f)
        n_categories.push_back(dataset.column(f).kind == FeatureKind::nominal ? dataset.column(f).n_values : 0);
    reserve(arrays, root, n_categories);

    constexpr std::size_t nowhere = ~std::size_t{0};
    struct Item {
        const GrownNode* node;  // null: the empty leaf of the parent's unseen categories
        const GrownNode* parent;
        std::size_t first_slot, n_slots;  // where the parent's branches name this node
    };
    constexpr std::int32_t unclaimed = -1,
                           claimed = 0;  // entries that wait for the empty leaf, or for their own child
    std::vector<Item> stack{{root, nullptr, nowhere, 0}};
    while (!stack.empty()) {
        const Item item = stack.back();
        stack.pop_back();
        const auto number = static_cast<std::int32_t>(arrays.feature.size());
        if (item.node != nullptr && item.first_slot != nowhere) arrays.branches[item.first_slot] = number;
        if (item.node == nullptr)
            for (std::size_t slot = item.first_slot; slot < item.first_slot + item.n_slots; ++slot)
                if (arrays.branches[slot] == unclaimed) arrays.branches[slot] = number;

        const GrownNode* node = item.node;
        const bool leaf = node == nullptr || node->is_leaf();
        const bool nominal = !leaf && node->kind == FeatureKind::nominal;
        arrays.feature.push_back(leaf ? -1 : node->feature);
        arrays.threshold.push_back(leaf || nominal ? std::numeric_limits<double>::quiet_NaN() : node->threshold);
        arrays.branch_start.push_back(static_cast<std::int64_t>(arrays.branches.size()));
        arrays.label.push_back(node == nullptr ? item.parent->empty_label : node->label);
        arrays.weight.push_back(node == nullptr ? 0.0 : scale.to_double(node->weight));
        arrays.gain.push_back(leaf ? 0.0 : scale.to_double(node->gain));
        const std::size_t weights_so_far = arrays.class_weights.size();
        arrays.class_weights.resize(weights_so_far + arrays.n_classes, 0.0);
        if (node != nullptr)
            for (std::size_t k = 0; k < arrays.n_classes; ++k)
                arrays.class_weights[weights_so_far + k] = scale.to_double(node->class_weights[k]);
        if (leaf) continue;

        const std::size_t first = arrays.branches.size();
        const std::size_t n_slots = n_slots_of(*node, n_categories);
        arrays.branches.resize(first + n_slots, unclaimed);
        const std::size_t place_of_empty = stack.size();
        stack.push_back({nullptr, node, first, n_slots});
        const auto children = node->children();
        std::size_t n_claimed = 0;
        for (std::size_t j = children.size(); j-- > 0;) {
            const GrownNode* child = children[j].child;
            if (is_like_empty(*node, *child)) continue;
            const std::size_t slot = first + (nominal ? children[j].code - 1 : children[j].code);
            arrays.branches[slot] = claimed;
            ++n_claimed;
            stack.push_back({child, node, slot, 1});
        }
        if (n_claimed == n_slots) stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(place_of_empty));
    }
    arrays.branch_start.push_back(static_cast<std::int64_t>(arrays.branches.size()));
    return Tree(std::move(arrays), std::move(n_categories));
}

}  // namespace palmette
