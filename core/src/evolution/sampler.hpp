// Sampler: the individuals of one generation, drawn from the distribution and grown together.
//
// At each node of the trie the individuals that have come there draw what is tested; those that draw the same feature go
// on together. So a cut is sought once for all of them, and no two threads meet at a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palmette/evolution/distribution.hpp"
#include "palmette/evolution/individual.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "path_trie.hpp"

namespace palmette {

class Sampler {
  public:
    /// Tries every feature at the root, where no leaf is allowed: only those that can split are drawn there.
    Sampler(PathTrie& trie, WorkerPool& pool, Budget& budget);

    /// Individual i draws from streams of its own, one for each position: generation.child(i).child(position).
    /// Once the budget is spent, what is not grown yet becomes leaves.
    [[nodiscard]] std::vector<Individual> sample(const TreeDistribution& distribution, RandomStream generation,
                                                 std::size_t count);

  private:
    struct Outcome {
        bool leaf = true;
        Label label = 0;
        Judgement judgement;
    };
    struct Plan;

    /// The individuals that test the same feature at the same node.
    struct Group {
        PathNode* node = nullptr;
        PathEdge* edge = nullptr;
        Position position = 0;
        std::uint32_t level = 0;
        std::vector<std::uint32_t> places;  // in the list of those who came to the node
        std::vector<std::uint32_t> who;
        std::vector<Outcome> outcomes;
        std::vector<Plan> children;  // only of a group that is too large for one thread
    };
    struct Plan {
        PathNode* node = nullptr;
        std::vector<Outcome> outcomes;
        std::vector<Group> groups;
    };
    struct Emitted {
        std::uint32_t individual;
        Gene gene;
    };

    [[nodiscard]] static Outcome leaf_of(const PathNode& node);
    [[nodiscard]] std::int32_t draw(Position position, std::uint32_t level, std::uint32_t individual) const;
    std::vector<Group> draw_groups(PathNode& node, Position position, std::uint32_t level,
                                   std::span<const std::uint32_t> who, std::span<Outcome> outcomes);
    void plan(Plan& out, PathNode& node, Position position, std::uint32_t level, std::span<const std::uint32_t> who,
              std::size_t largest_task, std::vector<Group*>& tasks);
    void finish(Plan& plan);
    void grow_node(PathNode& node, Position position, std::uint32_t level, std::span<const std::uint32_t> who,
                   std::span<Outcome> outcomes, std::size_t worker);
    void grow_group(Group& group, std::size_t worker);
    void join(Group& group, const std::vector<std::vector<Outcome>>& below, std::size_t worker);

    PathTrie& trie_;
    WorkerPool& pool_;
    Budget& budget_;
    std::vector<RankingScratch> scratch_;
    std::vector<std::vector<Emitted>> emitted_;  // by worker
    std::vector<std::uint32_t> root_features_;
    const TreeDistribution* distribution_ = nullptr;
    std::vector<RandomStream> streams_;
};

}  // namespace palmette
