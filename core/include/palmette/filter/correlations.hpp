// Correlations: the symmetric uncertainties of a table, computed when they are asked for and kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/filter/discrete_table.hpp"
#include "palmette/filter/uncertainty.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

class Correlations {
  public:
    /// Computes those with the class, on all workers. Features that a spent budget leaves out have none.
    Correlations(const DiscreteTable& table, Budget& budget, Progress& progress, WorkerPool& pool);

    [[nodiscard]] std::span<const Uncertainty> with_class() const noexcept { return with_class_; }

    /// The uncertainties of `feature` with `others`, in their order, on all workers; kept for no one. Empty once the
    /// budget is spent.
    std::vector<Uncertainty> with(std::uint32_t feature, std::span<const std::uint32_t> others);

    /// Those of `feature` with every relevant feature, kept; empty once the budget is spent.
    std::span<const Uncertainty> column(std::uint32_t feature);

    /// Of one pair, from a kept column if there is one.
    [[nodiscard]] Uncertainty between(std::uint32_t first, std::uint32_t second);

    /// The features that have anything in common with the class, ascending.
    [[nodiscard]] std::span<const std::uint32_t> relevant() const noexcept { return relevant_; }

    [[nodiscard]] std::uint64_t n_computed() const noexcept { return n_computed_; }

  private:
    const DiscreteTable& table_;
    Budget& budget_;
    WorkerPool& pool_;
    std::vector<UncertaintyScratch> scratch_;
    std::vector<Uncertainty> with_class_;
    std::vector<std::uint32_t> relevant_;
    std::vector<std::vector<Uncertainty>> columns_;  // of each feature, by feature; empty: not computed
    std::uint64_t n_computed_ = 0;
};

}  // namespace palmette
