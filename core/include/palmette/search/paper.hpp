// The complete searches of Ruggieri (2017, 2019) as published, and the rivals that they were measured against.
//
// They are a measuring stick: the same trees, errors and split evaluator as every other search here, but the paper's
// own way through the lattice and the paper's own rule for the answer. One thread; trees as in paper_tree.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "palmette/search/problem.hpp"
#include "palmette/support/budget.hpp"

namespace palmette {

/// In which order Algorithms 2 to 4 remove the units that a tree uses.
enum class PaperOrder : std::uint8_t {
    frontier_2019,  // rk_frontier, Definition 9 of 2019
    cases_2017,     // ascending number of samples at the nodes that split on the unit
    reversed,       // rk_frontier from its end
    fixed,          // ascending index
};

enum class PaperAlgorithm : std::uint8_t {
    accept,      // DTaccept (Algorithms 3 and 4 of 2019)
    exhaustive,  // every subset, each tree grown from scratch
    cache,       // every subset, but no tree that Lemma 6 tells from a known one (Caruana & Freitag 1994)
};

struct PaperSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    PaperOrder order = PaperOrder::frontier_2019;
    PaperAlgorithm algorithm = PaperAlgorithm::accept;
    double error_gap = 0.0;               // δ, a weight
    double feature_penalty = 0.0;         // ε, a weight per feature
    std::size_t max_features = no_limit;  // only trees that need no more features (`keep` included) count
    std::vector<std::uint32_t> keep;      // units of every subset
    double initial_error = std::numeric_limits<double>::infinity();  // e_acc at the start, the penalty included
};

/// Counts of one run. A *duplicate* is a tree that was built although it equals another one of the run.
struct PaperCounts {
    std::uint64_t n_built = 0;
    std::uint64_t n_reported = 0;  // distinct trees
    std::uint64_t n_duplicates = 0;
    std::uint64_t n_expansions = 0;  // nodes whose ranking was computed
};

struct PaperResult {
    bool found = false;                // false: no tree reached `initial_error`; the rest is that start
    std::vector<std::uint32_t> units;  // what the tree uses, and `keep`; ascending
    double error = 0.0;                // weights; infinite unless found
    double objective = 0.0;
    bool proved = false;  // no subset has an objective below `objective` - `error_gap`
    PaperCounts counts;
};

struct PaperEnumeration {
    std::vector<std::uint64_t> trees_by_size;         // by number of features that the tree uses, `keep` included
    std::vector<std::vector<std::uint32_t>> subsets;  // of the trees in order of report, as in PaperResult
    bool finished = false;
    PaperCounts counts;
};

/// The best subset by the chosen algorithm. Throws std::invalid_argument on settings that do not fit the problem.
/// Answers what it has when the budget is spent; the cache of trees keeps to the budget's memory limit (1 GiB).
PaperResult search_as_paper(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                            Progress& progress);

/// All distinct trees by DTdistinct (Algorithm 2); their subsets only if `collect`.
PaperEnumeration enumerate_as_paper(const SearchProblem& problem, const PaperSettings& settings, bool collect,
                                    Budget& budget, Progress& progress);

}  // namespace palmette
