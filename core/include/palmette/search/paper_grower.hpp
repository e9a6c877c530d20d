// Feature-incremental growing (Property 3 of Ruggieri 2019): the tree is cloned, and only the subtrees that split on
// the removed unit are grown again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palmette/search/paper_tree.hpp"
#include "palmette/search/paper_votes.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette::paper {

/// Grows the trees of a problem. Both ways return false when the budget is spent; the tree is then of no use.
template <std::size_t Words>
class PaperGrower {
  public:
    PaperGrower(const SearchProblem& problem, Budget& budget, Progress& progress);

    /// DT(allowed), from scratch.
    [[nodiscard]] bool grow(const FeatureSet<Words>& allowed, PaperTree<Words>& tree);

    /// DT(allowed), given DT(allowed ∪ {removed}), which must outlive it.
    [[nodiscard]] bool grow_without(std::size_t removed, const FeatureSet<Words>& allowed,
                                    const PaperTree<Words>& before, PaperTree<Words>& tree);

    [[nodiscard]] std::uint64_t n_built() const noexcept { return n_built_; }
    [[nodiscard]] std::uint64_t n_expansions() const noexcept { return n_expansions_; }

  private:
    using Tree = PaperTree<Words>;

    struct Pending {
        Place* place;
        std::span<const std::uint32_t> candidates;  // slots of its block
    };
    /// A split whose children are not all there yet.
    struct Open {
        std::size_t entry;
        std::uint32_t children_left;
    };

    bool grow_place(Place& place, std::span<const std::uint32_t> candidates, const FeatureSet<Words>& allowed,
                    Tree& tree);
    bool best_split(const Place& place, std::span<const std::uint32_t> candidates, const FeatureSet<Words>& allowed,
                    Node& node, Candidate& best);
    void gather(Place& place, std::span<const std::uint32_t>& candidates, Tree& tree);
    void add_leaf(Node& node, Tree& tree);
    void add_split(Node& node, const Candidate& best, Tree& tree);
    void hand_out_rows(const Place& place, Node& node, std::span<Place* const> children);
    void attach(std::size_t entry, Tree& tree);
    void close(std::size_t entry, Tree& tree);
    bool finish(Tree& tree);

    const SearchProblem& problem_;
    const Dataset& dataset_;
    Ranker ranker_;
    Budget& budget_;
    Progress& progress_;
    bool rows_can_be_shared_ = false;
    std::vector<std::unique_ptr<const Block>> root_blocks_;
    std::vector<Place> roots_;
    std::vector<std::uint32_t> all_slots_;  // 0, 1, 2, ...

    RankingScratch scratch_;
    NodeTotals totals_;
    SharedVotes<Words> shared_votes_;
    std::vector<Pending> pending_;
    std::vector<Open> open_;
    std::vector<Place*> children_;
    std::vector<std::uint32_t> part_of_;
    Watch watch_;
    std::uint64_t n_built_ = 0;
    std::uint64_t n_expansions_ = 0;
};

}  // namespace palmette::paper
