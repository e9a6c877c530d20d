// Forests as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <set>
#include <utility>

#include "arrays.hpp"
#include "palmette/ensemble/forest.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

GrownForest grow(const Dataset& dataset, const ForestOptions& options, Budget& budget, std::size_t n_jobs,
                 const nb::object& on_progress) {
    Progress progress;
    return wait_for(budget, progress, on_progress, [&] {
        WorkerPool pool(n_jobs);
        return grow_forest(dataset, options, budget, progress, pool);
    });
}

std::vector<std::uint32_t> used_features(const GrownForest& forest) {
    std::set<std::uint32_t> used;
    for (const GrownTree& tree : forest.trees)
        for (const std::uint32_t feature : tree.used_features()) used.insert(feature);
    return {used.begin(), used.end()};
}

void resolve(GrownForest& forest, const Dataset& dataset, const std::vector<std::uint32_t>& features,
             const std::vector<AnyColumn>& columns, ThresholdRule rule, std::size_t n_jobs) {
    const std::vector<ValueView> views = value_views(columns);
    const nb::gil_scoped_release released;
    WorkerPool pool(n_jobs);
    resolve_thresholds(forest.trees, dataset, features, views, rule, pool);
}

void prune(GrownForest& forest, const Dataset& dataset, const ForestOptions& options, double confidence, Budget& budget,
           std::size_t n_jobs) {
    Progress progress;
    wait_for(budget, progress, nb::none(), [&] {
        WorkerPool pool(n_jobs);
        prune_forest(forest, dataset, options, confidence, budget, pool);
        return true;
    });
}

auto out_of_bag_of(const GrownForest& forest, const Dataset& dataset, const ForestOptions& options, Voting voting,
                   std::size_t n_jobs) {
    Budget budget;
    Progress progress;
    OutOfBag result = wait_for(budget, progress, nb::none(), [&] {
        WorkerPool pool(n_jobs);
        return out_of_bag(forest, dataset, options, voting, budget, pool);
    });
    return std::pair(to_numpy(std::move(result.probabilities), {dataset.n_rows(), dataset.n_classes()}),
                     to_numpy(std::move(result.n_trees), {dataset.n_rows()}));
}

}  // namespace

void bind_ensemble(nb::module_& module) {
    nb::enum_<Voting>(module, "Voting", "Whether trees are averaged or vote.")
        .value("soft", Voting::soft)
        .value("hard", Voting::hard);

    nb::class_<ForestOptions>(module, "ForestOptions", "The choices that define which forest is grown.")
        .def(nb::init<>())
        .def_rw("tree", &ForestOptions::tree)
        .def_rw("n_trees", &ForestOptions::n_trees)
        .def_rw("bootstrap", &ForestOptions::bootstrap)
        .def_rw("n_draws", &ForestOptions::n_draws);

    nb::class_<GrownForest>(module, "GrownForest", "Trees as the grower leaves them, tests in codes.")
        .def_ro("complete", &GrownForest::complete)
        .def_prop_ro("n_trees", [](const GrownForest& forest) { return forest.trees.size(); })
        .def_prop_ro("used_features", &used_features)
        .def("resolve_thresholds", &resolve, "dataset"_a, "features"_a, "columns"_a, "rule"_a, "n_jobs"_a = 1)
        .def("prune", &prune, "dataset"_a, "options"_a, "confidence"_a, "budget"_a, "n_jobs"_a = 1)
        .def("out_of_bag", &out_of_bag_of, "dataset"_a, "options"_a, "voting"_a, "n_jobs"_a = 1,
             "Mean probabilities of each row over the trees that did not see it, and how many those are.")
        .def(
            "take_trees",
            [](GrownForest& forest, const Dataset& dataset) {
                std::vector<GrownTree> grown = std::exchange(forest.trees, {});
                forest.numbers.clear();
                std::vector<Tree> trees;
                trees.reserve(grown.size());
                // The last one first: its memory is likely at the end of the heap, from where it returns to the system.
                for (; !grown.empty(); grown.pop_back()) trees.push_back(grown.back().flatten(dataset));
                std::ranges::reverse(trees);
                return trees;
            },
            "dataset"_a,
            "The trees in the form that predicts. The forest gives its own up one by one: both would be twice the "
            "memory.");

    module.def("grow_forest", &grow, "dataset"_a, "options"_a, "budget"_a, "n_jobs"_a = 1,
               "on_progress"_a.none() = nb::none());
}
