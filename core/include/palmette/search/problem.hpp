// SearchProblem: what a search over the lattice of feature subsets is about.
//
// The rows of the building set and of the search set are coded together in one Dataset, so a test in codes sends both
// the same way. A *fold* is one pair of the two sets; with several, as in cross-validation, the errors add up. A *unit*
// is what is chosen or left out: a feature, or a group of features that stay or go together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/tree/options.hpp"

namespace palmette {

/// The rows that trees are grown on, and the rows whose errors are counted. They may overlap (error on the training
/// set).
struct Fold {
    std::vector<std::uint32_t> building;
    std::vector<std::uint32_t> search;
};

/// Errors of a search are fixed-point weights of the dataset's scale: exact, and additive in any order.
using ErrorWeight = Weight;

class SearchProblem {
  public:
    /// The dataset must outlive the problem.
    SearchProblem(const Dataset& dataset, const GrowthOptions& growth, ThresholdRule rule);

    /// The distinct values of a continuous feature over all rows, ascending: entry c - 1 is the value of code c.
    void set_values(std::uint32_t feature, std::vector<double> values);
    /// The nodes of a search keep the number of their fold in two bytes.
    static constexpr std::size_t most_folds = 65535;
    /// Rows of weight zero are left out of both sets. Throws std::invalid_argument on rows out of range, when no weight
    /// is left in either set, or beyond `most_folds`.
    void add_fold(std::span<const std::uint32_t> building, std::span<const std::uint32_t> search);
    /// The unit of each feature; units are numbered from 0 without gaps. Until this is called every feature is one.
    void set_units(std::vector<std::uint32_t> unit_of);

    /// Throws std::invalid_argument unless there is a fold and every continuous feature has its values.
    void check_complete() const;

    [[nodiscard]] const Dataset& dataset() const noexcept { return *dataset_; }
    [[nodiscard]] const GrowthOptions& growth() const noexcept { return growth_; }
    [[nodiscard]] std::span<const Fold> folds() const noexcept { return folds_; }
    [[nodiscard]] std::size_t n_units() const noexcept { return features_of_.size(); }
    [[nodiscard]] std::uint32_t unit_of(std::size_t feature) const noexcept { return unit_of_[feature]; }
    /// Ascending.
    [[nodiscard]] std::span<const std::uint32_t> features_of(std::size_t unit) const noexcept {
        return features_of_[unit];
    }
    /// Weight of all search sets together.
    [[nodiscard]] ErrorWeight search_weight() const noexcept { return search_weight_; }
    [[nodiscard]] Weight weight_of_row(std::uint32_t row) const noexcept {
        return dataset_->weights().empty() ? dataset_->scale().one() : dataset_->weights()[row];
    }

    /// The greatest code that goes left when a node of `fold` is cut between the codes `lower` and `upper` of its
    /// building samples: the code of the threshold, or of the greatest value not above it.
    [[nodiscard]] std::uint32_t cut_code(std::size_t fold, std::uint32_t feature, std::uint32_t lower,
                                         std::uint32_t upper) const;

  private:
    const Dataset* dataset_;
    GrowthOptions growth_;
    ThresholdRule rule_;
    std::vector<Fold> folds_;
    std::vector<std::vector<double>> values_;
    // By fold, feature and code: whether the building set holds it. Thresholds at midpoints do without.
    std::vector<std::vector<std::vector<bool>>> is_building_code_;
    std::vector<std::uint32_t> unit_of_;
    std::vector<std::vector<std::uint32_t>> features_of_;
    ErrorWeight search_weight_ = 0;
};

}  // namespace palmette
