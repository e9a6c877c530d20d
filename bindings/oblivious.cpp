// Decision tables, their pruning, and FOCUS as Python sees them. Weights are doubles here.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "palmette/oblivious/decision_table.hpp"
#include "palmette/oblivious/focus.hpp"
#include "palmette/oblivious/folds.hpp"
#include "palmette/oblivious/pruning.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> values_of(const Matrix<T>& matrix) {
    return std::vector<T>(matrix.data(), matrix.data() + matrix.size());
}

DecisionTable table_of_arrays(const Matrix<std::int32_t>& codes, const Matrix<double>& class_weights) {
    if (codes.shape(0) != class_weights.shape(0))
        throw std::invalid_argument("the codes and the class weights of the table do not fit together");
    return {codes.shape(1), class_weights.shape(1), values_of(codes), values_of(class_weights)};
}

auto nearest(const DecisionTable& table, const Matrix<std::int32_t>& codes, std::size_t n_jobs) {
    if (codes.shape(1) != table.n_features)
        throw std::invalid_argument("the rows do not have the features of the table");
    const std::size_t n_rows = codes.shape(0);
    Budget budget;
    Progress progress;
    std::vector<double> weights = wait_for(budget, progress, nb::none(), [&] {
        WorkerPool pool(n_jobs);
        return nearest_class_weights(table, {codes.data(), codes.size()}, n_rows, budget, pool);
    });
    return to_numpy(std::move(weights), {n_rows, table.n_classes});
}

const char* status_of(const FocusResult& result) {
    switch (result.status) {
        case FocusStatus::complete:
            return "complete";
        case FocusStatus::time_limit:
            return "time_limit";
        default:
            return "interrupted";
    }
}

FocusResult run_focus(const Dataset& dataset, const std::vector<std::uint32_t>& keep, Budget& budget,
                      const nb::object& on_progress) {
    FocusProgress progress;
    bool interrupted = false;
    const auto tick = [&] {
        if (!on_progress.is_none()) on_progress(progress.share(), progress.size.load(), progress.lower_bound.load());
    };
    return wait_ticking(budget, &interrupted, tick,
                        [&] { return find_smallest_consistent(dataset, keep, budget, progress); });
}

}  // namespace

void bind_oblivious(nb::module_& module) {
    nb::class_<DecisionTable>(module, "DecisionTable", "Cells with their class weights.")
        .def(
            "__init__",
            [](DecisionTable* self, const Matrix<std::int32_t>& codes, const Matrix<double>& class_weights) {
                new (self) DecisionTable(table_of_arrays(codes, class_weights));
            },
            "codes"_a.noconvert(), "class_weights"_a.noconvert())
        .def_prop_ro(
            "codes",
            [](const DecisionTable& self) {
                return to_numpy(std::vector(self.codes), {self.n_cells(), self.n_features});
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "class_weights",
            [](const DecisionTable& self) {
                return to_numpy(std::vector(self.class_weights), {self.n_cells(), self.n_classes});
            },
            nb::rv_policy::move)
        .def("nearest_class_weights", &nearest, "codes"_a.noconvert(), "n_jobs"_a = 1,
             "Summed class weights of the nearest cells of each row of codes.");
    module.def(
        "fill_table",
        [](const Dataset& dataset, const std::vector<std::uint32_t>& features) {
            return fill_table(dataset, features);
        },
        "dataset"_a, "features"_a);

    nb::class_<TablePruningSettings>(module, "TablePruningSettings", "What the pruning of a table is asked for.")
        .def(nb::init<>())
        .def_rw("units", &TablePruningSettings::units)
        .def_rw("keep", &TablePruningSettings::keep)
        .def_rw("min_features", &TablePruningSettings::min_features)
        .def_rw("folds", &TablePruningSettings::folds)
        .def_rw("redraw_folds", &TablePruningSettings::redraw_folds)
        .def_rw("seed", &TablePruningSettings::seed)
        .def_rw("n_jobs", &TablePruningSettings::n_jobs)
        .def_rw("memory_limit", &TablePruningSettings::memory_limit);

    module.def(
        "redrawn_folds",
        [](const Dataset& dataset, const std::vector<std::uint32_t>& folds, std::uint64_t seed, std::size_t step) {
            return redrawn_folds(dataset, folds, seed, step);
        },
        "dataset"_a, "folds"_a, "seed"_a, "step"_a);

    nb::class_<FocusResult>(module, "FocusResult", "The smallest consistent set of features, and what is proved of it.")
        .def_ro("features", &FocusResult::features)
        .def_ro("lower_bound", &FocusResult::lower_bound)
        .def_prop_ro("status", &status_of)
        .def_ro("n_inseparable", &FocusResult::n_inseparable)
        .def_ro("n_conflicts", &FocusResult::n_conflicts)
        .def_ro("n_nodes", &FocusResult::n_nodes);
    module.def("find_smallest_consistent", &run_focus, "dataset"_a, "keep"_a, "budget"_a,
               "on_progress"_a.none() = nb::none());
}
