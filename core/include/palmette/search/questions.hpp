// More questions that the search over the lattice answers: all trees, their number, the best for every number of
// features, and what each feature is worth. Only the goal differs from that of the best subset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "palmette/search/problem.hpp"
#include "palmette/search/settings.hpp"
#include "palmette/support/budget.hpp"

namespace palmette {

/// The distinct trees of all subsets, each once, in the order of the search; with `limit`, those whose error does not
/// exceed it. Holds a path of the lattice, not the trees.
class TreeEnumerator {
  public:
    /// A negative limit is none. Problem and settings as for BestSubsetSearch; of the settings `keep`, `max_features`
    /// and `memory_limit` count.
    TreeEnumerator(const SearchProblem& problem, const SearchSettings& settings, ErrorWeight limit);
    ~TreeEnumerator();
    TreeEnumerator(const TreeEnumerator&) = delete;
    TreeEnumerator& operator=(const TreeEnumerator&) = delete;

    /// The next trees, at most `max_count`. Fewer if there are no more, if the budget is spent, or if the memory limit
    /// is too small to go on.
    std::vector<FoundSubset> next(std::size_t max_count, const Budget& budget);
    [[nodiscard]] bool finished() const;
    [[nodiscard]] bool out_of_memory() const;

    class Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

/// What was found, and whether the memory limit was too small to go on. All was found unless it was, or the budget is
/// spent.
template <class T>
struct Answer {
    T found;
    bool out_of_memory = false;
};

/// A subset as the questions tell it: all of these units, and the free ones beside them.
FoundSubset describe_subset(const SearchProblem& problem, const std::vector<std::uint32_t>& units);

/// Number of distinct trees by (features, free units): a tree with f free units is that of 2^f subsets.
using TreeCounts = std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>;

/// With a limit that is not negative, of the trees whose error does not exceed it.
Answer<TreeCounts> count_distinct_trees(const SearchProblem& problem, const SearchSettings& settings, ErrorWeight limit,
                                        Budget& budget, Progress& progress);

/// For every number of features with a smaller error than any smaller number: the best subset of that size.
Answer<std::vector<FoundSubset>> pareto_front(const SearchProblem& problem, const SearchSettings& settings,
                                              Budget& budget, Progress& progress);

/// By unit: the least error over the subsets that hold it, and over those that do not; `none` if there are none.
struct FeatureCosts {
    static constexpr ErrorWeight none = -1;
    std::vector<ErrorWeight> with, without;
};
Answer<FeatureCosts> feature_costs(const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
                                   Progress& progress);

}  // namespace palmette
