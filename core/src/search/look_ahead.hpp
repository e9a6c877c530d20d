// LookAhead: lower bounds on the errors below a node, over all subsets of a sublattice (bound B2).
//
// For a subset of the sublattice the split is the first feature of the node's *window* that it holds: the ranked
// features that are not excluded, down to and including the first included one; if none is included, the node may also
// be a leaf. Choosing the i-th feature of the window excludes the earlier ones. Children are bounded on their own, and
// the minimum of a sum is at least the sum of the minima: by induction on the depth, the least total over the window
// is a lower bound. Parts of split samples count nothing here; the Ledger has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fetch_early.hpp"
#include "goal.hpp"
#include "trie.hpp"

namespace palmette {

template <std::size_t Words>
class LookAhead {
  public:
    using Set = FeatureSet<Words>;
    using Node = typename Trie<Words>::Node;

    explicit LookAhead(Trie<Words>& trie) : trie_(trie) {}

    /// Beyond this many bytes of the trie no node is expanded for a bound.
    void set_memory_limit(std::size_t bytes) noexcept { memory_limit_ = bytes; }

    /// A bound on the errors below `node` from its ranked feature `rank` on. It is not below `floor`, which must be a
    /// bound already; the look-ahead ends as soon as it reaches `enough`.
    ErrorWeight operator()(Node& node, std::uint32_t rank, const Set& included, const Set& excluded, int depth,
                           ErrorWeight floor, ErrorWeight enough) {
        work_limit_ = trie_.work() + most_work;
        Set touched;
        return look(node, rank, included, excluded, depth, floor, enough, touched);
    }

    /// The best bound that is known without looking.
    [[nodiscard]] ErrorWeight known(const Node& node, const Set& included, const Set& excluded) const noexcept {
        if (node.n_ranked == 0) return node.base_bound;
        const TrieMemo<Words>& memo = node.memo();
        const bool applies = memo.included.is_subset_of(included) && memo.excluded.is_subset_of(excluded);
        return applies ? std::max(node.base_bound, memo.bound) : node.base_bound;
    }

  private:
    // Sample × feature evaluations of one call. Returning what is known is sound at any time, and without a cap a
    // single call may go on for as long as a whole search.
    static constexpr std::uint64_t most_work = std::uint64_t{1} << 24;

    struct Choice {
        std::uint32_t rank;
        ErrorWeight bound;
    };

    ErrorWeight look(Node& node, std::uint32_t rank, const Set& included, const Set& excluded, int depth,
                     ErrorWeight floor, ErrorWeight enough, Set& touched) {
        floor = std::max(floor, node.base_bound);
        if (!node.expanded) {
            // Nothing is gained where a leaf does as well: only a split that does worse could raise the bound.
            if (node.leaf_error <= floor) return floor;
            // Twins cost a fraction of an expansion, and often make it needless.
            touched |= trie_.alive_at(node) - included - excluded;
            floor = std::max(floor, trie_.twin_errors(node, excluded));
            if (floor >= node.leaf_error || floor >= enough) return floor;
            const bool shut = depth <= 0 || trie_.work() > work_limit_ || trie_.bytes_in_use() > memory_limit_;
            if (shut || !trie_.expand(node)) return floor;
            floor = std::max(floor, node.base_bound);  // which an expansion may raise
        }
        if (node.is_leaf) return floor;
        TrieMemo<Words>& memo = node.memo();
        if (memo.included.is_subset_of(included) && memo.excluded.is_subset_of(excluded)) {
            // M1: a bound for more subsets is a bound for fewer.
            floor = std::max(floor, memo.bound);
            // M2: and it is the answer if nothing that it depends on has been decided since.
            const bool same = memo.depth >= depth &&
                              !((included - memo.included) | (excluded - memo.excluded)).intersects(memo.touched);
            if (floor >= enough || same) {
                touched |= memo.touched;
                return floor;
            }
        }

        Set here;
        const ErrorWeight best =
            std::max(floor, depth <= 0 ? least_of_window(node, rank, included, excluded, floor, here)
                                       : least_below(node, rank, included, excluded, depth, floor, enough, here));
        touched |= here;
        if (depth > 0) memo = {included, excluded, here, best, depth};
        return best;
    }

    /// The least bound of the splits in the window; stops where it reaches `floor`.
    ErrorWeight least_of_window(Node& node, std::uint32_t rank, const Set& included, const Set& excluded,
                                ErrorWeight floor, Set& touched) {
        ErrorWeight best = no_error_limit;
        for (std::uint32_t i = rank; i < node.n_ranked; ++i) {
            const std::uint32_t unit = node.ranking[i].unit;
            if (excluded.contains(unit)) continue;
            best = std::min(best, trie_.split(node, i).bound);
            if (included.contains(unit)) return best;
            touched.insert(unit);
            if (best <= floor) return best;
        }
        return std::min(best, node.leaf_error);
    }

    /// The least total over the window, looking into the children.
    ErrorWeight least_below(Node& node, std::uint32_t rank, const Set& included, const Set& excluded, int depth,
                            ErrorWeight floor, ErrorWeight enough, Set& touched) {
        const std::size_t window = choices_.size();
        bool closed = false;
        for (std::uint32_t i = rank; i < node.n_ranked && !closed; ++i) {
            const std::uint32_t unit = node.ranking[i].unit;
            if (excluded.contains(unit)) continue;
            closed = included.contains(unit);
            if (!closed) touched.insert(unit);
            fetch_early(node.ranking[i].split);
            choices_.push_back({i, 0});
        }
        ErrorWeight best = closed ? no_error_limit : node.leaf_error;
        if (best > floor) best = descend(node, window, included, excluded, depth, floor, enough, best, touched);
        choices_.resize(window);
        return best;
    }

    /// The least of `best` and of the totals over the window from `window` on.
    ErrorWeight descend(Node& node, std::size_t window, const Set& included, const Set& excluded, int depth,
                        ErrorWeight floor, ErrorWeight enough, ErrorWeight best, Set& touched) {
        const std::size_t end = choices_.size();
        const auto total_of = [&](const Choice& choice, const Set& without) {
            const auto& split = *node.ranking[choice.rank].split;
            ErrorWeight total = choice.bound;
            if (split.n_children == 0) return total;
            Set with = included;
            with.insert(node.ranking[choice.rank].unit);
            const ErrorWeight stop = std::min(best, enough);
            for (std::uint32_t j = 0; j < split.n_children && total < stop; ++j) {
                Node& child = split.children[j];
                fetch_early(&child + 1);
                const ErrorWeight base = child.base_bound;
                total += look(child, 0, with, without, depth - 1, base, stop - (total - base), touched) - base;
            }
            return total;
        };
        // Choices that may not raise the floor at all come first, as they are met: one that does not ends it all.
        Set without = excluded;
        for (std::size_t c = window; c < end; ++c) {
            Choice& choice = choices_[c];
            choice.bound = trie_.split(node, choice.rank).bound;
            if (choice.bound <= floor) {
                const ErrorWeight total = total_of(choice, without);
                choices_[c].bound = no_error_limit;  // done; a look may have moved the choices in memory
                best = std::min(best, total);
                if (best <= floor) return best;
            }
            without.insert(node.ranking[choices_[c].rank].unit);
        }
        // Then the others, most promising first.
        std::sort(
            choices_.begin() + static_cast<std::ptrdiff_t>(window), choices_.begin() + static_cast<std::ptrdiff_t>(end),
            [](const Choice& a, const Choice& b) { return a.bound != b.bound ? a.bound < b.bound : a.rank < b.rank; });
        for (std::size_t c = window; c < end; ++c) {
            const Choice choice = choices_[c];
            if (choice.bound >= best) break;
            without = excluded;
            for (std::size_t other = window; other < end; ++other)
                if (choices_[other].rank < choice.rank) without.insert(node.ranking[choices_[other].rank].unit);
            best = std::min(best, total_of(choice, without));
            if (best <= floor) break;
        }
        return best;
    }

    Trie<Words>& trie_;
    std::size_t memory_limit_ = ~std::size_t{0};
    std::uint64_t work_limit_ = 0;
    std::vector<Choice> choices_;
};

}  // namespace palmette
