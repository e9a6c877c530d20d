// Votes: what a tree predicts for a search row that lacks values on its way, and when every smaller tree must err on
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/search/paper_tree.hpp"

namespace palmette::paper {

/// The votes of a search row that goes down a subtree in shares: the arithmetic of tree/prediction.cpp, in its order.
template <std::size_t Words>
class SharedVotes {
  public:
    explicit SharedVotes(const SearchProblem& problem)
        : problem_(&problem), votes_(problem.dataset().n_classes(), 0.0) {}

    /// True iff the class that the tree predicts is not the row's.
    [[nodiscard]] bool errs(std::span<const Entry<Words>> entries, std::size_t start, std::uint32_t row);

    /// True only if every tree errs that has the same splits on units of `kept`, whatever it does below the others.
    [[nodiscard]] bool must_err(std::span<const Entry<Words>> entries, std::size_t start, std::uint32_t row,
                                const FeatureSet<Words>& kept);

  private:
    struct Visit {
        std::size_t entry;
        double share;
    };

    /// Fills votes_; returns the share that reaches nodes which split on units outside `kept` (null: there are none).
    double descend(std::span<const Entry<Words>> entries, std::size_t start, std::uint32_t row,
                   const FeatureSet<Words>* kept);
    [[nodiscard]] bool another_wins(Label own) const noexcept;

    const SearchProblem* problem_;
    std::vector<double> votes_;
    std::vector<Visit> stack_;
    std::vector<std::size_t> children_;
};

}  // namespace palmette::paper
