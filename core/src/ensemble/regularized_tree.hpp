// RegularizedGrower: one tree after another on a common set of selected features (Algorithm 1 of Deng & Runger 2012).
// `regularized_forest.cpp` and `regularized_boosting.cpp` say on which samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "palmette/data/block.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/ensemble/regularized.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/random.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/grown_tree.hpp"
#include "palmette/tree/partition.hpp"
#include "palmette/tree/ranking.hpp"
#include "selected_features.hpp"

namespace palmette {

class RegularizedGrower {
  public:
    /// Throws std::invalid_argument where the options do not fit the dataset.
    RegularizedGrower(const Dataset& dataset, const RegularizedOptions& options, Budget& budget, Progress& progress,
                      WorkerPool& pool);

    /// The tree of the samples, whose number names its random stream.
    GrownTree grow(NodeSamples samples, std::size_t number);

    /// All rows of positive weight, with the weights of the dataset.
    [[nodiscard]] NodeSamples all_samples() const;

    [[nodiscard]] SelectedFeatures& selected() noexcept { return selected_; }
    [[nodiscard]] std::uint64_t features_judged() const noexcept { return features_judged_; }

  private:
    __extension__ using Wide = __int128;

    /// A node whose samples are known and whose split is not.
    struct Pending {
        GrownNode* node;
        NodeSamples samples;  // of the root; those of the others are part `part` of the partition
        std::shared_ptr<Partition> partition;
        std::size_t part;
        std::uint32_t depth;
        RandomStream stream;
        std::shared_ptr<const std::vector<std::uint32_t>> constant;  // features known to be constant here, ascending
    };

    /// What the candidates of a node are compared by.
    struct Comparison {
        std::int64_t offset;   // what every candidate's gain is added to
        std::int64_t ceiling;  // the gain of a split into pure branches, which no other exceeds
        Candidate best;
        Wide best_score = 0;
        bool best_is_new = false;
    };

    void expand(Pending& at, std::size_t number, Arena& arena, std::deque<Pending>& children);
    Comparison compare(const Pending& at);
    void consider(std::span<const std::uint32_t> features, bool are_new, const NodeSamples& samples,
                  Comparison& comparison);
    void weigh(Candidate candidate, bool is_new, Comparison& comparison) const;
    void split(Pending& at, const Candidate& best, Arena& arena, std::deque<Pending>& children);

    const Dataset& dataset_;
    const RegularizedOptions& options_;
    Budget& budget_;
    Progress& progress_;
    WorkerPool& pool_;
    Ranker ranker_;
    Block block_;
    SelectedFeatures selected_;
    std::vector<std::int64_t> new_feature_weights_;  // in units of 2^-32
    std::int64_t largest_weight_ = 0;                // of a new feature
    std::vector<RankingScratch> scratch_;
    NodeTotals totals_;
    std::vector<std::uint32_t> varying_;         // the selected features that may tell samples of the node apart
    std::vector<std::uint32_t> newly_constant_;  // those found not to
    std::vector<std::uint32_t> drawn_;
    std::vector<Candidate> candidates_;
    Watch watch_;
    std::uint64_t features_judged_ = 0;
};

}  // namespace palmette
