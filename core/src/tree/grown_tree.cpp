#include "palmette/tree/grown_tree.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

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
        for (GrownNode& child : node->children()) stack.push_back(&child);
    }
}

/// Whether a branch of a flat tree needs no node of its own: the parent's empty leaf says the same.
bool is_like_empty(const GrownSplit& split, const GrownNode& child) {
    return split.kind() == FeatureKind::nominal && child.is_leaf() && child.n_classes() == 0 &&
           child.label == split.empty_label;
}

std::size_t n_slots_of(const GrownSplit& split, std::span<const std::uint32_t> n_categories) {
    return split.kind() == FeatureKind::nominal ? n_categories[split.feature] : 2;
}

/// Makes room for all that a flat tree will hold: arrays that grow by and by are copied, and touch twice the memory.
void reserve(TreeArrays& arrays, GrownNode* root, std::span<const std::uint32_t> n_categories) {
    std::size_t n_nodes = 1, n_branches = 0, n_class_weights = 0;
    for_each_node(root, [&](const GrownNode& node) {
        n_class_weights += node.n_classes();
        if (node.is_leaf()) return;
        const GrownSplit& split = *node.split();
        const auto n_claimed = static_cast<std::size_t>(std::ranges::count_if(
            split.children(), [&](const GrownNode& child) { return !is_like_empty(split, child); }));
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

/// Fills in the classes of the nodes that are sums, whose places were left empty: children come after their parents.
void add_up_classes(TreeArrays& arrays) {
    ClassWeights& kept = arrays.class_weights;
    std::vector<double> by_class(arrays.n_classes, 0.0);
    for (std::size_t node = arrays.feature.size(); node-- > 0;) {
        const auto begin = static_cast<std::size_t>(kept.start[node]),
                   end = static_cast<std::size_t>(kept.start[node + 1]);
        if (begin == end || kept.weight[begin] > 0) continue;
        const auto first = static_cast<std::size_t>(arrays.branch_start[node]);
        const auto last = static_cast<std::size_t>(arrays.branch_start[node + 1]);
        // The empty leaf that several branches may share adds nothing.
        for (std::size_t i = first; i < last; ++i)
            kept.for_each(static_cast<std::size_t>(arrays.branches[i]),
                          [&](std::size_t k, double weight) { by_class[k] += weight; });
        for (std::size_t k = 0, place = begin; place < end; ++k)
            if (const double weight = std::exchange(by_class[k], 0.0); weight > 0) {
                kept.label[place] = static_cast<Label>(k);
                kept.weight[place++] = weight;
            }
    }
}

}  // namespace

GrownSplit& GrownSplit::make(std::uint32_t feature, FeatureKind kind, std::size_t n_children, Arena& arena) {
    static_assert(sizeof(GrownSplit) % alignof(GrownNode) == 0 && sizeof(GrownNode) % alignof(std::uint32_t) == 0);
    const std::size_t code_bytes = kind == FeatureKind::nominal ? sizeof(std::uint32_t) : 0;
    void* room = arena.room(sizeof(GrownSplit) + n_children * (sizeof(GrownNode) + code_bytes), alignof(GrownSplit));
    auto& split = *new (room) GrownSplit;
    split.feature = feature;
    split.kind_ = kind;
    split.n_children_ = static_cast<std::uint32_t>(n_children);
    std::uninitialized_value_construct_n(reinterpret_cast<GrownNode*>(&split + 1), n_children);
    return split;
}

GrownSplit& GrownSplit::of_gap(std::uint32_t feature, std::uint32_t lower, std::uint32_t upper, Arena& arena) {
    GrownSplit& split = make(feature, FeatureKind::continuous, 2, arena);
    split.place_.gap[0] = lower;
    split.place_.gap[1] = upper;
    return split;
}

GrownSplit& GrownSplit::of_codes(std::uint32_t feature, std::span<const std::uint32_t> codes, Arena& arena) {
    GrownSplit& split = make(feature, FeatureKind::nominal, codes.size(), arena);
    std::uninitialized_copy_n(codes.data(), codes.size(),
                              reinterpret_cast<std::uint32_t*>(split.children().data() + codes.size()));
    return split;
}

std::span<GrownNode> GrownSplit::children() noexcept {
    return {std::launder(reinterpret_cast<GrownNode*>(this + 1)), n_children_};
}

std::span<const GrownNode> GrownSplit::children() const noexcept {
    return {std::launder(reinterpret_cast<const GrownNode*>(this + 1)), n_children_};
}

std::span<const std::uint32_t> GrownSplit::codes() const noexcept {
    if (kind_ == FeatureKind::continuous) return {};
    return {std::launder(reinterpret_cast<const std::uint32_t*>(children().data() + n_children_)), n_children_};
}

void GrownSplit::resolve(std::span<const double> values, ThresholdRule rule) {
    if (kind_ == FeatureKind::nominal || resolved_) return;
    const std::uint32_t lower = place_.gap[0], upper = place_.gap[1];
    const double middle = midpoint(values[lower - 1], values[upper - 1]);
    // Samples elsewhere in the tree may have values between the two.
    const auto between = values.subspan(lower, upper - 1 - lower);
    const auto above = std::ranges::upper_bound(between, middle);
    cut = lower + static_cast<std::uint32_t>(above - between.begin());
    place_.threshold = rule == ThresholdRule::midpoint ? middle : values[cut - 1];
    resolved_ = true;
}

std::size_t GrownSplit::branch_of(std::uint32_t code) const noexcept {
    if (kind_ == FeatureKind::continuous) return code > cut ? 1 : 0;
    const auto all = codes();
    const auto found = std::ranges::lower_bound(all, code);
    return found != all.end() && *found == code ? static_cast<std::size_t>(found - all.begin()) : n_children_;
}

void GrownNode::describe(std::span<const Weight> by_class, Arena& arena) {
    describe_as_sum(by_class);
    if (n_classes_ < 2) return;
    is_listed_ = true;
    ClassWeight* next = contents().classes = arena.make<ClassWeight>(n_classes_);
    for (std::size_t k = 0; k < by_class.size(); ++k)
        if (by_class[k] > 0) *next++ = {by_class[k], static_cast<Label>(k)};
}

void GrownNode::describe_as_sum(std::span<const Weight> by_class) {
    is_listed_ = false;
    Weight sum = 0, most = 0;
    std::size_t heaviest = label, n_present = 0;
    for (std::size_t k = 0; k < by_class.size(); ++k) {
        const Weight of_class = by_class[k];
        sum += of_class;
        n_present += of_class > 0;
        heaviest = of_class > most ? k : heaviest;
        most = std::max(most, of_class);
    }
    contents().weight = sum;
    n_classes_ = static_cast<Label>(n_present);
    label = static_cast<Label>(heaviest);
}

std::size_t GrownTree::nbytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& arena : arenas_) bytes += arena->nbytes();
    return bytes;
}

std::vector<std::uint32_t> GrownTree::used_features() const {
    std::vector<bool> is_used;
    for_each_node(root, [&](const GrownNode& node) {
        if (node.is_leaf()) return;
        const std::uint32_t feature = node.split()->feature;
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
        if (!node.is_leaf() && node.split()->feature == feature) node.split()->resolve(values, rule);
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
            const std::size_t place = place_of[node.split()->feature];
            if (place != absent) splits[place].push_back(node.split());
        });
    pool.run(features.size(), [&](std::size_t, std::size_t i) {
        if (splits[i].empty()) return;
        const auto values = decode_values(dataset.column(features[i]), columns[i], dataset.weights());
        for (GrownSplit* split : splits[i]) split->resolve(values, rule);
    });
}

Tree GrownTree::flatten(const DatasetOutline& outline) const {
    const WeightScale& scale = outline.scale;
    TreeArrays arrays;
    arrays.n_classes = outline.n_classes;
    reserve(arrays, root, outline.n_categories);

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
        const GrownSplit* split = node == nullptr ? nullptr : node->split();
        arrays.feature.push_back(split == nullptr ? -1 : static_cast<std::int32_t>(split->feature));
        arrays.threshold.push_back(split == nullptr ? std::numeric_limits<double>::quiet_NaN() : split->threshold());
        arrays.branch_start.push_back(static_cast<std::int64_t>(arrays.branches.size()));
        arrays.label.push_back(node == nullptr ? item.parent->empty_label : node->label);
        arrays.weight.push_back(node == nullptr ? 0.0 : scale.to_double(node->weight()));
        arrays.gain.push_back(split == nullptr ? 0.0 : scale.to_double(split->gain));
        if (node != nullptr && node->is_sum())
            arrays.class_weights.leave_room(node->n_classes());
        else if (node != nullptr)
            node->for_each_class([&](Label k, Weight weight) { arrays.class_weights.add(k, scale.to_double(weight)); });
        arrays.class_weights.end_node();
        if (split == nullptr) continue;

        const std::size_t first = arrays.branches.size();
        const std::size_t n_slots = n_slots_of(*split, outline.n_categories);
        arrays.branches.resize(first + n_slots, unclaimed);
        const std::size_t place_of_empty = stack.size();
        stack.push_back({nullptr, split, first, n_slots});
        const auto children = split->children();
        std::size_t n_claimed = 0;
        for (std::size_t j = children.size(); j-- > 0;) {
            if (is_like_empty(*split, children[j])) continue;
            const std::size_t slot = first + (split->kind() == FeatureKind::nominal ? split->codes()[j] - 1 : j);
            arrays.branches[slot] = claimed;
            ++n_claimed;
            stack.push_back({&children[j], split, slot, 1});
        }
        if (n_claimed == n_slots) stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(place_of_empty));
    }
    arrays.branch_start.push_back(static_cast<std::int64_t>(arrays.branches.size()));
    add_up_classes(arrays);
    return Tree(std::move(arrays), outline.n_categories);
}

}  // namespace palmette
