// The sequential searches over feature subsets, of trees and of decision tables, as Python sees them. Weights are
// doubles here.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "palmette/oblivious/pruning.hpp"
#include "palmette/search/elimination.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

struct FinishedElimination {
    EliminationResult result;
    WeightScale scale;

    [[nodiscard]] const char* status() const {
        switch (result.status) {
            case EliminationStatus::complete:
                return "complete";
            case EliminationStatus::time_limit:
                return "time_limit";
            case EliminationStatus::memory_limit:
                return "memory_limit";
            default:
                return "interrupted";
        }
    }
};

/// A step of a run. Its subset is put together when it is asked for.
struct StepOfRun {
    std::shared_ptr<const FinishedElimination> run;
    std::size_t number;

    [[nodiscard]] const EliminationStep& operator*() const { return run->result.steps[number]; }
};

/// What Python holds. Names of bound types must differ from those of the other files: nanobind goes by the name.
struct EliminationRun {
    std::shared_ptr<const FinishedElimination> run;

    [[nodiscard]] const EliminationResult& operator*() const { return run->result; }
    [[nodiscard]] std::vector<StepOfRun> steps() const {
        std::vector<StepOfRun> list;
        for (std::size_t i = 0; i < run->result.steps.size(); ++i) list.push_back({run, i});
        return list;
    }
};

/// Runs search(progress) and reports how far it has come.
template <class Search>
EliminationRun run_reporting(const WeightScale& scale, Budget& budget, const nb::object& on_progress, Search search) {
    EliminationProgress progress;
    const auto tick = [&] {
        if (!on_progress.is_none())
            on_progress(progress.share(), progress.trees_built.load(), progress.nodes_expanded.load(),
                        scale.to_double(progress.error.load()), progress.size.load());
    };
    bool interrupted = false;
    auto finished = std::make_shared<FinishedElimination>();
    finished->scale = scale;
    finished->result = wait_ticking(budget, &interrupted, tick, [&] { return search(progress); });
    return {std::move(finished)};
}

EliminationRun run_elimination(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget,
                               const nb::object& on_progress) {
    return run_reporting(problem.dataset().scale(), budget, on_progress,
                         [&](EliminationProgress& progress) { return eliminate(problem, settings, budget, progress); });
}

EliminationRun run_pruning(const Dataset& dataset, const TablePruningSettings& settings, Budget& budget,
                           const nb::object& on_progress) {
    return run_reporting(dataset.scale(), budget, on_progress, [&](EliminationProgress& progress) {
        return prune_table(dataset, settings, budget, progress);
    });
}

}  // namespace

void bind_elimination(nb::module_& module) {
    nb::enum_<EliminationStrategy>(module, "EliminationStrategy")
        .value("backward", EliminationStrategy::backward)
        .value("forward", EliminationStrategy::forward)
        .value("floating_backward", EliminationStrategy::floating_backward)
        .value("floating_forward", EliminationStrategy::floating_forward)
        .value("beam", EliminationStrategy::beam);
    nb::enum_<EliminationAlgorithm>(module, "EliminationAlgorithm")
        .value("white_box", EliminationAlgorithm::white_box)
        .value("black_box", EliminationAlgorithm::black_box)
        .value("paper", EliminationAlgorithm::paper);

    nb::class_<EliminationSettings>(module, "EliminationSettings",
                                    "What a sequential search is asked for beyond its problem.")
        .def(nb::init<>())
        .def_rw("strategy", &EliminationSettings::strategy)
        .def_rw("algorithm", &EliminationSettings::algorithm)
        .def_rw("accept_ties", &EliminationSettings::accept_ties)
        .def_rw("unused_together", &EliminationSettings::unused_together)
        .def_rw("keep", &EliminationSettings::keep)
        .def_rw("max_features", &EliminationSettings::max_features)
        .def_rw("min_features", &EliminationSettings::min_features)
        .def_rw("beam_width", &EliminationSettings::beam_width)
        .def_rw("n_jobs", &EliminationSettings::n_jobs)
        .def_rw("memory_limit", &EliminationSettings::memory_limit)
        .def_ro_static("no_limit", &EliminationSettings::no_limit);

    nb::class_<StepOfRun>(module, "EliminationStep", "One step of a sequential search.")
        .def_prop_ro("removed", [](const StepOfRun& step) { return (*step).removed; })
        .def_prop_ro("added", [](const StepOfRun& step) { return (*step).added; })
        .def_prop_ro("error", [](const StepOfRun& step) { return step.run->scale.to_double((*step).error); })
        .def_prop_ro("size", [](const StepOfRun& step) { return (*step).size; })
        .def_prop_ro("units", [](const StepOfRun& step) { return units_of_step(step.run->result, step.number); })
        .def_prop_ro("used", [](const StepOfRun& step) { return (*step).used; })
        .def_prop_ro("trees_built", [](const StepOfRun& step) { return (*step).trees_built; })
        .def_prop_ro("seconds", [](const StepOfRun& step) { return (*step).seconds; });

    nb::class_<EliminationRun>(module, "EliminationResult",
                               "The subset that a sequential search ends with, and its steps.")
        .def_prop_ro("units", [](const EliminationRun& self) { return (*self).units; })
        .def_prop_ro("error", [](const EliminationRun& self) { return self.run->scale.to_double((*self).error); })
        .def_prop_ro("steps", &EliminationRun::steps)
        .def_prop_ro("status", [](const EliminationRun& self) { return self.run->status(); })
        .def_prop_ro("n_trees", [](const EliminationRun& self) { return (*self).n_trees; })
        .def_prop_ro("n_scans", [](const EliminationRun& self) { return (*self).n_scans; })
        .def_prop_ro("n_expansions", [](const EliminationRun& self) { return (*self).n_expansions; })
        .def_prop_ro("peak_bytes", [](const EliminationRun& self) { return (*self).peak_bytes; });

    module.def("eliminate", &run_elimination, "problem"_a, "settings"_a, "budget"_a,
               "on_progress"_a.none() = nb::none());
    module.def("prune_table", &run_pruning, "dataset"_a, "settings"_a, "budget"_a, "on_progress"_a.none() = nb::none());
}
