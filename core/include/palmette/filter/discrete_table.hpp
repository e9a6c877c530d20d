// DiscreteTable: the features of a dataset as columns of few values, and its classes as one more column.
//
// Filters count how often values occur together, so a continuous feature is cut into intervals first (Fayyad & Irani).
// The folder `filter` is apart from `search` because nothing in it knows a tree or an error: a filter looks at the data
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/data/discretization.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

class DiscreteTable {
  public:
    /// Cuts the continuous columns; those that a spent budget leaves uncut are constant. The dataset must outlive the table.
    DiscreteTable(const Dataset& dataset, CutCost cost, Budget& budget, Progress& progress, WorkerPool& pool);

    [[nodiscard]] const Dataset& dataset() const noexcept { return dataset_; }
    [[nodiscard]] std::size_t n_features() const noexcept { return dataset_.n_features(); }
    /// The number of the column of the classes, behind all features.
    [[nodiscard]] std::size_t class_column() const noexcept { return n_features(); }
    [[nodiscard]] const Column& column(std::size_t number) const noexcept {
        return places_[number] == in_dataset ? dataset_.column(number) : own_[places_[number]];
    }
    [[nodiscard]] bool has_missing(std::size_t number) const noexcept { return has_missing_[number]; }

  private:
    static constexpr std::size_t in_dataset = ~std::size_t{0};

    const Dataset& dataset_;
    std::vector<Column> own_;  // the cut columns, then the classes
    std::vector<std::size_t> places_;
    std::vector<bool> has_missing_;
};

}  // namespace palmette
