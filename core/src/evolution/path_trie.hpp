// PathTrie: every node that some individual has had, by the path that leads to it, so that no cut is sought twice.
//
// The samples at a node follow from the features tested on the way to it and the branches taken. Individuals that test
// the same features on the way to a node share it, in one generation and over all of them: as the distribution
// converges, fewer and fewer nodes are new. What the trie holds is a cache; any part may be dropped and comes back
// the same.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palmette/data/block.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/evolution/evolution.hpp"
#include "palmette/evolution/individual.hpp"
#include "palmette/evolution/watched.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/grown_tree.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette {

struct PathNode;

/// The split of a node on one feature. Without children the feature cannot split it.
struct PathEdge {
    std::uint32_t feature = 0;
    bool made = false;
    bool has_empty_leaf = false;  // some declared category has no sample here
    std::uint32_t lower = 0, upper = 0;
    std::int64_t gain = 0;
    std::vector<std::uint32_t> codes;  // of the branches
    std::vector<std::unique_ptr<PathNode>> children;
    std::array<Weight, most_watched> right_elsewhere{};  // watched rows that the empty leaf tells right
};

struct PathNode {
    NodeSamples samples;  // empty where the node is a leaf whatever is drawn
    NodeTotals totals;
    std::vector<WatchedRows> watched;
    std::array<Weight, most_watched> watched_right{};
    bool final = false;                            // pure, or on the last level
    std::vector<std::unique_ptr<PathEdge>> edges;  // by feature
    std::size_t nbytes = 0;

    [[nodiscard]] Weight right() const noexcept { return totals.class_weights[totals.majority]; }
};

class PathTrie {
  public:
    PathTrie(const EvolutionProblem& problem, std::uint32_t max_height, std::size_t memory_limit);

    [[nodiscard]] PathNode& root() noexcept { return *root_; }
    [[nodiscard]] std::uint32_t max_height() const noexcept { return max_height_; }
    [[nodiscard]] const EvolutionProblem& problem() const noexcept { return problem_; }
    [[nodiscard]] std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool too_large() const noexcept { return nbytes() > memory_limit_; }
    [[nodiscard]] std::uint64_t n_made() const noexcept { return n_made_.load(std::memory_order_relaxed); }

    /// The edge of a node for the feature, new if there is none; `make` fills it.
    PathEdge& edge_of(PathNode& node, std::uint32_t feature);

    /// The number of branch j, by which positions are named: a category keeps its own where others have no sample.
    [[nodiscard]] std::size_t branch_number(const PathEdge& edge, std::size_t j) const noexcept {
        return problem_.nominal(edge.feature) ? edge.codes[j] - 1 : edge.codes[j];
    }

    /// Finds the split of `node`, which is on `level`, on the feature of `edge`, and the nodes that it leads to.
    /// Different edges may be made by different threads.
    void make(PathNode& node, PathEdge& edge, std::uint32_t level, RankingScratch& scratch);

    /// Forgets everything below the edge; it can be made again.
    void drop(PathEdge& edge);

    /// The tree of the genes.
    [[nodiscard]] GrownTree tree_of(std::span<const Gene> genes, RankingScratch& scratch);

  private:
    std::unique_ptr<PathNode> new_node(NodeSamples samples, std::vector<WatchedRows> watched, std::uint32_t level);
    [[nodiscard]] std::size_t size_of(const PathEdge& edge) const;

    const EvolutionProblem& problem_;
    Block block_;
    std::uint32_t max_height_;
    std::size_t memory_limit_;
    std::atomic<std::size_t> nbytes_{0};
    std::atomic<std::uint64_t> n_made_{0};
    std::unique_ptr<PathNode> root_;
};

}  // namespace palmette
