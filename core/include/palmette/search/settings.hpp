// What a search is asked for beyond its problem, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "palmette/search/problem.hpp"

namespace palmette {

struct SearchSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    double feature_penalty = 0;  // ε: weight that each feature of a subset adds to its error
    double error_gap = 0;        // δ: an answer within this weight of the best is good enough
    std::size_t max_features = no_limit;
    bool smallest = true;             // prove that no equally good subset has fewer features
    std::vector<std::uint32_t> keep;  // units that every subset holds
    std::size_t n_jobs = 1;
    std::size_t memory_limit = std::size_t{1} << 30;  // bytes for the tries of all workers
    std::uint64_t seed = 0;                           // of the local search
};

/// A subset that a search has met: it holds exactly the units that its trees use, and those to keep.
struct FoundSubset {
    std::vector<std::uint32_t> units;  // ascending
    ErrorWeight error = 0;
    std::size_t size = 0;             // features
    std::vector<std::uint32_t> free;  // undecided units, ascending: with any of them the trees are the same
};

enum class SearchStatus : std::uint8_t { optimal, within_gap, time_limit, memory_limit, interrupted };

/// The best so far changed, or the bound rose.
struct SearchEvent {
    double seconds = 0;
    ErrorWeight objective = 0;  // of the incumbent
    ErrorWeight bound = 0;
    std::vector<std::uint32_t> units;
};

struct SearchResult {
    FoundSubset best;
    ErrorWeight objective = 0;  // error and penalty of the best
    ErrorWeight bound = 0;      // no subset has a smaller objective
    SearchStatus status = SearchStatus::optimal;
    std::uint64_t n_trees = 0;        // that the search completed
    std::uint64_t n_first_trees = 0;  // that the elimination before it and the local searches looked at
    std::uint64_t n_sublattices = 0;
    std::uint64_t n_expansions = 0;
    std::size_t peak_bytes = 0;
    std::vector<SearchEvent> history;
};

}  // namespace palmette
