// Trie: the trees of all feature subsets in one, grown where a search looks.
//
// At a node, all features are ranked once. For any subset, the split is the first allowed feature of that ranking, so
// a node of the trie is a set of samples and an edge a (ranked feature, branch): growing the tree of a subset is a
// walk, and no node is scanned twice for the same answer. The trie is a cache: any part of it may be evicted and is
// rebuilt identically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "node_pool.hpp"
#include "palmette/data/block.hpp"
#include "palmette/search/feature_set.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/tree/ranking.hpp"
#include "search_samples.hpp"
#include "split_maker.hpp"
#include "sublattice.hpp"
#include "trie_node.hpp"
#include "twins.hpp"

namespace palmette {

template <std::size_t Words>
class Trie {
  public:
    using Set = FeatureSet<Words>;
    using Node = TrieNode<Words>;
    using Split = TrieSplit<Words>;

    /// With `keep_unreached`, branches that no search sample reaches are kept too (rule P2 is off): needed to tell
    /// trees apart, not to find the best.
    Trie(const SearchProblem& problem, std::span<const SearchSamples> samples, bool keep_unreached,
         const Budget& budget);
    Trie(const Trie&) = delete;
    Trie& operator=(const Trie&) = delete;

    [[nodiscard]] std::span<Node> roots() noexcept { return roots_; }
    [[nodiscard]] bool keeps_unreached() const noexcept { return keep_unreached_; }
    [[nodiscard]] const SearchProblem& problem() const noexcept { return problem_; }
    [[nodiscard]] std::span<const SearchSamples> samples() const noexcept { return samples_; }

    /// Ranks the features at the node. False if the budget ended it before.
    bool expand(Node& node);
    /// The split on the feature at `rank` of an expanded node.
    Split& split(Node& node, std::uint32_t rank) {
        Ranked& ranked = node.ranking[rank];
        return ranked.split != nullptr ? *ranked.split : make_split(node, rank, false);
    }
    /// The same for a node whose own parts have been handed out: those of its children are, too.
    Split& split_with_parts(Node& node, std::uint32_t rank) {
        Ranked& ranked = node.ranking[rank];
        if (ranked.split == nullptr) return make_split(node, rank, true);
        if (!ranked.split->has_parts) hand_out_parts(node, rank);
        return *ranked.split;
    }

    /// Units that a subset coming to the node may hold and that may tell its samples apart. A node that is not expanded
    /// holds no samples: what is known is what its parent knows.
    [[nodiscard]] const Set& alive_at(const Node& node) const noexcept { return holder_of(node).content->alive; }
    /// A bound on the errors of the whole samples at a node, for all subsets that hold none of `excluded` (B5): of twins,
    /// and of samples whose class no building sample has. 0 where it would hardly pay.
    [[nodiscard]] ErrorWeight twin_errors(Node& node, const Set& excluded);

    /// Frees what no subset of the sublattices, at most 64, comes to, if that is most of the trie and there is room to move
    /// the rest within `memory_limit`: all nodes but the roots lie elsewhere afterwards. Calls update(moved) where
    /// moved(node) tells where a node of the sublattices lies now.
    template <class Update>
    void collect(std::span<const Sublattice<Words>> sublattices, std::size_t memory_limit, Update update) {
        if (!move_reachable(sublattices, memory_limit)) return;
        update([](Node* node) { return node->parent == nullptr ? node : node->parent; });
        pool_.end_move();
    }
    /// Frees every part of the trie without a marked node. Marks are set with `mark`, after `new_epoch`.
    void new_epoch() noexcept { ++epoch_; }
    void mark(Node& node) noexcept {
        for (Node* at = &node; at != nullptr && at->mark != epoch_; at = at->parent) at->mark = epoch_;
    }
    /// Where the trie holds more than `memory_limit`, used or not, what is free is made ready for any use.
    void evict(std::size_t memory_limit);

    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return pool_.bytes_in_use(); }
    [[nodiscard]] std::size_t peak_bytes() const noexcept { return pool_.peak_bytes(); }
    [[nodiscard]] std::uint64_t n_expansions() const noexcept { return n_expansions_; }
    /// Samples × features judged and samples split so far: what the time goes with.
    [[nodiscard]] std::uint64_t work() const noexcept { return work_; }

  private:
    using Ranked = RankedFeature<Words>;
    using Content = NodeContent<Words>;

    /// The node that has the samples of a node.
    [[nodiscard]] static const Node& holder_of(const Node& node) noexcept {
        return node.content != nullptr ? node : *node.parent;
    }
    void plant_root(std::size_t fold);
    Split& make_split(Node& node, std::uint32_t rank, bool hand_out);
    void hand_out_parts(Node& node, std::uint32_t rank);
    template <class Use>
    void with_branch(const Node& node, Use use) const;
    void gather(const Node& node);
    template <class Code, class Row, class Belongs>
    void select(const Node& node, const Code* codes, const Row* rows, Belongs belongs);
    void compute_totals();
    void rank(Set& alive);
    void store(Node& node, const Set& alive);
    void store_ranking(Node& node);
    void settle_as_leaf(Node& node);
    [[nodiscard]] std::size_t content_bytes(const Node& node, const Content& content) const noexcept;
    void release_split(Ranked& ranked);
    void release_contents(Node& node);
    struct Visit {
        Node* node;
        std::uint64_t comers;  // the sublattices that have subsets that come here, a bit each
    };
    template <class AtNode, class AtSplit>
    void for_each_reachable(std::span<const Sublattice<Words>> sublattices, AtNode at_node, AtSplit at_split);
    bool move_reachable(std::span<const Sublattice<Words>> sublattices, std::size_t memory_limit);
    void move_own(Node& node);
    Split& move_split(Split& from, Node& parent);

    const SearchProblem& problem_;
    const Dataset& dataset_;
    std::span<const SearchSamples> samples_;
    bool keep_unreached_;
    const Budget& budget_;
    Block block_;
    Ranker ranker_;
    std::size_t n_classes_;
    std::size_t row_width_;
    NodePool pool_;
    SplitMaker<Words> splits_;
    Twins<Words> twins_;
    std::vector<Node> roots_;
    std::uint32_t epoch_ = 0;
    std::uint64_t n_expansions_ = 0;
    std::uint64_t work_ = 0;

    // Scratch of one expansion.
    NodeSamples gathered_;
    std::vector<std::uint32_t> gathered_whole_;
    std::vector<Run> building_runs_, search_runs_;
    std::vector<std::uint32_t> split_rows_;  // that weighed one until a value was missing
    std::vector<Run> split_runs_;
    std::vector<Label> class_here_;  // by class: its number among those of the node
    NodeTotals totals_;
    RankingScratch ranking_scratch_;
    std::vector<Candidate> candidates_;

    // Scratch of `collect`: by unit, the sublattices that hold it and those that lack it.
    std::vector<std::uint64_t> holders_, lackers_;
    std::vector<Visit> visits_;
};

}  // namespace palmette
