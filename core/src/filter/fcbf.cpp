#include "palmette/filter/fcbf.hpp"

#include <algorithm>
#include <functional>

#include "palmette/filter/correlations.hpp"

namespace palmette {

FcbfResult select_by_fcbf(const Dataset& dataset, const FcbfOptions& options, Budget& budget, Progress& progress,
                          WorkerPool& pool) {
    // Features are cut, correlated with the class, and decided on.
    progress.work_total.store(3 * dataset.n_features(), std::memory_order_relaxed);
    const DiscreteTable table(dataset, options.cut_cost, budget, progress, pool);
    Correlations correlations(table, budget, progress, pool);
    FcbfResult result;
    result.with_class.assign(correlations.with_class().begin(), correlations.with_class().end());
    result.removed_by.assign(table.n_features(), FcbfResult::irrelevant);

    std::vector<std::uint32_t> left;
    for (const std::uint32_t feature : correlations.relevant())
        if (to_double(result.with_class[feature]) > options.threshold) left.push_back(feature);
    progress.work_done.fetch_add(table.n_features() - left.size(), std::memory_order_relaxed);
    std::ranges::stable_sort(left, std::greater<>{}, [&](std::uint32_t feature) { return result.with_class[feature]; });
    for (const std::uint32_t feature : left) result.removed_by[feature] = FcbfResult::undecided;

    while (!left.empty() && !budget.check_deadline()) {
        const std::uint32_t best = left.front();
        left.erase(left.begin());
        result.removed_by[best] = FcbfResult::kept;
        result.selected.push_back(best);
        progress.nodes_expanded.fetch_add(1, std::memory_order_relaxed);
        const std::vector<Uncertainty> shared = correlations.with(best, left);
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < shared.size(); ++i) {
            if (shared[i] >= result.with_class[left[i]])
                result.removed_by[left[i]] = best;
            else
                left[n_left++] = left[i];
        }
        progress.work_done.fetch_add(left.size() - n_left + 1, std::memory_order_relaxed);
        if (shared.empty() && !left.empty()) break;
        left.resize(n_left);
    }
    result.n_correlations = correlations.n_computed();
    result.complete = !budget.spent();
    return result;
}

}  // namespace palmette
