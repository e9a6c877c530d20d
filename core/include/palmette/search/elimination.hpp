// Elimination: sequential searches through the feature subsets. Backward elimination is what people use; forward,
// floating and beam searches run on the same engine.
//
// Start with all units; of all that may go, remove the one without which the trees err least; stop when every removal
// makes them worse (SBE, Section 6 of Ruggieri 2019). The *white box* finds the same removals as growing every
// candidate tree from scratch, the *black box*, does: same subsets, same history.
//
// A unit counts as *used* by the trees of a subset if it is tested where it can matter: at a node that a part of a
// search sample comes to, or a whole one whose class some building sample there has. Without any other unit the error
// is the same, because every search sample meets the same tests or errs in any case.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "palmette/search/problem.hpp"
#include "palmette/support/budget.hpp"

namespace palmette {

enum class EliminationStrategy : std::uint8_t { backward, forward, floating_backward, floating_forward, beam };

enum class EliminationAlgorithm : std::uint8_t {
    white_box,  // one trie of ranked nodes shared by all candidates
    black_box,  // every candidate tree from scratch
    paper,      // DTsbe as published: clone the tree, grow again below the removed unit. Backward only.
};

struct EliminationSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    EliminationStrategy strategy = EliminationStrategy::backward;
    EliminationAlgorithm algorithm = EliminationAlgorithm::white_box;
    bool accept_ties = true;  // go on while the error does not rise (2019), or only while it falls (2017)
    /// Backward: units that the trees use go first, and when none of them may go, all unused ones leave at once. Otherwise
    /// unused units leave one by one, and each departure shows other trees.
    bool unused_together = false;
    std::vector<std::uint32_t> keep;  // units of every subset
    /// Backward: until no more features are left, worse steps are taken too. Forward: never more.
    std::size_t max_features = no_limit;
    /// Backward: never fewer. Forward: until as many are chosen, worse steps are taken too.
    std::size_t min_features = 0;
    std::size_t beam_width = 1;
    std::size_t n_jobs = 1;
    std::size_t memory_limit = std::size_t{1} << 30;  // bytes for the nodes
};

struct EliminationStep {
    std::int64_t removed = -1;        // unit, or -1
    std::int64_t added = -1;          // unit, or -1
    ErrorWeight error = 0;            // after the step
    std::size_t size = 0;             // features left
    std::vector<std::uint32_t> used;  // units that the trees use, ascending
    std::uint64_t trees_built = 0;    // candidate trees that were looked at to find the step; those known before not
    double seconds = 0;               // since the start
    /// Beam search only: the subset, which need not be a neighbour of the one before. See `units_of_step`.
    std::optional<std::vector<std::uint32_t>> units;
};

enum class EliminationStatus : std::uint8_t { complete, time_limit, interrupted, memory_limit };

struct EliminationResult {
    std::vector<std::uint32_t> units;  // of the answer, ascending
    ErrorWeight error = 0;
    std::vector<std::uint32_t> start;    // units before the first step
    std::vector<EliminationStep> steps;  // step 0 is the start
    EliminationStatus status = EliminationStatus::complete;
    std::uint64_t n_trees = 0;       // candidate trees that were looked at
    std::uint64_t n_scans = 0;       // nodes whose features were ranked, again and again counted
    std::uint64_t n_expansions = 0;  // nodes that were ranked at least once
    std::size_t peak_bytes = 0;
};

/// The subset after a step, ascending. A history does not hold them all: on 20 000 features they would fill gigabytes.
[[nodiscard]] std::vector<std::uint32_t> units_of_step(const EliminationResult& result, std::size_t step);

struct EliminationProgress : Progress {
    std::atomic<ErrorWeight> error{0};
    std::atomic<std::size_t> size{0};
};

/// Throws std::invalid_argument on settings that do not fit the problem. A stopped run answers the best so far, at
/// least its start.
EliminationResult eliminate(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget,
                            EliminationProgress& progress);

}  // namespace palmette
