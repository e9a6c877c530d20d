// What a trie is made of: nodes, the splits below them, and what an expanded node holds.
//
// Vocabulary. A *whole* search sample has met no missing value on its way; it is in one leaf. A *part* is the share of
// a sample that came down one of several branches, because a value that was asked for is missing; its sample errs if
// the votes of all its leaves say so. Errors of whole samples add up over the leaves; those of the others are kept in
// a Ledger. Bounds are of whole samples, and most nodes are made for a bound: parts are handed out only where a tree is
// followed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "palmette/search/feature_set.hpp"
#include "palmette/search/problem.hpp"

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

/// Which classes there are, a bit for each; with more than 32, some share one.
using ClassMask = std::uint32_t;
[[nodiscard]] constexpr ClassMask mask_of(Label label) noexcept {
    return ClassMask{1} << (label % 32);
}

template <std::size_t Words>
struct TrieNode;

/// The split of a node on one feature. Branches in which nothing is left to find out about whole samples have no child;
/// once parts are handed out, those of them that parts come to have a *side child*, which counts no whole sample.
template <std::size_t Words>
struct TrieSplit {
    ErrorWeight fixed_error = 0;  // of whole samples, whatever subset comes this way
    ErrorWeight bound = 0;        // fixed_error and the children's base bounds
    Weight known_weight = 0;      // of the building samples whose value is known
    std::uint32_t n_children = 0, n_side_children = 0;
    std::uint32_t cut = 0;                // continuous: the greatest code of the dataset that goes left
    bool unit_weights = true;             // the children's building samples weigh one each
    bool has_missing = false;             // the value of a building sample is missing
    bool splits_samples = false;          // the value of a whole search sample is missing, and it matters
    bool has_parts = false;               // they have been handed out
    TrieNode<Words>* children = nullptr;  // in the same piece of memory
    TrieNode<Words>* side_children = nullptr;

    /// Calls use(child) for the children of both kinds, the rightmost branch first.
    template <class Use>
    void for_each_child_from_right(Use use) const {
        std::uint32_t i = n_children, j = n_side_children;
        while (i + j > 0) {
            const bool side = i == 0 || (j > 0 && side_children[j - 1].branch > children[i - 1].branch);
            use(side ? side_children[--j] : children[--i]);
        }
    }

    /// Of the piece of memory that a split and its children lie in.
    [[nodiscard]] static std::size_t nbytes(std::size_t n_children) noexcept {
        return sizeof(TrieSplit) + n_children * sizeof(TrieNode<Words>);
    }
};

template <std::size_t Words>
struct RankedFeature {
    std::uint32_t feature;
    std::uint32_t unit;
    std::uint32_t lower, upper;  // continuous: the codes of the node's building samples that the cut lies between
    TrieSplit<Words>* split;     // null until it is asked for
};

/// The last look-ahead from a node: a lower bound for all subsets that hold `included` and none of `excluded`.
template <std::size_t Words>
struct TrieMemo {
    FeatureSet<Words> included, excluded;
    FeatureSet<Words> touched;  // undecided units on whose state the bound depends
    ErrorWeight bound = 0;      // until there has been one: true of all subsets
    std::int32_t depth = -1;
};

/// The samples of an expanded node; the arrays lie behind it in the same piece of memory.
template <std::size_t Words>
struct NodeContent {
    FeatureSet<Words> alive;  // units that a subset coming here may hold and that can still split (P1)
    Weight* weights;          // of the building samples from n_ones on
    void* rows;               // building samples, then whole search samples: rows of the dataset, 2 or 4 bytes each
    std::uint32_t n_building_runs, n_search_runs;
    std::uint32_t n_ones;  // building samples that weigh one

    /// Of the building samples, then of the search samples.
    [[nodiscard]] Run* runs() noexcept { return reinterpret_cast<Run*>(this + 1); }
    [[nodiscard]] const Run* runs() const noexcept { return reinterpret_cast<const Run*>(this + 1); }

    /// Finds the arrays behind it, of a node with so many building samples.
    void place_arrays(std::uint32_t n_building) noexcept {
        weights = reinterpret_cast<Weight*>(runs() + n_building_runs + n_search_runs);
        rows = weights + (n_building - n_ones);
    }

    /// Calls use(rows) with the rows in their own type; `width` is row_width of the problem.
    template <class Use>
    decltype(auto) with_rows(std::size_t width, Use use) const {
        if (width == 2) return use(static_cast<const std::uint16_t*>(rows));
        return use(static_cast<const std::uint32_t*>(rows));
    }
};

/// Bytes of a row number in a NodeContent.
[[nodiscard]] inline std::size_t row_width(const SearchProblem& problem) noexcept {
    return problem.dataset().n_rows() <= 0x10000 ? 2 : 4;
}

/// What missing values mean for a node.
struct NodeShares {
    Weight known_weight;  // of the building samples whose value led here, before the others are shared out
    Part* parts;          // null without them, and until they are handed out
    double* votes;        // class distribution that a part of a sample gets if this is a leaf; null without parts
};

/// The last answer of Trie::twin_errors: two of five questions come again. Sets of many words would make nodes too large.
template <std::size_t Words>
struct TwinMemo {
    [[nodiscard]] bool answers(const FeatureSet<Words>&) const noexcept { return false; }
    void keep(const FeatureSet<Words>&, ErrorWeight) noexcept {}
    static constexpr ErrorWeight errors = 0;
};
template <>
struct TwinMemo<1> {
    FeatureSet<1> allowed;
    ErrorWeight errors = -1;  // until there is one
    [[nodiscard]] bool answers(const FeatureSet<1>& units) const noexcept { return errors >= 0 && allowed == units; }
    void keep(const FeatureSet<1>& units, ErrorWeight found) noexcept {
        allowed = units;
        errors = found;
    }
};

template <std::size_t Words>
struct TrieNode {
    // What a look-ahead reads comes first, in one cache line.
    ErrorWeight base_bound;         // B1
    ErrorWeight leaf_error;         // of the whole search samples, if this is a leaf
    RankedFeature<Words>* ranking;  // of positive quality, best first; null if there are none
    std::uint32_t n_ranked;
    bool expanded;
    bool is_leaf;  // whatever the features; base_bound is leaf_error
    Label label;
    TrieNode* parent;
    std::uint32_t rank;    // of the parent's split that leads here
    std::uint32_t branch;  // the category's code; of a cut, 0 for the left and 1 for the right

    NodeContent<Words>* content;  // null until expanded, and where nothing can be split
    NodeShares* shares;           // null where no value is missing
    ErrorWeight whole_weight;
    std::uint32_t n_building, n_whole, n_parts;
    std::uint32_t depth;
    std::uint32_t mark;
    ClassMask classes;  // of its building samples
    std::uint16_t fold;
    [[no_unique_address]] TwinMemo<Words> twins;

    /// Of a node with ranked features; it lies before them in the same piece of memory.
    [[nodiscard]] TrieMemo<Words>& memo() const noexcept { return *(reinterpret_cast<TrieMemo<Words>*>(ranking) - 1); }
    /// Of that piece.
    [[nodiscard]] static std::size_t ranking_bytes(std::size_t n_ranked) noexcept {
        return n_ranked == 0 ? 0 : sizeof(TrieMemo<Words>) + n_ranked * sizeof(RankedFeature<Words>);
    }
};

}  // namespace palmette
