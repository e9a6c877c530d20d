// DTdistinct (Algorithm 2 of Ruggieri 2019): every distinct tree of all subsets, each reported once (Theorem 7).
#pragma once

#include <cmath>
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
        return grower_.grow(lattice_.keep() | root.at.all(), root.tree) && visit(0);
    }

    [[nodiscard]] PaperCounts counts() const noexcept {
        PaperCounts counts = counts_;
        counts.n_built = grower_.n_built();
        counts.n_expansions = grower_.n_expansions();
        return counts;
    }

  private:
    bool visit(std::size_t depth) {
        Level<Words>& level = levels_[depth];
        const auto& [required, optional] = level.at;
        const FeatureSet<Words>& used = level.tree.used();
        if (!required.is_subset_of(used)) {
            ++counts_.n_duplicates;
        } else if (!lattice_.too_large(used)) {
            ++counts_.n_reported;
            report_(level.tree);
        }

        const FeatureSet<Words> removable = optional & used;
        order_(level.tree, lattice_.keep() | required, removable, level.order);
        Level<Words>& below = levels_[depth + 1];
        Sublattice<Words> child{required | removable, optional - used};
        double share = std::ldexp(level.share, -static_cast<int>(level.order.size()));
        progress_.add(share);
        for (const std::uint32_t unit : level.order) {
            child.required.erase(unit);
            // `required` only grows on the way down, and the trees reported there use all of it.
            if (lattice_.too_large(child.required)) {
                progress_.add(share);
            } else {
                below.at = child;
                below.share = share;
                if (!grower_.grow_without(unit, lattice_.keep() | child.all(), level.tree, below.tree)) return false;
                if (!visit(depth + 1)) return false;
            }
            child.optional.insert(unit);
            share *= 2;
        }
        return true;
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
