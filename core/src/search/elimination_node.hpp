// What the elimination's trie is made of: nodes, the heads of their rankings, and splits.
//
// Vocabulary. A *whole* search sample has met no missing value on its way, so it is in one leaf. A *part* is the share
// of a sample that came down one of several branches because the value asked for is missing. A sample is *homeless* at
// the split where it stops being whole: its verdict is decided in the subtree of that node, by the votes of its parts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "palmette/search/problem.hpp"

namespace palmette::elimination {

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

}  // namespace palmette::elimination
