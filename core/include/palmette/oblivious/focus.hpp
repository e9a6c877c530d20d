// FOCUS (Almuallim & Dietterich 1991): the smallest set of features that leaves no two samples of different classes in
// one cell.
//
// Two samples of different classes that differ somewhere are a *conflict*: the features on which they differ, one of
// which must be chosen. So a consistent set of features is a hitting set of all conflicts, and FOCUS asks for the
// smallest. The paper tries all sets of size 1, 2, …; here only the conflicts that matter are ever written down. The
// smallest hitting set of the conflicts known so far is a lower bound; if it leaves samples of different classes
// together, these are new conflicts, otherwise it is the answer. Of all smallest sets the one whose ascending tuple of
// indices comes first is the answer, as if they were tried in that order.
//
// Samples that are alike on all features but have different classes can never be told apart. They do not count against
// each other, but against every sample that differs from them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/support/budget.hpp"

namespace palmette {

enum class FocusStatus : std::uint8_t { complete, time_limit, interrupted };

struct FocusResult {
    std::vector<std::uint32_t> features;  // consistent, ascending; the smallest known if the budget ended the search
    std::size_t lower_bound = 0;          // no consistent set has fewer features
    FocusStatus status = FocusStatus::complete;
    std::size_t n_inseparable = 0;  // samples that are alike with a sample of another class on all features
    std::size_t n_conflicts = 0;    // conflicts that were written down
    std::uint64_t n_nodes = 0;      // of the searches for a smallest hitting set
};

struct FocusProgress : Progress {
    std::atomic<std::size_t> size{0};         // of the smallest consistent set so far
    std::atomic<std::size_t> lower_bound{0};  // of all consistent sets
};

/// `keep` are features of every set, ascending.
FocusResult find_smallest_consistent(const Dataset& dataset, const std::vector<std::uint32_t>& keep, Budget& budget,
                                     FocusProgress& progress);

}  // namespace palmette
