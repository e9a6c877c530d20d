#include "palmette/tree/grown_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// `values` are the distinct values of the feature.
void resolve(GrownSplit& split, std::span<const double> values, ThresholdRule rule) {
    const double middle = midpoint(values[split.lower - 1], values[split.upper - 1]);
    // Samples elsewhere in the tree may have values between the two.
    const auto between = values.subspan(split.lower, split.upper - 1 - split.lower);
    const auto above = std::ranges::upper_bound(between, middle);
    split.cut = split.lower + static_cast<std::uint32_t>(above - between.begin());
    split.threshold = rule == ThresholdRule::midpoint ? middle : values[split.cut - 1];
}

/// Whether a branch of a flat tree needs no node of its own: the parent's empty leaf says the same.
bool is_like_empty(const GrownSplit& split, const GrownNode& child) {
    return split.kind == FeatureKind::nominal && child.is_leaf() && child.weight == 0 &&
           child.label == split.empty_label;
}

std::size_t n_slots_of(const GrownSplit& split, std::span<const std::uint32_t> n_categories) {
    return split.kind == FeatureKind::nominal ? n_categories[split.feature] : 2;
}

/// Makes room for all that a flat tree will hold: arrays that grow by and by are copied, and touch twice the memory.
void reserve(TreeArrays& arrays, GrownNode* root, std::span<const std::uint32_t> n_categories) {
    std::size_t n_nodes = 1, n_branches = 0, n_class_weights = 0;
    for_each_node(root, [&](const GrownNode& node) {
        node.for_each_class([&](Label, Weight) { ++n_class_weights; });
        if (node.is_leaf()) return;
        const GrownSplit& split = *node.split;
        const auto n_claimed = static_cast<std::size_t>(std::ranges::count_if(
            split.children(), [&](const GrownSplit::Branch& branch) { return !is_like_empty(split, *branch.child); }));
        const std::size_t n_slots = n_slots_of(split, n_categories);
        n_nodes += n_claimed + (n_claimed < n_slots);
        n_branches += n_slots;
    });
    arrays.feature.reserve(n_nodes);
    arrays.threshold.reserve(n_nodes);
    arrays.branch_start.reserve(n_nodes + 1);
    arrays.branches.reserve(n_branches);
    arrays.label.reserve(n_nodes);
    arrays.weight.reserve(n_nodes);
    arrays.class_weights.start.reserve(n_nodes + 1);
    arrays.class_weights.label.reserve(n_class_weights);
    arrays.class_weights.weight.reserve(n_class_weights);
    arrays.gain.reserve(n_nodes);
}

}  // namespace

void GrownNode::describe(std::span<const Weight> by_class, Arena& arena) {
    weight = std::accumulate(by_class.begin(), by_class.end(), Weight{0});
    n_classes = static_cast<Label>(std::ranges::count_if(by_class, [](Weight of_class) { return of_class > 0; }));
    if (weight > 0) label = static_cast<Label>(std::ranges::max_element(by_class) - by_class.begin());
    if (n_classes == 1) n_classes = 0;
    classes = nullptr;
    if (n_classes == 0) return;
    classes = arena.make<ClassWeight>(n_classes);
    ClassWeight* next = classes;
    for (std::size_t k = 0; k < by_class.size(); ++k)
        if (by_class[k] > 0) *next++ = {by_class[k], static_cast<Label>(k)};
}

std::vector<std::uint32_t> GrownTree::used_features() const {
    std::vector<bool> is_used;
    for_each_node(root, [&](const GrownNode& node) {
        if (node.is_leaf()) return;
        const std::uint32_t feature = node.split->feature;
        if (feature >= is_used.size()) is_used.resize(std::size_t{feature} + 1, false);
        is_used[feature] = true;
    });
    std::vector<std::uint32_t> used;
    for (std::uint32_t feature = 0; feature < is_used.size(); ++feature)
        if (is_used[feature]) used.push_back(feature);
    return used;
}

void GrownTree::resolve_thresholds(std::uint32_t feature, std::span<const double> values, ThresholdRule rule) {
    for_each_node(root, [&](GrownNode& node) {
        if (!node.is_leaf() && node.split->feature == feature) resolve(*node.split, values, rule);
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
    std::vector<std::vector<GrownSplit*>> splits(features.size());
    for (const GrownTree& tree : trees)
        for_each_node(tree.root, [&](GrownNode& node) {
            if (node.is_leaf()) return;
            const std::size_t place = place_of[node.split->feature];
            if (place != absent) splits[place].push_back(node.split);
        });
    pool.run(features.size(), [&](std::size_t, std::size_t i) {
        if (splits[i].empty()) return;
        const auto values = decode_values(dataset.column(features[i]), columns[i], dataset.weights());
        for (GrownSplit* split : splits[i]) resolve(*split, values, rule);
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
        const GrownSplit* parent;
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
        const GrownSplit* split = node == nullptr ? nullptr : node->split;
        const bool nominal = split != nullptr && split->kind == FeatureKind::nominal;
        arrays.feature.push_back(split == nullptr ? -1 : static_cast<std::int32_t>(split->feature));
        arrays.threshold.push_back(split == nullptr || nominal ? std::numeric_limits<double>::quiet_NaN()
                                                               : split->threshold);
        arrays.branch_start.push_back(static_cast<std::int64_t>(arrays.branches.size()));
        arrays.label.push_back(node == nullptr ? item.parent->empty_label : node->label);
        arrays.weight.push_back(node == nullptr ? 0.0 : scale.to_double(node->weight));
        arrays.gain.push_back(split == nullptr ? 0.0 : scale.to_double(split->gain));
        if (node != nullptr)
            node->for_each_class([&](Label k, Weight weight) { arrays.class_weights.add(k, scale.to_double(weight)); });
        arrays.class_weights.end_node();
        if (split == nullptr) continue;

        const std::size_t first = arrays.branches.size();
        const std::size_t n_slots = n_slots_of(*split, n_categories);
        arrays.branches.resize(first + n_slots, unclaimed);
        const std::size_t place_of_empty = stack.size();
        stack.push_back({nullptr, split, first, n_slots});
        const auto children = split->children();
        std::size_t n_claimed = 0;
        for (std::size_t j = children.size(); j-- > 0;) {
            const GrownNode* child = children[j].child;
            if (is_like_empty(*split, *child)) continue;
            const std::size_t slot = first + (nominal ? children[j].code - 1 : children[j].code);
            arrays.branches[slot] = claimed;
            ++n_claimed;
            stack.push_back({child, split, slot, 1});
        }
        if (n_claimed == n_slots) stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(place_of_empty));
    }
    arrays.branch_start.push_back(static_cast<std::int64_t>(arrays.branches.size()));
    return Tree(std::move(arrays), std::move(n_categories));
}

}  // namespace palmette
