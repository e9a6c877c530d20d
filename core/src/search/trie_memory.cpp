// What a trie gives back: parts that a memory limit wants, and all that a search will not come to again.

#include <cstring>
#include <utility>
#include <vector>

#include "fetch_early.hpp"
#include "trie.hpp"

namespace palmette {

template <std::size_t Words>
std::size_t Trie<Words>::content_bytes(const Node& node, const Content& content) const noexcept {
    return sizeof(Content) + (std::size_t{content.n_building_runs} + content.n_search_runs) * sizeof(Run) +
           (node.n_building - content.n_ones) * sizeof(Weight) +
           (std::size_t{node.n_building} + node.n_whole) * row_width_;
}

template <std::size_t Words>
void Trie<Words>::release_contents(Node& node) {
    if (node.n_ranked > 0)
        pool_.release(reinterpret_cast<std::byte*>(&node.memo()), Node::ranking_bytes(node.n_ranked));
    if (node.content != nullptr)
        pool_.release(reinterpret_cast<std::byte*>(node.content), content_bytes(node, *node.content));
    node.ranking = nullptr;
    node.content = nullptr;
    node.n_ranked = 0;
    node.expanded = node.is_leaf;
}

/// Frees a split and all below it, without recursion: a trie may be as deep as it has samples.
template <std::size_t Words>
void Trie<Words>::release_split(Ranked& ranked) {
    std::vector<Split*> splits{std::exchange(ranked.split, nullptr)};
    while (!splits.empty()) {
        Split* split = splits.back();
        splits.pop_back();
        split->for_each_child_from_right([&](Node& child) {
            for (std::uint32_t i = 0; i < child.n_ranked; ++i)
                if (Split* below = child.ranking[i].split) {
                    fetch_early(below);
                    splits.push_back(below);
                }
            if (child.shares != nullptr) {
                pool_.release(child.shares->parts, child.n_parts);
                pool_.release(child.shares->votes, n_classes_);
                pool_.release(child.shares, 1);
            }
            release_contents(child);
        });
        pool_.release(split->side_children, split->n_side_children);
        pool_.release(reinterpret_cast<std::byte*>(split), Split::nbytes(split->n_children));
    }
}

template <std::size_t Words>
void Trie<Words>::evict(std::size_t memory_limit) {
    std::vector<Node*> kept;
    for (Node& root : roots_) kept.push_back(&root);
    while (!kept.empty()) {
        Node& node = *kept.back();
        kept.pop_back();
        for (std::uint32_t i = 0; i < node.n_ranked; ++i) {
            Ranked& ranked = node.ranking[i];
            if (ranked.split == nullptr) continue;
            bool is_marked = false;
            ranked.split->for_each_child_from_right([&](Node& child) { is_marked |= child.mark == epoch_; });
            if (!is_marked)
                release_split(ranked);
            else
                ranked.split->for_each_child_from_right([&](Node& child) { kept.push_back(&child); });
        }
        if (node.mark == epoch_ || node.parent == nullptr || !node.expanded || node.is_leaf) continue;
        // No search needs it, but a sibling keeps it in place.
        release_contents(node);
    }
    if (pool_.bytes_held() > memory_limit) pool_.coalesce();
}

/// Calls at_node(node) for the nodes that subsets of the sublattices come to, each before those below it, and
/// at_split(node, ranked, is_reached) for the splits there; it says in which split to go on, if in any. A subset comes to a split
/// if it holds its unit and none of those ranked before it.
template <std::size_t Words>
template <class AtNode, class AtSplit>
void Trie<Words>::for_each_reachable(std::span<const Sublattice<Words>> sublattices, AtNode at_node, AtSplit at_split) {
    holders_.assign(problem_.n_units(), 0);
    lackers_.assign(problem_.n_units(), 0);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < sublattices.size(); ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        all |= bit;
        sublattices[i].included.for_each([&](std::size_t unit) { holders_[unit] |= bit; });
        sublattices[i].excluded.for_each([&](std::size_t unit) { lackers_[unit] |= bit; });
    }
    visits_.clear();
    for (Node& root : roots_) visits_.push_back({&root, all});
    while (!visits_.empty()) {
        Node& node = *visits_.back().node;
        std::uint64_t comers = visits_.back().comers;
        visits_.pop_back();
        at_node(node);
        for (std::uint32_t i = 0; i < node.n_ranked; ++i) {
            Ranked& ranked = node.ranking[i];
            const std::uint64_t here = comers & ~lackers_[ranked.unit];
            comers &= ~holders_[ranked.unit];
            if (ranked.split == nullptr) continue;
            if (const Split* split = at_split(node, ranked, here != 0))
                split->for_each_child_from_right([&](Node& child) {
                    if (child.content != nullptr || child.shares != nullptr) visits_.push_back({&child, here});
                });
        }
    }
}

/// False, and nothing done, where it would not pay.
template <std::size_t Words>
bool Trie<Words>::move_reachable(std::span<const Sublattice<Words>> sublattices, std::size_t memory_limit) {
    std::size_t n_bytes = 0;
    for_each_reachable(
        sublattices,
        [&](const Node& node) {
            n_bytes += Node::ranking_bytes(node.n_ranked);
            if (node.content != nullptr) n_bytes += content_bytes(node, *node.content);
            if (node.shares == nullptr) return;
            n_bytes += sizeof(NodeShares) + node.n_parts * sizeof(Part);
            if (node.shares->votes != nullptr) n_bytes += n_classes_ * sizeof(double);
        },
        [&](const Node&, const Ranked& ranked, bool is_reached) {
            if (is_reached) n_bytes += Split::nbytes(ranked.split->n_children + ranked.split->n_side_children);
            return is_reached ? ranked.split : nullptr;
        });
    // Each piece takes some bytes more than it has.
    if (n_bytes > pool_.bytes_in_use() / 2) return false;
    if (pool_.bytes_held() + n_bytes + n_bytes / 8 > memory_limit + pool_.bytes_spare()) return false;
    pool_.begin_move();
    for_each_reachable(
        sublattices, [&](Node& node) { move_own(node); },
        [&](Node& node, Ranked& ranked, bool is_reached) {
            ranked.split = is_reached ? &move_split(*ranked.split, node) : nullptr;
            return ranked.split;
        });
    return true;
}

/// What a node holds, out of the memory that is left behind.
template <std::size_t Words>
void Trie<Words>::move_own(Node& node) {
    const auto copy = [&]<class T>(const T* from, std::size_t count) {
        T* to = pool_.allocate<T>(count);
        if (count > 0) std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
        return to;
    };
    if (node.n_ranked > 0) {
        const auto* piece = reinterpret_cast<const std::byte*>(&node.memo());
        node.ranking =
            reinterpret_cast<Ranked*>(copy(piece, Node::ranking_bytes(node.n_ranked)) + sizeof(TrieMemo<Words>));
    }
    if (node.content != nullptr) {
        const auto* piece = reinterpret_cast<const std::byte*>(node.content);
        node.content = reinterpret_cast<Content*>(copy(piece, content_bytes(node, *node.content)));
        node.content->place_arrays(node.n_building);
    }
    if (node.shares != nullptr) {
        node.shares = copy(node.shares, 1);
        if (node.shares->parts != nullptr) node.shares->parts = copy(node.shares->parts, node.n_parts);
        if (node.shares->votes != nullptr) node.shares->votes = copy(node.shares->votes, n_classes_);
    }
}

/// The same for a split and its children; where those were, each `parent` says where it lies now.
template <std::size_t Words>
TrieSplit<Words>& Trie<Words>::move_split(Split& from, Node& parent) {
    std::byte* piece = pool_.allocate<std::byte>(Split::nbytes(from.n_children));
    Split& split = *::new (piece) Split(from);
    split.children = reinterpret_cast<Node*>(piece + sizeof(Split));
    split.side_children = pool_.allocate<Node>(from.n_side_children);
    const auto move_children = [&](Node* old, Node* children, std::size_t count) {
        for (std::size_t j = 0; j < count; ++j) {
            ::new (&children[j]) Node(old[j]);
            children[j].parent = &parent;
            old[j].parent = &children[j];
        }
    };
    move_children(from.children, split.children, from.n_children);
    move_children(from.side_children, split.side_children, from.n_side_children);
    return split;
}

template std::size_t Trie<1>::content_bytes(const Node&, const Content&) const noexcept;
template void Trie<1>::evict(std::size_t);
template bool Trie<1>::move_reachable(std::span<const Sublattice<1>>, std::size_t);
template std::size_t Trie<4>::content_bytes(const Node&, const Content&) const noexcept;
template void Trie<4>::evict(std::size_t);
template bool Trie<4>::move_reachable(std::span<const Sublattice<4>>, std::size_t);
template std::size_t Trie<most_searched_units / 64>::content_bytes(const Node&, const Content&) const noexcept;
template void Trie<most_searched_units / 64>::evict(std::size_t);
template bool Trie<most_searched_units / 64>::move_reachable(std::span<const Sublattice<most_searched_units / 64>>,
                                                             std::size_t);

}  // namespace palmette
