// The complete search for the best subset: the minimum of (objective, number of features, features in order), proved.
//
// Ruggieri's DTaccept (2019) asks the same question. Here the trees of all subsets share one trie (src/search/trie.hpp),
// and the lattice is divided by including or excluding one feature at a time (src/search/explorer.hpp). The search
// starts from a subset found by elimination and local search, can be stopped at any time with the best so far and a
// proved lower bound, and goes on from a saved state.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "palmette/search/problem.hpp"
#include "palmette/search/settings.hpp"
#include "palmette/support/budget.hpp"

namespace palmette {

class BestSubsetSearch {
  public:
    /// What a watcher sees while the search runs.
    struct View {
        double closed_share = 0;  // of the lattice
        std::uint64_t n_trees = 0;
        std::uint64_t n_expansions = 0;
        ErrorWeight objective = 0;
        ErrorWeight bound = 0;
        std::size_t size = 0;
    };

    /// `saved` is empty or a state that `save` returned for the same problem and settings. Throws std::invalid_argument
    /// if it is anything else. Problem and budget must outlive the search.
    BestSubsetSearch(const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
                     std::span<const std::byte> saved);
    ~BestSubsetSearch();
    BestSubsetSearch(const BestSubsetSearch&) = delete;
    BestSubsetSearch& operator=(const BestSubsetSearch&) = delete;

    /// Searches until the answer is proved or the budget is spent.
    SearchResult run();

    /// Safe while `run` is under way in another thread.
    [[nodiscard]] View view() const;
    /// Asks the workers for a state to go on from; `saved_state` has it soon after.
    void request_save();
    /// The newest state; empty if there is none since the last call.
    [[nodiscard]] std::vector<std::byte> take_saved();
    /// The state that `run` ended with.
    [[nodiscard]] std::vector<std::byte> final_state() const;

    class Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

/// Error of the subset of these units, and the units that its trees use; the free ones are not looked for.
FoundSubset error_of_subset(const SearchProblem& problem, std::span<const std::uint32_t> units);

}  // namespace palmette
