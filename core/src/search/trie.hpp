// Trie: the trees of all feature subsets in one, grown where a search looks.
//
// At a node, all features are ranked once. For any subset, the split is the first allowed feature of that ranking, so
// a node of the trie is a set of samples and an edge a (ranked feature, branch): growing the tree of a subset is a
// walk, and no node is scanned twice for the same answer. The trie is a cache: any part of it may be evicted and is
// rebuilt identically.
//
// Vocabulary. A *whole* search sample has met no missing value on its way; it is in one leaf. A *part* is the share of
// a sample that came down one of several branches, because a value that was asked for is missing; its sample errs if
// the votes of all its leaves say so. Errors of whole samples add up over the leaves; those of the others are kept in
// a Ledger.
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

namespace palmette {

/// The share of a search sample that comes to a node.
struct Part {
    std::uint32_t sample;  // its number over all folds
    double share;
};

/// A run of samples that count alike. The samples of a node are sorted by class, so that counting the classes of a
/// branch is counting codes, run by run, without a look at a label. Building samples that weigh one come before those
/// that missing values have split, so that few of them need a weight.
struct Run {
    std::uint32_t end;  // one past its last position
    Label label;
    Label majority;  // of search samples: SearchSamples::group_majority
};

template <std::size_t Words>
class Trie {
  public:
    using Set = FeatureSet<Words>;
    struct Node;

    /// The split of a node on one feature. Branches in which nothing is left to find out have no child.
    struct Split {
        ErrorWeight fixed_error = 0;  // of whole samples, whatever subset comes this way
        ErrorWeight bound = 0;        // fixed_error and the children's base bounds
        Weight known_weight = 0;      // of the building samples whose value is known
        std::uint32_t n_children = 0;
        std::uint32_t cut = 0;     // continuous: the greatest code of the dataset that goes left
        bool unit_weights = true;  // the children's building samples weigh one each
        bool has_missing = false;  // the value of a building sample is missing
        Node* children = nullptr;  // in the same piece of memory
    };

    struct Ranked {
        std::uint32_t feature;
        std::uint32_t unit;
        std::uint32_t lower, upper;  // continuous: the codes of the node's building samples that the cut lies between
        Split* split;                // null until it is asked for
    };

    /// The last look-ahead from a node: a lower bound for all subsets that hold `included` and none of `excluded`.
    struct Memo {
        Set included, excluded;
        Set touched;  // undecided units on whose state the bound depends
        ErrorWeight bound;
        std::int32_t depth;
    };

    /// The samples of an expanded node; the arrays lie behind it in the same piece of memory.
    struct Content {
        Set alive;        // units that a subset coming here may hold and that can still split (P1)
        Weight* weights;  // of the building samples from n_ones on
        void* rows;       // building samples, then whole search samples: rows of the dataset, 2 or 4 bytes each
        std::uint32_t n_building_runs, n_search_runs;
        std::uint32_t n_ones;  // building samples that weigh one

        /// Of the building samples, then of the search samples.
        [[nodiscard]] Run* runs() noexcept { return reinterpret_cast<Run*>(this + 1); }
        [[nodiscard]] const Run* runs() const noexcept { return reinterpret_cast<const Run*>(this + 1); }
    };

    /// What missing values mean for a node.
    struct Shares {
        Weight known_weight;  // of the building samples whose value led here, before the others are shared out
        Part* parts;
        double* votes;  // class distribution that a part of a sample gets if this is a leaf; null without parts
    };

    struct Node {
        // What a look-ahead reads comes first, in one cache line.
        ErrorWeight base_bound;  // B1
        ErrorWeight leaf_error;  // of the whole search samples, if this is a leaf
        Ranked* ranking;         // of positive quality, best first
        Memo* memo;
        std::uint32_t n_ranked;
        bool expanded;
        bool is_leaf;  // whatever the features: kept for the votes of its parts
        Label label;
        Node* parent;
        std::uint32_t rank;    // of the parent's split that leads here
        std::uint32_t branch;  // the category's code; of a cut, 0 for the left and 1 for the right

        Content* content;  // null until expanded, and where nothing can be split
        Shares* shares;    // null where no value is missing
        ErrorWeight whole_weight;
        std::uint32_t n_building, n_whole, n_parts;
        std::uint32_t depth;
        std::uint32_t mark;
        std::uint16_t fold;
    };

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
        return ranked.split != nullptr ? *ranked.split : make_split(node, rank);
    }

    void remember(Node& node, const Memo& memo) {
        if (node.memo == nullptr) node.memo = pool_.template allocate<Memo>(1);
        *node.memo = memo;
    }

    /// Frees every part of the trie without a marked node. Marks are set with `mark`, after `new_epoch`.
    void new_epoch() noexcept { ++epoch_; }
    void mark(Node& node) noexcept {
        for (Node* at = &node; at != nullptr && at->mark != epoch_; at = at->parent) at->mark = epoch_;
    }
    void evict();

    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return pool_.bytes_in_use(); }
    [[nodiscard]] std::size_t peak_bytes() const noexcept { return pool_.peak_bytes(); }
    [[nodiscard]] std::uint64_t n_expansions() const noexcept { return n_expansions_; }
    /// Samples × features judged and samples split so far: what the time goes with.
    [[nodiscard]] std::uint64_t work() const noexcept { return work_; }

  private:
    /// A branch of a split in the making.
    struct Branch {
        std::uint32_t code;
        std::uint32_t n_known;
        Weight known_weight;
        Weight weight;
        Label label;
        bool is_leaf;
        bool is_settled;  // nothing is left to find out: no child
        std::uint32_t n_whole, n_live, n_parts;
        ErrorWeight leaf_error, base_bound, whole_weight;
    };

    Split& make_split(Node& node, std::uint32_t rank);
    void count_building(const Node& node, const Ranked& ranked, const Split& split);
    void share_out_missing(const Node& node);
    void judge_branches(const Node& node);
    void count_search(const Node& node, const Ranked& ranked, Split& split);
    void settle_homeless(const Node& node, Split& split);
    void count_parts(const Node& node, const Ranked& ranked, const Split& split);
    Split& make_children(Node& node, std::uint32_t rank, Split split);
    [[nodiscard]] static std::size_t split_bytes(std::size_t n_children) noexcept {
        return sizeof(Split) + n_children * sizeof(Node);
    }
    void share_out_parts(const Node& node, const Ranked& ranked, Split& split);
    void gather(const Node& node);
    template <class Code, class Row, class Belongs>
    void select(const Node& node, const Code* codes, const Row* rows, Belongs belongs);
    void compute_totals();
    void rank(Set& alive);
    void store(Node& node, const Set& alive);
    [[nodiscard]] std::size_t content_bytes(const Node& node) const noexcept;
    void release_split(Ranked& ranked);
    void release_contents(Node& node);
    void add_branch(std::uint32_t code);
    [[nodiscard]] bool has_few_codes(std::uint32_t feature) const;

    template <class Use>
    decltype(auto) with_rows(const Node& node, Use use) const;
    [[nodiscard]] std::uint32_t branch_of(const Column& column, const Split& split, std::uint32_t code) const;

    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    const SearchProblem& problem_;
    const Dataset& dataset_;
    std::span<const SearchSamples> samples_;
    bool keep_unreached_;
    const Budget& budget_;
    Block block_;
    Ranker ranker_;
    std::size_t n_classes_;
    std::size_t row_width_;
    std::vector<std::uint8_t> has_missing_;  // by feature
    NodePool pool_;
    std::vector<Node> roots_;
    std::uint32_t epoch_ = 0;
    std::uint64_t n_expansions_ = 0;
    std::uint64_t work_ = 0;

    // Scratch of one expansion or split.
    NodeSamples gathered_;
    std::vector<std::uint32_t> gathered_whole_;
    std::vector<Run> building_runs_, search_runs_;
    std::vector<std::uint32_t> split_rows_;  // that weighed one until a value was missing
    std::vector<Run> split_runs_;
    std::vector<Label> class_here_;  // by class: its number among those of the node
    NodeTotals totals_;
    RankingScratch ranking_scratch_;
    std::vector<Candidate> candidates_;
    std::vector<std::uint32_t> missing_;  // positions of building samples without a value
    std::vector<Branch> branches_;
    std::vector<Weight> class_weights_;  // branches × classes
    std::vector<Weight> unsorted_;
    std::vector<std::uint32_t> branch_of_code_;
    std::vector<double> least_votes_, most_votes_;
    std::vector<Part> homeless_;     // parts, and samples that become parts, whose value is missing
    std::vector<Part> empty_parts_;  // parts that come to a category without building samples
};

}  // namespace palmette
