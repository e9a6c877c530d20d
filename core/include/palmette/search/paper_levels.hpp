// Levels: the state of the nested calls of Algorithms 2 and 3 of Ruggieri 2019.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

}  // namespace palmette::paper
