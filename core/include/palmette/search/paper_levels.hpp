// Levels: the nested calls of Algorithms 2 and 3 of Ruggieri 2019, on a stack of their own: they may be as deep as there
// are units, and a thread's stack may be small.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "palmette/search/paper_grower.hpp"
#include "palmette/search/paper_lattice.hpp"
#include "palmette/search/paper_subsets.hpp"
#include "palmette/search/paper_tree.hpp"
#include "palmette/support/budget.hpp"

namespace palmette::paper {

/// What one call works on. There is one a level of the recursion, so the trees alive are at most as many as units
/// (Property 1 of 2019), and a tree is built in the memory of the last one on its level.
template <std::size_t Words>
struct Level {
    Sublattice<Words> at;
    PaperTree<Words> tree;             // DT(keep ∪ R ∪ S)
    std::vector<std::uint32_t> order;  // of the units to remove
    double share = 1.0;                // of all subsets

    // Where the loop over `order` is.
    std::size_t next = 0;
    Sublattice<Words> child;
    double share_of_child = 0;
};

template <std::size_t Words>
class Levels {
  public:
    [[nodiscard]] Level<Words>& operator[](std::size_t depth) {
        while (levels_.size() <= depth) levels_.push_back(std::make_unique<Level<Words>>());
        return *levels_[depth];
    }

  private:
    std::vector<std::unique_ptr<Level<Words>>> levels_;
};

/// Keeps Progress up to date with the share of all subsets that is dealt with.
class ShareOfSubsets {
  public:
    explicit ShareOfSubsets(Progress& progress) : progress_(progress) { progress.work_total.store(whole); }
    void add(double share) {
        done_ += share;
        progress_.work_done.store(static_cast<std::uint64_t>(done_ * static_cast<double>(whole)),
                                  std::memory_order_relaxed);
    }

  private:
    static constexpr std::uint64_t whole = std::uint64_t{1} << 53;
    Progress& progress_;
    double done_ = 0.0;
};

/// The loop that both algorithms have: calls enter(level) for the tree of the root level, which must be grown, and for
/// those below. It leaves in `order` the units whose removal is to be tried. False when the budget was spent.
template <std::size_t Words, class Enter>
bool walk(Levels<Words>& levels, const Lattice<Words>& lattice, PaperGrower<Words>& grower, ShareOfSubsets& progress,
          Enter enter) {
    const auto open = [&](Level<Words>& level) {
        enter(level);
        FeatureSet<Words> removed;
        for (const std::uint32_t unit : level.order) removed.insert(unit);
        level.next = 0;
        level.child = {level.at.required | removed, level.at.optional - removed};
        level.share_of_child = std::ldexp(level.share, -static_cast<int>(level.order.size()));
        progress.add(level.share_of_child);
    };
    const auto pass_on = [](Level<Words>& level) {
        level.child.optional.insert(level.order[level.next++]);
        level.share_of_child *= 2;
    };
    std::size_t depth = 0;
    open(levels[0]);
    while (true) {
        Level<Words>& level = levels[depth];
        if (level.next == level.order.size()) {
            if (depth == 0) return true;
            pass_on(levels[--depth]);
            continue;
        }
        const std::uint32_t unit = level.order[level.next];
        level.child.required.erase(unit);
        // `required` only grows on the way down, and the trees that count there use all of it.
        if (lattice.too_large(level.child.required)) {
            progress.add(level.share_of_child);
            pass_on(level);
            continue;
        }
        Level<Words>& below = levels[++depth];
        below.at = level.child;
        below.share = level.share_of_child;
        if (!grower.grow_without(unit, lattice.keep() | below.at.all(), level.tree, below.tree)) return false;
        open(below);
    }
}

}  // namespace palmette::paper
