#include "palmette/ensemble/regularized.hpp"
#include "regularized_tree.hpp"

namespace palmette {

RegularizedEnsemble grow_regularized_forest(const Dataset& dataset, const RegularizedOptions& options, Budget& budget,
                                            Progress& progress, WorkerPool& pool) {
    RegularizedGrower grower(dataset, options, budget, progress, pool);
    RegularizedEnsemble result;
    GrownForest& forest = result.forest;
    progress.work_total.store(options.forest.n_trees, std::memory_order_relaxed);
    for (std::size_t number = 0; number < options.forest.n_trees; ++number) {
        if (number > 0 && budget.check_deadline()) {
            forest.complete = false;
            break;
        }
        const std::size_t n_entries = grower.selected().n_entries();
        NodeSamples samples = options.forest.bootstrap
                                  ? NodeSamples{bootstrap_sample(dataset, options.forest, number), {}, false}
                                  : grower.all_samples();
        GrownTree tree = grower.grow(std::move(samples), number);
        forest.complete = tree.complete;
        if (!tree.complete && number > 0) {
            grower.selected().forget_after(n_entries);
            break;
        }
        forest.trees.push_back(std::move(tree));
        forest.numbers.push_back(number);
        progress.work_done.fetch_add(1, std::memory_order_relaxed);
        progress.trees_built.fetch_add(1, std::memory_order_relaxed);
        if (!forest.complete) break;
    }
    result.features_judged = grower.features_judged();
    result.entries = std::move(grower.selected()).entries();
    return result;
}

}  // namespace palmette
