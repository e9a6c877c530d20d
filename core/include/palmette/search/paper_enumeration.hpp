// DTdistinct (Algorithm 2 of Ruggieri 2019): every distinct tree of all subsets, each reported once (Theorem 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "palmette/search/paper_grower.hpp"
#include "palmette/search/paper_lattice.hpp"
#include "palmette/search/paper_levels.hpp"
#include "palmette/search/paper_order.hpp"

namespace palmette::paper {

/// Calls report(tree) for each tree that is not too large.
template <std::size_t Words, class Report>
class DistinctTrees {
  public:
    DistinctTrees(const Lattice<Words>& lattice, PaperOrder order, Budget& budget, Progress& progress, Report report)
        : lattice_(lattice),
          grower_(lattice.problem(), budget, progress),
          order_(order, lattice.problem().n_units()),
          progress_(progress),
          report_(std::move(report)) {}

    /// False when the budget was spent.
    bool run() {
        Level<Words>& root = levels_[0];
        root.at = {{}, lattice_.free()};
        return grower_.grow(lattice_.keep() | root.at.all(), root.tree) &&
               walk(levels_, lattice_, grower_, progress_, [this](Level<Words>& level) { enter(level); });
    }

    [[nodiscard]] PaperCounts counts() const noexcept {
        PaperCounts counts = counts_;
        counts.n_built = grower_.n_built();
        counts.n_expansions = grower_.n_expansions();
        return counts;
    }

  private:
    void enter(Level<Words>& level) {
        const auto& [required, optional] = level.at;
        const FeatureSet<Words>& used = level.tree.used();
        if (!required.is_subset_of(used)) {
            ++counts_.n_duplicates;
        } else if (!lattice_.too_large(used)) {
            ++counts_.n_reported;
            report_(level.tree);
        }
        order_(level.tree, lattice_.keep() | required, optional & used, level.order);
    }

    const Lattice<Words>& lattice_;
    PaperGrower<Words> grower_;
    RemovalOrder<Words> order_;
    ShareOfSubsets progress_;
    Report report_;
    Levels<Words> levels_;
    PaperCounts counts_;
};

}  // namespace palmette::paper
