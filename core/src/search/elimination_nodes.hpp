// The nodes of the elimination's trie: which samples they hold, how a split hands them on, and what leaves vote.
//
// A node is a set of building samples with the search samples that come to it; an edge is (unit, branch). Which
// features were ranked at a node, and what its subtree is worth, is the business of those who walk the trie
// (elimination_trie.cpp, elimination_subsets.cpp); that the samples and errors are those of the grower and of `predict`
// is the business here.
//
// Vocabulary. A *whole* search sample has met no missing value on its way, so it is in one leaf. A *part* is the share
// of a sample that came down one of several branches because the value asked for is missing. A sample is *homeless* at
// the split where it stops being whole: its verdict is decided in the subtree of that node, by the votes of its parts.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "elimination_rows.hpp"
#include "palmette/data/block.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/ranking.hpp"
#include "search_samples.hpp"

namespace palmette::elimination {

/// A set of units as bits, as wide as the problem.
class UnitSet {
  public:
    UnitSet() = default;
    explicit UnitSet(std::size_t n_units) : words_((n_units + 63) / 64, 0) {}

    [[nodiscard]] bool contains(std::size_t unit) const noexcept {
        return (words_[unit / 64] >> (unit % 64) & 1U) != 0;
    }
    void insert(std::size_t unit) noexcept { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
    void erase(std::size_t unit) noexcept { words_[unit / 64] &= ~(std::uint64_t{1} << (unit % 64)); }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
    bool operator==(const UnitSet&) const = default;
    /// Calls visit(unit) in ascending order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
                visit(static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(word)));
    }
    [[nodiscard]] std::vector<std::uint32_t> list() const {
        std::vector<std::uint32_t> units;
        for_each([&](std::uint32_t unit) { units.push_back(unit); });
        return units;
    }

  private:
    std::vector<std::uint64_t> words_;
};

struct Part {
    std::uint32_t sample;  // its number over all folds
    std::uint32_t from;    // the parent's part that it is of; beyond those, the parent's homeless samples
    double share;
};

/// Samples that follow each other and have the class and the weight in common. Those of a class are next to each other,
/// so that counting the classes of a branch is counting samples, run by run; and what a missing value does to weights
/// is worked out once a run.
struct Run {
    Weight weight;      // of each; building samples only
    std::uint32_t end;  // one past its last position
    Label label;
};

struct Node;

struct Split {
    ErrorWeight fixed_error;  // of whole samples in branches that need no node
    std::uint32_t feature, unit;
    std::uint32_t cut;  // continuous: the greatest code of the dataset that goes left
    std::uint32_t n_children;
    std::uint32_t n_homeless;
    std::uint32_t* homeless;  // numbers of the samples
    Node* children;           // in order of code, in the same piece of memory
};

struct Ranked {
    std::uint32_t feature, unit;
    std::uint32_t lower, upper;  // continuous: the codes of the building samples that the cut lies between
    std::int64_t quality;
    Split* split;  // null until it is asked for
};

/// The first features of a node's ranking, best first.
struct Head {
    std::uint32_t n;
    bool complete;   // nothing was left out
    Ranked* ranked;  // in the same piece of memory
};

struct Node {
    Node* parent;
    /// A candidate may put a longer head in place of its node's while others read the node: both begin with the same
    /// split, so it does not matter which one they see.
    std::atomic<Head*> head;
    Run* runs;  // of the building samples, then of the search samples
    std::uint32_t*
        rows;  // building samples, then whole search samples: rows of the dataset; in the same piece of memory
    std::uint64_t* alive;  // units that may still split here or below, as the last ranking left them; null before
    Part* parts;
    double* votes;           // what a part gets if this is a leaf, by class; null without parts
    ErrorWeight leaf_error;  // of the whole samples, if this is a leaf
    double fraction;         // of a part without a value that comes down this branch
    std::uint32_t edge;      // unit of the parent's split that leads here
    std::uint32_t branch;    // the category's code; of a cut, 0 for the left and 1 for the right
    std::uint32_t n_building, n_whole, n_parts;
    std::uint32_t n_building_runs, n_search_runs;
    std::uint32_t depth;
    std::uint16_t fold;
    Label label;
    std::uint64_t alive_word;  // what `alive` points to if a word is enough
    bool is_leaf;              // whatever the features are
    bool unit_weights;         // every building sample counts one

    // What the subtree is worth for the current subset; see `Trie`.
    bool settled;
    std::uint32_t n_used;
    std::uint32_t checked;    // removals up to which `settled` is known to hold
    ErrorWeight error;        // of the samples that are whole here
    std::uint64_t used_bits;  // at most 64 units: the units used
    std::uint32_t* used;      // more: a list, ascending
    double* part_votes;       // n_parts × classes
};

/// What a worker owns while it makes nodes.
struct Workplace {
    RankingScratch scratch;
    NodeTotals totals;
    NodeSamples samples;
    std::vector<Candidate> candidates;
    std::vector<std::uint32_t> units;

    struct Branch {
        std::uint32_t code;
        std::uint32_t begin, n_building;  // in `rows`
        std::uint32_t run;                // of the node, that its last sample is of
        std::uint32_t begin_whole, n_whole, n_live, n_parts;
        Weight known_weight, weight;
        Label label;
        bool is_leaf, is_settled;
        ErrorWeight leaf_error, whole_weight;
    };
    std::vector<Branch> branches;
    std::vector<std::vector<Run>> runs;  // of the building samples, by branch
    std::vector<std::uint32_t> rows, whole_rows, missing_rows, places, next;
    std::vector<std::uint32_t> branch_of_code;
    std::vector<Weight> class_weights;  // branches × classes
    std::vector<std::uint32_t> whole_counts;
    std::vector<ErrorWeight> whole_weights;
    std::vector<Part> homeless, empty_parts;
    std::vector<std::uint32_t> homeless_whole;
    std::uint32_t scans_since_clock = 0;
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
    [[nodiscard]] std::size_t n_units() const noexcept { return problem_.n_units(); }
    [[nodiscard]] std::size_t n_words() const noexcept { return (n_units() + 63) / 64; }
    [[nodiscard]] std::size_t n_classes() const noexcept { return n_classes_; }
    /// Search samples may come to a node in parts.
    [[nodiscard]] bool has_parts() const noexcept { return has_parts_; }

    /// The row of a search sample of the fold, its label, and the weight that it counts with.
    [[nodiscard]] std::uint32_t row_of(std::size_t fold, std::uint32_t sample) const noexcept {
        return search_[fold].rows[sample - search_[fold].first_number];
    }
    [[nodiscard]] Label label_of(std::uint32_t row) const noexcept { return dataset_.labels()[row]; }
    [[nodiscard]] ErrorWeight search_weight(std::size_t fold, std::uint32_t row) const noexcept {
        return search_[fold].weight_of[row];
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
        const SearchRows& search = search_[node.fold];
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
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    Split& make_split(Node& node, Ranked& ranked, Workplace& place);
    void part_by_cut(const Node& node, const Column& column, std::uint32_t cut, Workplace& place) const;
    void part_by_value(const Node& node, const Column& column, std::uint32_t cut, Workplace& place) const;
    void part_search_rows(const Node& node, const Column& column, std::uint32_t cut, Split& split,
                          Workplace& place) const;
    void judge(const Node& node, Workplace& place) const;
    Split& make_children(Node& node, const Split& split, Workplace& place);
    void fill_parts(const Node& node, Split& split, const Column& column, Workplace& place);
    void add_branch(std::uint32_t code, Workplace& place) const;
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

    const SearchProblem& problem_;
    OrderedRows ordered_;
    const Dataset& dataset_;  // in that order
    Block block_;
    Ranker ranker_;
    std::size_t n_classes_;
    bool has_parts_ = false;
    std::vector<std::uint8_t> has_missing_;  // by feature
    std::vector<SearchRows> search_;
    Node* roots_ = nullptr;
    std::size_t n_roots_ = 0;
    std::atomic<std::size_t> in_use_;
    std::atomic<std::size_t> peak_;
};

}  // namespace palmette::elimination
