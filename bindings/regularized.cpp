// Regularized ensembles as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "columns.hpp"
#include "palmette/ensemble/regularized.hpp"
#include "palmette/ensemble/voting.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

/// An ensemble, and whether Ctrl-C ended its making.
struct Regularized {
    RegularizedEnsemble ensemble;
    bool interrupted = false;
};

Regularized grow(const Dataset& dataset, const RegularizedOptions& options, Budget& budget, std::size_t n_jobs,
                 const nb::object& on_progress) {
    Progress progress;
    bool interrupted = false;
    return {wait_or_stop(budget, progress, on_progress, interrupted,
                         [&] {
                             WorkerPool pool(n_jobs);
                             return grow_regularized_forest(dataset, options, budget, progress, pool);
                         }),
            interrupted};
}

Regularized boost(const Dataset& dataset, const Columns& columns, const RegularizedOptions& options, Budget& budget,
                  std::size_t n_jobs, const nb::object& on_progress) {
    std::vector<std::optional<ValueView>> views;
    for (const auto& column : columns) views.push_back(column ? std::optional(value_view(*column)) : std::nullopt);
    Progress progress;
    bool interrupted = false;
    return {wait_or_stop(budget, progress, on_progress, interrupted,
                         [&] {
                             WorkerPool pool(n_jobs);
                             return boost_regularized_trees(dataset, views, options, budget, progress, pool);
                         }),
            interrupted};
}

auto vote(const std::vector<const Tree*>& trees, const std::vector<double>& votes, const Columns& columns,
          std::size_t n_rows, std::size_t n_jobs) {
    const PredictionColumns views(columns);
    const std::size_t n_classes = trees.at(0)->n_classes();
    Budget budget;
    Progress progress;
    return to_numpy(wait_for(budget, progress, nb::none(),
                             [&] {
                                 WorkerPool pool(n_jobs);
                                 return predict_votes(trees, votes, views.span(), n_rows, budget, pool);
                             }),
                    {n_rows, n_classes});
}

}  // namespace

void bind_regularized(nb::module_& module) {
    nb::enum_<RegularizedScore>(module, "RegularizedScore")
        .value("gain", RegularizedScore::gain)
        .value("uncentred_gini", RegularizedScore::uncentred_gini);

    nb::class_<RegularizedOptions>(module, "RegularizedOptions", "The choices that define a regularized ensemble.")
        .def(nb::init<>())
        .def_rw("forest", &RegularizedOptions::forest)
        .def_rw("score", &RegularizedOptions::score)
        .def_rw("new_feature_weights", &RegularizedOptions::new_feature_weights)
        .def_rw("initial", &RegularizedOptions::initial)
        .def_rw("threshold", &RegularizedOptions::threshold);

    nb::class_<FeatureEntry>(module, "FeatureEntry", "How a feature came into the set.")
        .def_ro("feature", &FeatureEntry::feature)
        .def_ro("tree", &FeatureEntry::tree)
        .def_ro("depth", &FeatureEntry::depth)
        .def_ro("gain", &FeatureEntry::gain)
        .def_ro("weight", &FeatureEntry::weight);

    nb::class_<Regularized>(module, "RegularizedEnsemble", "Trees that share a set of features, and how it came about.")
        .def_prop_ro(
            "forest", [](Regularized& result) -> GrownForest& { return result.ensemble.forest; },
            nb::rv_policy::reference_internal)
        .def_prop_ro("entries", [](const Regularized& result) { return result.ensemble.entries; })
        .def_prop_ro("votes", [](const Regularized& result) { return result.ensemble.votes; })
        .def_prop_ro("errors", [](const Regularized& result) { return result.ensemble.errors; })
        .def_prop_ro("features_judged", [](const Regularized& result) { return result.ensemble.features_judged; })
        .def_ro("interrupted", &Regularized::interrupted);

    module.def("grow_regularized_forest", &grow, "dataset"_a, "options"_a, "budget"_a, "n_jobs"_a = 1,
               "on_progress"_a.none() = nb::none());
    module.def("boost_regularized_trees", &boost, "dataset"_a, "columns"_a, "options"_a, "budget"_a, "n_jobs"_a = 1,
               "on_progress"_a.none() = nb::none(),
               "`columns` has the values of continuous features, None for others.");
    module.def("predict_votes", &vote, "trees"_a, "votes"_a, "columns"_a, "n_rows"_a, "n_jobs"_a = 1);
}
