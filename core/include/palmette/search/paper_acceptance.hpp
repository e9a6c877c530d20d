// DTaccept_δ (Algorithms 3 and 4 of Ruggieri 2019): a subset whose error is within δ of the best.
#pragma once

#include <cstddef>
#include <cstdint>

#include "palmette/search/paper_bound.hpp"
#include "palmette/search/paper_grower.hpp"
#include "palmette/search/paper_lattice.hpp"
#include "palmette/search/paper_levels.hpp"
#include "palmette/search/paper_order.hpp"

namespace palmette::paper {

template <std::size_t Words>
class AcceptableSubset {
  public:
    AcceptableSubset(const SearchProblem& problem, const PaperSettings& settings, Budget& budget, Progress& progress);

    [[nodiscard]] PaperResult run();

    /// greedy_δ (Algorithm 4): of `order`, the units whose removal the search has to try.
    [[nodiscard]] FeatureSet<Words> worth_branching(const PaperTree<Words>& tree, const Sublattice<Words>& at,
                                                    const std::vector<std::uint32_t>& order);

  private:
    void enter(Level<Words>& level);

    Lattice<Words> lattice_;
    PaperGrower<Words> grower_;
    RemovalOrder<Words> order_;
    ErrorBound<Words> bound_;
    Incumbent<Words> incumbent_;
    ErrorWeight error_gap_;
    ShareOfSubsets progress_;
    Levels<Words> levels_;
    PaperCounts counts_;
};

}  // namespace palmette::paper
