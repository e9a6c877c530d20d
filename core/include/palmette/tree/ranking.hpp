// Ranking: the quality f(a, C) of every feature for the samples at a node, best first, ties to the lowest index.
//
// This is the step on which growing, searching and eliminating are built: node samples in, ranked candidate
// splits out. The quality is an exact integer (support/fixed_point.hpp), a function of the samples alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "palmette/data/block.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/tree/options.hpp"

namespace palmette {

/// A way to split a node. Not eligible unless quality > 0.
struct Candidate {
    std::uint32_t slot = 0;     // the feature's column in the node's block
    std::uint32_t feature = 0;  // its number in the dataset
    std::uint32_t cut = 0;      // continuous: the greatest code in the block that goes left
    std::uint32_t above = 0;    // continuous: the smallest code that goes right
    bool constant = false;      // fewer than two known values: no descendant can split on it either
    std::int64_t quality = 0;   // higher is better; comparable only within a node
    std::int64_t gain = 0;      // weight × uncorrected gain, in fixed point

    [[nodiscard]] bool eligible() const noexcept { return quality > 0; }
};

/// Order of a ranking. Ties go to the lowest feature index: Lemma 6 needs a rule that does not depend on the subset.
[[nodiscard]] inline bool ranks_before(const Candidate& a, const Candidate& b) noexcept {
    return a.quality != b.quality ? a.quality > b.quality : a.feature < b.feature;
}

/// The samples at a node: numbers of samples in its block (or all of them), and their weights (or one each).
struct NodeSamples {
    std::vector<std::uint32_t> ids;  // empty if `whole`
    std::vector<Weight> weights;     // empty: unit weights
    bool whole = false;              // every sample of the block, in order
    std::size_t n_ones = 0;          // with weights: so many samples come first that weigh one and are not in `weights`

    [[nodiscard]] std::size_t size(const Block& block) const noexcept { return whole ? block.n_samples() : ids.size(); }
    [[nodiscard]] std::uint32_t id(std::size_t i) const noexcept {
        return whole ? static_cast<std::uint32_t>(i) : ids[i];
    }
};

/// What all features of a node share, computed once per node: labels side by side and class totals. Whoever fills this in
/// may number the classes among those of the node, in their order: the fewer, the faster the ranking.
struct NodeTotals {
    std::vector<Label> labels;
    std::vector<std::uint32_t> class_counts;  // unit weights only
    std::vector<Weight> class_weights;
    Weight weight = 0;
    Label majority = 0;  // lowest index on ties
    bool pure = true;
    bool by_class = false;  // the samples that weigh one come class by class

    void compute(const Block& block, const NodeSamples& samples, const Dataset& dataset);
    /// Numbers the classes among those that are here.
    void number_present_classes();

  private:
    std::vector<Label> number_of_;
};

/// Memory that one worker reuses from feature to feature.
struct RankingScratch {
    template <class Count>
    struct OfCounts {
        std::vector<Count> table, left, right, branch, missing, known;
        std::vector<std::int64_t> terms;
    };

    /// Weights of two classes.
    struct WeightPair {
        Weight of[2] = {0, 0};
        [[nodiscard]] Weight total() const noexcept { return of[0] + of[1]; }
    };

    OfCounts<std::uint32_t> unit;
    OfCounts<Weight> weighted;
    std::vector<std::uint32_t> narrow_bins;
    std::vector<std::uint64_t> wide_bins;
    std::vector<WeightPair> pair_bins;
    std::vector<std::pair<std::uint32_t, WeightPair>> pair_groups;  // with their codes
    std::vector<std::uint64_t> marks;
    std::vector<std::uint32_t> ends;
    std::vector<std::uint64_t> keys, key_buffer;
    std::vector<std::uint32_t> cut_keys, cut_buffer;
    std::vector<Label> ordered_labels;
    std::vector<Weight> ordered_weights;

    [[nodiscard]] std::size_t n_bins() const noexcept {
        return narrow_bins.size() + wide_bins.size() + pair_bins.size();
    }
    /// Gives the bins back if they are for many more than `n_codes` codes.
    void release_bins(std::size_t n_codes);
};

class Ranker {
  public:
    Ranker(const Dataset& dataset, const GrowthOptions& options);

    /// True iff the node must be a leaf whatever the features are: pure, or too light.
    [[nodiscard]] bool is_leaf(const NodeTotals& totals) const noexcept { return is_leaf(totals.weight, totals.pure); }
    [[nodiscard]] bool is_leaf(Weight weight, bool pure) const noexcept;

    /// The best split on one column of the node's block.
    [[nodiscard]] Candidate evaluate(const Block& block, const NodeSamples& samples, const NodeTotals& totals,
                                     std::uint32_t slot, RankingScratch& scratch) const;

    /// All eligible candidates among `slots`, best first.
    [[nodiscard]] std::vector<Candidate> rank(const Block& block, const NodeSamples& samples, const NodeTotals& totals,
                                              std::span<const std::uint32_t> slots, RankingScratch& scratch) const;

  private:
    const Dataset& dataset_;
    GrowthOptions options_;
    std::uint32_t least_count_;  // samples of weight one that reach options_.min_samples
};

}  // namespace palmette
