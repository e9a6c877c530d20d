// Partition: the samples of a node's children under a candidate split; the step after the ranking.
//
// A sample whose value is missing goes down every branch with its share of the weight. Such samples are handed out
// when a child's samples are taken, not before: a feature of many categories and many missing values would otherwise
// fill memory with copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/block.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/tree/ranking.hpp"

namespace palmette {

class Partition {
  public:
    Partition(const Dataset& dataset, const Block& block, const NodeSamples& samples, const Candidate& candidate);

    /// Branches that hold at least one known value.
    [[nodiscard]] std::size_t n_parts() const noexcept { return codes_.size(); }
    /// The code of the category of part j; of a continuous split, 0 for "at most the cut" and 1 for "above".
    [[nodiscard]] std::uint32_t code(std::size_t j) const noexcept { return codes_[j]; }
    [[nodiscard]] std::span<const std::uint32_t> codes() const noexcept { return codes_; }
    /// Continuous: the codes of the dataset that the cut lies between.
    [[nodiscard]] std::uint32_t lower() const noexcept { return lower_; }
    [[nodiscard]] std::uint32_t upper() const noexcept { return upper_; }
    /// Whether a sample has no value here, and goes to several parts.
    [[nodiscard]] bool has_missing() const noexcept { return !missing_.ids.empty(); }
    /// How many samples part j has.
    [[nodiscard]] std::size_t size(std::size_t j) const noexcept { return known_[j].ids.size() + missing_.ids.size(); }

    /// The samples of part j. Each part is taken once; different parts may be taken by different threads.
    [[nodiscard]] NodeSamples take(std::size_t j);

  private:
    void part_by_cut(const Dataset& dataset, const Block& block, const NodeSamples& samples,
                     const Candidate& candidate);
    void part_by_category(const Block& block, const NodeSamples& samples, const Column& column);
    void weigh(const Dataset& dataset);

    std::vector<std::uint32_t> codes_;
    std::uint32_t lower_ = 0;
    std::uint32_t upper_ = 0;
    std::vector<NodeSamples> known_;  // by part
    NodeSamples missing_;
    std::vector<Weight> part_weights_;  // of the known samples, only where some are missing
    Weight known_weight_ = 0;
};

}  // namespace palmette
