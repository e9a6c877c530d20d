// What a sequential search asks of the trees, whichever way they are made.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "elimination_nodes.hpp"
#include "palmette/search/elimination.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette::elimination {

constexpr ErrorWeight no_error_limit = std::numeric_limits<ErrorWeight>::max();

/// The trees of a subset.
struct Assessment {
    ErrorWeight error = 0;
    std::vector<std::uint32_t> used;  // units, ascending
};

struct Counters {
    std::uint64_t n_trees = 0, n_scans = 0, n_expansions = 0;
    std::size_t peak_bytes = 0;
};

struct Removal {
    std::uint32_t unit;
    ErrorWeight error;
};

/// Backward elimination, one removal after another. The subset is all units at first.
class Eliminator {
  public:
    virtual ~Eliminator() = default;

    /// The trees of the subset. `at_any_cost`: whatever the budget says. Empty if the budget ended it.
    virtual std::optional<Assessment> assess(bool at_any_cost) = 0;
    /// Of the removable units, the one with the least (error, unit) without it among the errors up to `limit`. Empty if
    /// there is none, or if the budget is spent.
    virtual std::optional<Removal> best_removal(const UnitSet& removable, ErrorWeight limit) = 0;
    virtual void remove(std::uint32_t unit) = 0;
    /// What is needed does not fit into the memory limit.
    [[nodiscard]] virtual bool out_of_memory() const noexcept { return false; }
    [[nodiscard]] virtual Counters counters() const = 0;
};

/// The trees of any subsets, many at a time.
class Assessor {
  public:
    virtual ~Assessor() = default;

    /// One for each subset; empty where the budget ended it. `at_any_cost`: whatever the budget says.
    virtual std::vector<std::optional<Assessment>> assess(std::span<const UnitSet> subsets, bool at_any_cost) = 0;
    [[nodiscard]] virtual Counters counters() const = 0;
};

std::unique_ptr<Eliminator> make_trie_eliminator(const SearchProblem& problem, const EliminationSettings& settings,
                                                 Budget& budget, Progress& progress);
std::unique_ptr<Eliminator> make_plain_eliminator(const SearchProblem& problem, const EliminationSettings& settings,
                                                  Budget& budget, Progress& progress);
std::unique_ptr<Assessor> make_trie_assessor(const SearchProblem& problem, const EliminationSettings& settings,
                                             Budget& budget, Progress& progress);
std::unique_ptr<Assessor> make_plain_assessor(const SearchProblem& problem, const EliminationSettings& settings,
                                              Budget& budget, Progress& progress);

}  // namespace palmette::elimination
