// Filters as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "palmette/filter/cfs.hpp"
#include "palmette/filter/fcbf.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

template <class Result>
struct Interruptible : Result {
    bool interrupted = false;
};

/// Ctrl-C ends the filter as a deadline does.
template <class Result, class Options,
          Result (*select)(const Dataset&, const Options&, Budget&, Progress&, WorkerPool&)>
Interruptible<Result> run(const Dataset& dataset, const Options& options, Budget& budget, std::size_t n_jobs,
                          const nb::object& on_progress) {
    Progress progress;
    bool interrupted = false;
    Interruptible<Result> result{wait_or_stop(budget, progress, on_progress, interrupted, [&] {
        WorkerPool pool(n_jobs);
        return select(dataset, options, budget, progress, pool);
    })};
    result.interrupted = interrupted;
    return result;
}

template <class Result>
auto uncertainties(const Result& result) {
    std::vector<double> values;
    values.reserve(result.with_class.size());
    for (const Uncertainty uncertainty : result.with_class) values.push_back(to_double(uncertainty));
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

}  // namespace

void bind_filter(nb::module_& module) {
    nb::class_<CfsOptions>(module, "CfsOptions", "The choices that define a correlation-based selection.")
        .def(nb::init<>())
        .def_rw("max_stale", &CfsOptions::max_stale)
        .def_rw("locally_predictive", &CfsOptions::locally_predictive)
        .def_rw("cut_cost", &CfsOptions::cut_cost);
    nb::class_<CfsExpansion>(module, "CfsExpansion", "A subset that was expanded.")
        .def_ro("features", &CfsExpansion::features)
        .def_ro("merit", &CfsExpansion::merit)
        .def_ro("best_merit", &CfsExpansion::best_merit);
    using Cfs = Interruptible<CfsResult>;
    nb::class_<Cfs>(module, "CfsResult", "What a correlation-based selection found.")
        .def_prop_ro("selected", [](const Cfs& result) { return result.selected; })
        .def_prop_ro("n_locally_predictive", [](const Cfs& result) { return result.n_locally_predictive; })
        .def_prop_ro("merit", [](const Cfs& result) { return result.merit; })
        .def_prop_ro("history", [](const Cfs& result) { return result.history; })
        .def_prop_ro("with_class", &uncertainties<Cfs>, nb::rv_policy::move)
        .def_prop_ro("n_correlations", [](const Cfs& result) { return result.n_correlations; })
        .def_prop_ro("n_subsets", [](const Cfs& result) { return result.n_subsets; })
        .def_prop_ro("complete", [](const Cfs& result) { return result.complete; })
        .def_ro("interrupted", &Cfs::interrupted);

    nb::class_<FcbfOptions>(module, "FcbfOptions", "The choices that define a fast correlation-based filter.")
        .def(nb::init<>())
        .def_rw("threshold", &FcbfOptions::threshold)
        .def_rw("cut_cost", &FcbfOptions::cut_cost);
    using Fcbf = Interruptible<FcbfResult>;
    nb::class_<Fcbf>(module, "FcbfResult", "What a fast correlation-based filter found.")
        .def_prop_ro("selected", [](const Fcbf& result) { return result.selected; })
        .def_prop_ro("with_class", &uncertainties<Fcbf>, nb::rv_policy::move)
        .def_prop_ro(
            "removed_by", [](const Fcbf& result) { return result.removed_by; },
            "Of each feature: the one that made it redundant; -1 kept, -2 irrelevant, -3 undecided.")
        .def_prop_ro("n_correlations", [](const Fcbf& result) { return result.n_correlations; })
        .def_prop_ro("complete", [](const Fcbf& result) { return result.complete; })
        .def_ro("interrupted", &Fcbf::interrupted);

    module.def("select_by_cfs", &run<CfsResult, CfsOptions, select_by_cfs>, "dataset"_a, "options"_a, "budget"_a,
               "n_jobs"_a = 1, "on_progress"_a.none() = nb::none());
    module.def("select_by_fcbf", &run<FcbfResult, FcbfOptions, select_by_fcbf>, "dataset"_a, "options"_a, "budget"_a,
               "n_jobs"_a = 1, "on_progress"_a.none() = nb::none());
}
