// Growing, pruning and predicting as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "columns.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/tree/grower.hpp"
#include "palmette/tree/prediction.hpp"
#include "palmette/tree/pruning.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

template <class T>
auto node_array(const std::vector<T> TreeArrays::* member) {
    return [member](nb::handle self) {
        const auto& values = nb::cast<const Tree&>(self).arrays().*member;
        return view_of(values, {values.size()}, self);
    };
}

template <class T>
auto class_weight_array(const std::vector<T> ClassWeights::* member) {
    return [member](nb::handle self) {
        const auto& values = nb::cast<const Tree&>(self).arrays().class_weights.*member;
        return view_of(values, {values.size()}, self);
    };
}

Tree make_tree(std::size_t n_classes, const std::vector<std::uint32_t>& n_categories,
               const Vector<std::int32_t>& feature, const Vector<double>& threshold,
               const Vector<std::int64_t>& branch_start, const Vector<std::int32_t>& branches,
               const Vector<std::int32_t>& label, const Vector<double>& weight, const Vector<std::int32_t>& class_start,
               const Vector<Label>& class_label, const Vector<double>& class_weight, const Vector<double>& gain) {
    TreeArrays arrays;
    arrays.n_classes = n_classes;
    arrays.feature = vector_of<std::int32_t>(feature);
    arrays.threshold = vector_of<double>(threshold);
    arrays.branch_start = vector_of<std::int64_t>(branch_start);
    arrays.branches = vector_of<std::int32_t>(branches);
    arrays.label = vector_of<std::int32_t>(label);
    arrays.weight = vector_of<double>(weight);
    arrays.class_weights.start = vector_of<std::int32_t>(class_start);
    arrays.class_weights.label = vector_of<Label>(class_label);
    arrays.class_weights.weight = vector_of<double>(class_weight);
    arrays.gain = vector_of<double>(gain);
    return Tree(std::move(arrays), n_categories);
}

GrownTree grow(const Dataset& dataset, const GrowthOptions& options, Budget& budget, std::size_t n_jobs,
               const nb::object& on_progress, const std::optional<std::vector<std::uint32_t>>& features) {
    Progress progress;
    return wait_for(budget, progress, on_progress, [&] {
        WorkerPool pool(n_jobs);
        return grow_tree(dataset, options, budget, progress, pool, features);
    });
}

void prune(GrownTree& tree, const Dataset& dataset, double confidence, Budget& budget) {
    Progress progress;
    wait_for(budget, progress, nb::none(), [&] {
        prune_by_error(tree, dataset, confidence, budget);
        return true;
    });
}

auto predict(const std::vector<const Tree*>& trees, const Columns& columns, std::size_t n_rows, std::size_t n_jobs) {
    const PredictionColumns views(columns);
    const std::size_t n_classes = trees.at(0)->n_classes();
    Budget budget;
    Progress progress;
    return to_numpy(wait_for(budget, progress, nb::none(),
                             [&] {
                                 WorkerPool pool(n_jobs);
                                 return predict_probabilities(trees, views.span(), n_rows, budget, pool);
                             }),
                    {n_rows, n_classes});
}

auto apply(const Tree& tree, const Columns& columns, std::size_t n_rows, std::size_t n_jobs) {
    const PredictionColumns views(columns);
    Budget budget;
    Progress progress;
    return to_numpy(wait_for(budget, progress, nb::none(),
                             [&] {
                                 WorkerPool pool(n_jobs);
                                 return find_leaves(tree, views.span(), n_rows, budget, pool);
                             }),
                    {n_rows});
}

}  // namespace

void bind_tree(nb::module_& module) {
    nb::enum_<Criterion>(module, "Criterion")
        .value("information_gain", Criterion::information_gain)
        .value("gain_ratio", Criterion::gain_ratio)
        .value("gini", Criterion::gini);
    nb::enum_<Growth>(module, "Growth").value("c45", Growth::c45).value("literal", Growth::literal);
    nb::enum_<ThresholdRule>(module, "ThresholdRule")
        .value("c45", ThresholdRule::c45)
        .value("midpoint", ThresholdRule::midpoint);

    nb::class_<GrowthOptions>(module, "GrowthOptions", "The choices that define which tree is grown.")
        .def(nb::init<>())
        .def_rw("criterion", &GrowthOptions::criterion)
        .def_rw("growth", &GrowthOptions::growth)
        .def_rw("min_samples", &GrowthOptions::min_samples)
        .def_rw("max_depth", &GrowthOptions::max_depth)
        .def_rw("max_features", &GrowthOptions::max_features)
        .def_rw("seed", &GrowthOptions::seed)
        .def_ro_static("no_limit", &GrowthOptions::no_limit);

    nb::class_<Tree>(module, "Tree", "A finished tree that predicts; its arrays are read-only views.")
        .def_static("from_arrays", &make_tree, "n_classes"_a, "n_categories"_a, "feature"_a, "threshold"_a,
                    "branch_start"_a, "branches"_a, "label"_a, "weight"_a, "class_start"_a, "class_label"_a,
                    "class_weight"_a, "gain"_a)
        .def_prop_ro("feature", node_array(&TreeArrays::feature))
        .def_prop_ro("threshold", node_array(&TreeArrays::threshold))
        .def_prop_ro("branch_start", node_array(&TreeArrays::branch_start))
        .def_prop_ro("branches", node_array(&TreeArrays::branches))
        .def_prop_ro("label", node_array(&TreeArrays::label))
        .def_prop_ro("weight", node_array(&TreeArrays::weight))
        .def_prop_ro("gain", node_array(&TreeArrays::gain))
        .def_prop_ro("class_start", class_weight_array(&ClassWeights::start))
        .def_prop_ro("class_label", class_weight_array(&ClassWeights::label))
        .def_prop_ro("class_weight", class_weight_array(&ClassWeights::weight))
        .def_prop_ro("parent",
                     [](nb::handle self) {
                         const auto& tree = nb::cast<const Tree&>(self);
                         return view_of(tree.parents(), {tree.n_nodes()}, self);
                     })
        .def_prop_ro("depth", &Tree::depth)
        .def("apply", &apply, "columns"_a, "n_rows"_a, "n_jobs"_a = 1, "The leaf that each row reaches.");

    nb::class_<GrownTree>(module, "GrownTree", "A tree as the grower leaves it, tests in codes.")
        .def_ro("complete", &GrownTree::complete)
        .def_prop_ro("nbytes", &GrownTree::nbytes, "Bytes of the nodes.")
        .def_prop_ro("used_features", &GrownTree::used_features)
        .def(
            "resolve_thresholds",
            [](GrownTree& tree, const Dataset& dataset, const std::vector<std::uint32_t>& features,
               const std::vector<AnyColumn>& columns, ThresholdRule rule, std::size_t n_jobs) {
                const std::vector<ValueView> views = value_views(columns);
                const nb::gil_scoped_release released;
                WorkerPool pool(n_jobs);
                resolve_thresholds({&tree, 1}, dataset, features, views, rule, pool);
            },
            "dataset"_a, "features"_a, "columns"_a, "rule"_a, "n_jobs"_a = 1)
        .def("prune", &prune, "dataset"_a, "confidence"_a, "budget"_a)
        .def("flatten", nb::overload_cast<const DatasetOutline&>(&GrownTree::flatten, nb::const_), "outline"_a);

    module.def("grow_tree", &grow, "dataset"_a, "options"_a, "budget"_a, "n_jobs"_a = 1,
               "on_progress"_a.none() = nb::none(), "features"_a.none() = nb::none(),
               "Grows the tree that tests the given features only, or all of them.");
    module.def("predict_probabilities", &predict, "trees"_a, "columns"_a, "n_rows"_a, "n_jobs"_a = 1);
    module.def("extra_errors", &extra_errors, "weight"_a, "errors"_a, "confidence"_a);
}
