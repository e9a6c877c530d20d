// lberr (Section 5 of Ruggieri 2019): a lower bound on the error of every tree of a part of the lattice.
//
// Take T = DT(R ∪ S) and a part `kept` of its units. A tree of any subset between `kept` and R ∪ S chooses, by
// Assumption 4, the same splits as T at all nodes above the first ones whose unit is not kept. At those it may do
// anything: they are oracles that make no error. So it makes at least the errors that T makes elsewhere. A search row
// that goes down in shares errs for sure only if another class wins although the row's own class gets all that reaches
// an oracle.
#pragma once

#include <cstddef>
#include <vector>

#include "palmette/search/paper_tree.hpp"
#include "palmette/search/paper_votes.hpp"

namespace palmette::paper {

template <std::size_t Words>
class ErrorBound {
  public:
    explicit ErrorBound(const SearchProblem& problem) : problem_(problem), shared_votes_(problem) {}

    /// The bound itself.
    [[nodiscard]] ErrorWeight operator()(const PaperTree<Words>& tree, const FeatureSet<Words>& kept);

    /// True iff the bound is at least `enough`; cheaper than the bound.
    [[nodiscard]] bool reaches(const PaperTree<Words>& tree, const FeatureSet<Words>& kept, ErrorWeight enough);

  private:
    ErrorWeight sum(const PaperTree<Words>& tree, const FeatureSet<Words>& kept, ErrorWeight enough);

    const SearchProblem& problem_;
    SharedVotes<Words> shared_votes_;
    std::vector<std::size_t> with_shared_rows_;
};

}  // namespace palmette::paper
