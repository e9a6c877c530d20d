// The published searches of Ruggieri (2017, 2019) as Python sees them. Weights are doubles here.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "palmette/search/paper.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

PaperResult search(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                   const nb::object& on_progress) {
    Progress progress;
    bool interrupted = false;
    return wait_or_stop(budget, progress, on_progress, interrupted,
                        [&] { return search_as_paper(problem, settings, budget, progress); });
}

PaperEnumeration enumerate(const SearchProblem& problem, const PaperSettings& settings, Budget& budget, bool collect,
                           const nb::object& on_progress) {
    Progress progress;
    bool interrupted = false;
    return wait_or_stop(budget, progress, on_progress, interrupted,
                        [&] { return enumerate_as_paper(problem, settings, collect, budget, progress); });
}

template <class Run>
void bind_counts(nb::class_<Run>& bound) {
    bound.def_prop_ro("n_built", [](const Run& run) { return run.counts.n_built; })
        .def_prop_ro("n_reported", [](const Run& run) { return run.counts.n_reported; })
        .def_prop_ro("n_duplicates", [](const Run& run) { return run.counts.n_duplicates; })
        .def_prop_ro("n_expansions", [](const Run& run) { return run.counts.n_expansions; });
}

}  // namespace

void bind_paper(nb::module_& module) {
    nb::enum_<PaperOrder>(module, "PaperOrder")
        .value("frontier_2019", PaperOrder::frontier_2019)
        .value("cases_2017", PaperOrder::cases_2017)
        .value("reversed", PaperOrder::reversed)
        .value("fixed", PaperOrder::fixed);
    nb::enum_<PaperAlgorithm>(module, "PaperAlgorithm")
        .value("accept", PaperAlgorithm::accept)
        .value("exhaustive", PaperAlgorithm::exhaustive)
        .value("cache", PaperAlgorithm::cache);

    nb::class_<PaperSettings>(module, "PaperSettings", "What a published search is asked for beyond its problem.")
        .def(nb::init<>())
        .def_rw("order", &PaperSettings::order)
        .def_rw("algorithm", &PaperSettings::algorithm)
        .def_rw("error_gap", &PaperSettings::error_gap)
        .def_rw("feature_penalty", &PaperSettings::feature_penalty)
        .def_rw("max_features", &PaperSettings::max_features)
        .def_rw("keep", &PaperSettings::keep)
        .def_rw("initial_error", &PaperSettings::initial_error)
        .def_ro_static("no_limit", &PaperSettings::no_limit);

    nb::class_<PaperResult> result(module, "PaperResult", "The subset that a published search has found.");
    result.def_ro("found", &PaperResult::found, "False when no tree reached `initial_error`; `units` is then empty.")
        .def_ro("units", &PaperResult::units)
        .def_ro("error", &PaperResult::error)
        .def_ro("objective", &PaperResult::objective)
        .def_ro("proved", &PaperResult::proved);
    bind_counts(result);

    nb::class_<PaperEnumeration> enumeration(module, "PaperEnumeration", "The distinct trees of all subsets.");
    enumeration.def_ro("trees_by_size", &PaperEnumeration::trees_by_size)
        .def_ro("subsets", &PaperEnumeration::subsets)
        .def_ro("finished", &PaperEnumeration::finished);
    bind_counts(enumeration);

    module.def("search_as_paper", &search, "problem"_a, "settings"_a, "budget"_a, "on_progress"_a.none() = nb::none());
    module.def("enumerate_as_paper", &enumerate, "problem"_a, "settings"_a, "budget"_a, "collect"_a,
               "on_progress"_a.none() = nb::none());
}
