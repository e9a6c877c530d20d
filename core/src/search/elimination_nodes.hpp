// The nodes of the elimination's trie: which samples they hold, how a split hands them on, and what leaves vote.
//
// A node is a set of building samples with the search samples that come to it; an edge is (unit, branch). Which
// features were ranked at a node, and what its subtree is worth, is the business of those who walk the trie
// (elimination_trie.cpp, elimination_subsets.cpp); that the samples and errors are those of the grower and of `predict`
// is the business here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "elimination_branches.hpp"
#include "elimination_node.hpp"
#include "elimination_rows.hpp"
#include "palmette/data/block.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/ranking.hpp"
#include "search_samples.hpp"
#include "unit_set.hpp"

namespace palmette::elimination {

/// What a worker owns while it makes nodes.
struct Workplace {
    RankingScratch scratch;
    NodeTotals totals;
    NodeSamples samples;
    std::vector<Candidate> candidates;
    std::vector<std::uint32_t> units;
    Branches branches;
    Watch watch;
    std::uint64_t n_scans = 0, n_expansions = 0;

    struct Visit {
        const Node* node;
        double share;
    };
    std::vector<Visit> visits;
    std::vector<double> canonical;
};

class Nodes {
  public:
    /// A long table is copied in an order of its own, if the copy takes no more than an eighth of `memory_limit`.
    Nodes(const SearchProblem& problem, std::size_t memory_limit);
    ~Nodes();
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;

    [[nodiscard]] std::span<Node> roots() noexcept { return {roots_, n_roots_}; }
    [[nodiscard]] std::size_t n_units() const noexcept { return around_.problem.n_units(); }
    [[nodiscard]] std::size_t n_words() const noexcept { return (n_units() + 63) / 64; }
    [[nodiscard]] std::size_t n_classes() const noexcept { return n_classes_; }
    /// Search samples may come to a node in parts.
    [[nodiscard]] bool has_parts() const noexcept { return has_parts_; }

    /// The row of a search sample of the fold, its label, and the weight that it counts with.
    [[nodiscard]] std::uint32_t row_of(std::size_t fold, std::uint32_t sample) const noexcept {
        return around_.search[fold].rows[sample - around_.search[fold].first_number];
    }
    [[nodiscard]] Label label_of(std::uint32_t row) const noexcept { return dataset_.labels()[row]; }
    [[nodiscard]] ErrorWeight search_weight(std::size_t fold, std::uint32_t row) const noexcept {
        return around_.search[fold].weight_of[row];
    }

    /// Fills the workplace's samples and totals with those of the node.
    void load(const Node& node, Workplace& place) const;
    /// The best split on the unit's features at the loaded node; `constant` if no descendant can split on them either.
    [[nodiscard]] Candidate best_of_unit(std::uint32_t unit, const Workplace& loaded, RankingScratch& scratch) const;
    [[nodiscard]] Head* make_head(std::span<const Candidate> ranking, bool complete);
    void release_head(Head* head);

    /// The split of an entry of the node's ranking.
    Split& split(Node& node, Ranked& ranked, Workplace& place) {
        return ranked.split != nullptr ? *ranked.split : make_split(node, ranked, place);
    }
    /// Makes `alive` of a node that has none: no unit.
    void make_alive(Node& node);
    void release_split(Ranked& ranked);
    void release_value(Node& node);

    template <class T>
    [[nodiscard]] T* allocate(std::size_t count) {
        return count == 0 ? nullptr : static_cast<T*>(take(count * sizeof(T)));
    }
    template <class T>
    void release(T* piece, std::size_t count) noexcept {
        if (piece != nullptr) give_back(piece, count * sizeof(T));
    }
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_.load(std::memory_order_relaxed); }

    /// Adds the votes of the child's parts to those of the node that they are of.
    void add_votes(const Node& child, const double* child_votes, double* votes) const noexcept {
        for (std::uint32_t i = 0; i < child.n_parts; ++i)
            for (std::size_t k = 0; k < n_classes_; ++k)
                votes[child.parts[i].from * n_classes_ + k] += child_votes[i * n_classes_ + k];
    }
    /// Error of the node's homeless samples, whose summed votes are given. `split_of(node)` is null at a leaf.
    template <class SplitOf>
    [[nodiscard]] ErrorWeight error_of_homeless(const Node& node, const Split& split, const double* votes,
                                                Workplace& place, SplitOf split_of) const {
        ErrorWeight error = 0;
        const SearchRows& search = around_.search[node.fold];
        for (std::uint32_t h = 0; h < split.n_homeless; ++h, votes += n_classes_) {
            const std::uint32_t row = search.rows[split.homeless[h] - search.first_number];
            const std::size_t own = label_of(row);
            double other = -1;
            for (std::size_t k = 0; k < n_classes_; ++k)
                if (k != own && votes[k] > other) other = votes[k];
            // Sums in another order than that of `predict` differ in their last bits, so near a tie the votes are
            // summed again in its order.
            constexpr double rounding = 1e-9;
            bool errs = other > votes[own];
            if (other - votes[own] < rounding && votes[own] - other < rounding)
                errs = predicted(node, row, place, split_of) != own;
            if (errs) error += search.weight_of[row];
        }
        return error;
    }

  private:
    Split& make_split(Node& node, Ranked& ranked, Workplace& place);
    Split& make_children(Node& node, const Split& split, Branches& branches);
    void fill_parts(const Node& node, Split& split, std::span<const Part> homeless) const;
    static std::size_t bytes_of_samples(const Node& node) noexcept {
        return (std::size_t{node.n_building_runs} + node.n_search_runs) * sizeof(Run) +
               (std::size_t{node.n_building} + node.n_whole) * sizeof(std::uint32_t);
    }
    void make_room_for_samples(Node& node);
    void release_contents(Node& node);

    /// The class that `predict` tells for a row that is homeless at the node: leaves leftmost first.
    template <class SplitOf>
    [[nodiscard]] std::size_t predicted(const Node& node, std::uint32_t row, Workplace& place, SplitOf split_of) const {
        place.canonical.assign(n_classes_, 0.0);
        place.visits.assign(1, {&node, 1.0});
        while (!place.visits.empty()) {
            const auto [at, share] = place.visits.back();
            place.visits.pop_back();
            const Split* split = split_of(*at);
            if (split == nullptr) {
                for (std::size_t k = 0; k < n_classes_; ++k) place.canonical[k] += share * at->votes[k];
                continue;
            }
            const Column& column = dataset_.column(split->feature);
            const std::uint32_t code = column.codes[row];
            const std::span<const Node> children{split->children, split->n_children};
            if (code == 0) {
                for (std::size_t j = children.size(); j-- > 0;)
                    if (children[j].branch != nowhere)
                        place.visits.push_back({&children[j], share * children[j].fraction});
                continue;
            }
            std::uint32_t branch = code;
            if (column.kind == FeatureKind::continuous) branch = code > split->cut ? 1 : 0;
            const Node* next = nullptr;
            for (const Node& child : children)
                if (child.branch == branch) next = &child;
            // A category without building samples: the last child stands for all of them.
            place.visits.push_back({next != nullptr ? next : &children.back(), share});
        }
        std::size_t greatest = 0;
        for (std::size_t k = 1; k < n_classes_; ++k)
            if (place.canonical[k] > place.canonical[greatest]) greatest = k;
        return greatest;
    }

    [[nodiscard]] void* take(std::size_t bytes);
    void give_back(void* piece, std::size_t bytes) noexcept;

    OrderedRows ordered_;
    const Dataset& dataset_;  // in that order
    Block block_;
    Ranker ranker_;
    std::size_t n_classes_;
    Surroundings around_;
    bool has_parts_ = false;
    Node* roots_ = nullptr;
    std::size_t n_roots_ = 0;
    std::atomic<std::size_t> in_use_;
    std::atomic<std::size_t> peak_;
};

}  // namespace palmette::elimination
