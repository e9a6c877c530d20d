#include "palmette/search/paper_order.hpp"

#include <algorithm>

namespace palmette::paper {

template <std::size_t Words>
void RemovalOrder<Words>::operator()(const PaperTree<Words>& tree, const FeatureSet<Words>& decided,
                                     const FeatureSet<Words>& removable, std::vector<std::uint32_t>& out) {
    out.clear();
    if (order_ == PaperOrder::frontier_2019 || order_ == PaperOrder::reversed) {
        by_frontier(tree, decided, removable, out);
        return;
    }
    removable.for_each([&](std::size_t unit) { out.push_back(static_cast<std::uint32_t>(unit)); });
    if (order_ == PaperOrder::cases_2017) by_cases(tree, out);
}

/// Notes the first node on each path through entries begin..end-1 whose unit is not decided. In preorder, to step to
/// the next entry is to go down, and to step over the subtree is not to.
template <std::size_t Words>
void RemovalOrder<Words>::find_frontier(const PaperTree<Words>& tree, std::size_t begin, std::size_t end,
                                        const FeatureSet<Words>& decided) {
    const auto entries = tree.entries();
    for (std::size_t i = begin; i < end;) {
        const Entry<Words>& entry = entries[i];
        const auto unit = static_cast<std::size_t>(entry.unit);
        if (entry.is_leaf() || decided.contains(unit)) {
            ++i;
            continue;
        }
        below_[unit] |= entry.used;
        frontier_[unit].push_back(i);
        i += entry.size;
    }
}

/// From the last position to the first: the unit whose frontier subtrees use the most units that are not yet ranked.
/// Ties go to the lowest index (Example 4).
template <std::size_t Words>
void RemovalOrder<Words>::by_frontier(const PaperTree<Words>& tree, FeatureSet<Words> decided,
                                      FeatureSet<Words> removable, std::vector<std::uint32_t>& out) {
    find_frontier(tree, 0, tree.entries().size(), decided);
    while (!removable.empty()) {
        std::size_t best = 0, most = 0;
        bool found = false;
        removable.for_each([&](std::size_t unit) {
            const std::size_t n_below = frontier_[unit].empty() ? 0 : (below_[unit] - decided).size();
            if (found && n_below <= most) return;
            found = true;
            best = unit;
            most = n_below;
        });
        out.push_back(static_cast<std::uint32_t>(best));
        removable.erase(best);
        decided.insert(best);
        for (const std::size_t node : frontier_[best])
            find_frontier(tree, node + 1, node + tree.entries()[node].size, decided);
        frontier_[best].clear();
        below_[best] = {};
    }
    if (order_ == PaperOrder::frontier_2019) std::ranges::reverse(out);
}

/// Ascending sum of the samples at the nodes that split on the unit.
template <std::size_t Words>
void RemovalOrder<Words>::by_cases(const PaperTree<Words>& tree, std::vector<std::uint32_t>& out) {
    std::ranges::fill(cases_, 0);
    for (const Entry<Words>& entry : tree.entries())
        if (!entry.is_leaf()) cases_[static_cast<std::size_t>(entry.unit)] += entry.node->weight;
    std::ranges::stable_sort(out, {}, [&](std::uint32_t unit) { return cases_[unit]; });
}

template class RemovalOrder<1>;
template class RemovalOrder<4>;
template class RemovalOrder<most_searched_units / 64>;

}  // namespace palmette::paper
