#include "palmette/filter/correlations.hpp"

#include <algorithm>

namespace palmette {
namespace {

/// So many samples are looked at by one piece of work: less would cost more to hand out than to do.
constexpr std::size_t samples_per_task = std::size_t{1} << 16;

}  // namespace

Correlations::Correlations(const DiscreteTable& table, Budget& budget, Progress& progress, WorkerPool& pool)
    : table_(table),
      budget_(budget),
      pool_(pool),
      scratch_(pool.size()),
      with_class_(table.n_features(), 0),
      columns_(table.n_features()) {
    pool_.run(table.n_features(), [&](std::size_t worker, std::size_t feature) {
        if (!budget_.check_deadline())
            with_class_[feature] = symmetric_uncertainty(table_, feature, table_.class_column(), scratch_[worker]);
        progress.work_done.fetch_add(1, std::memory_order_relaxed);
    });
    n_computed_ += with_class_.size();
    for (std::uint32_t feature = 0; feature < with_class_.size(); ++feature)
        if (with_class_[feature] > 0) relevant_.push_back(feature);
}

std::vector<Uncertainty> Correlations::with(std::uint32_t feature, std::span<const std::uint32_t> others) {
    std::vector<Uncertainty> computed(others.size(), 0);
    const std::size_t per_task = std::max<std::size_t>(1, samples_per_task / table_.dataset().n_rows());
    pool_.run((others.size() + per_task - 1) / per_task, [&](std::size_t worker, std::size_t task) {
        if (budget_.check_deadline()) return;
        for (std::size_t i = task * per_task; i < std::min(others.size(), (task + 1) * per_task); ++i)
            computed[i] = others[i] == feature ? full_uncertainty
                          : columns_[others[i]].empty()
                              ? symmetric_uncertainty(table_, feature, others[i], scratch_[worker])
                              : columns_[others[i]][feature];
    });
    n_computed_ += others.size();
    if (budget_.spent()) computed.clear();
    return computed;
}

std::span<const Uncertainty> Correlations::column(std::uint32_t feature) {
    if (columns_[feature].empty()) {
        const std::vector<Uncertainty> computed = with(feature, relevant_);
        if (computed.empty()) return {};
        columns_[feature].assign(with_class_.size(), 0);
        for (std::size_t i = 0; i < relevant_.size(); ++i) columns_[feature][relevant_[i]] = computed[i];
    }
    return columns_[feature];
}

Uncertainty Correlations::between(std::uint32_t first, std::uint32_t second) {
    if (!columns_[first].empty()) return columns_[first][second];
    if (!columns_[second].empty()) return columns_[second][first];
    ++n_computed_;
    return symmetric_uncertainty(table_, first, second, scratch_.front());
}

}  // namespace palmette
