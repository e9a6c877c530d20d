// The samples that FOCUS has to tell apart, and the conflicts that a set of features leaves.
//
// focus.cpp searches; hitting_set.hpp keeps the conflicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"

namespace palmette::oblivious {

class Conflicts {
  public:
    explicit Conflicts(const Dataset& dataset);

    [[nodiscard]] std::size_t n_features() const noexcept { return dataset_.n_features(); }
    /// Samples that are alike with a sample of another class on all features.
    [[nodiscard]] std::size_t n_inseparable() const noexcept { return n_inseparable_; }

    [[nodiscard]] bool is_consistent(std::span<const std::uint32_t> features) const;

    /// Some of the conflicts that the features leave, each the ascending features on which two samples differ. Pairs
    /// that differ on few features are looked for. None iff the features are consistent.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> left_by(std::span<const std::uint32_t> features) const;

    /// The features without which all the others are not consistent: conflicts of one feature.
    [[nodiscard]] std::vector<std::uint32_t> forced() const;

  private:
    [[nodiscard]] std::vector<std::uint32_t> difference(std::uint32_t a, std::uint32_t b) const;

    const Dataset& dataset_;
    std::vector<std::uint32_t> rows_;  // one row of the dataset for each combination of values
    /// The class of each of these rows; one with several classes has a kind of its own, in conflict with all others.
    std::vector<std::uint32_t> kind_;
    std::size_t n_inseparable_ = 0;
};

}  // namespace palmette::oblivious
