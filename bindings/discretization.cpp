// Discretization as Python sees it.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "palmette/data/discretization.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

std::vector<CodeCuts> cuts_of(const Dataset& dataset, CutCost cost, Budget& budget, std::size_t n_jobs,
                              const nb::object& on_progress) {
    Progress progress;
    progress.work_total = dataset.n_features();
    return wait_for(budget, progress, on_progress, [&] {
        WorkerPool pool(n_jobs);
        return mdl_cuts(dataset, cost, budget, progress, pool);
    });
}

std::vector<nb::ndarray<nb::numpy, double>> points_of(const Dataset& dataset,
                                                      const std::vector<std::uint32_t>& features,
                                                      const std::vector<AnyColumn>& columns,
                                                      const std::vector<CodeCuts>& cuts, std::size_t n_jobs) {
    if (columns.size() != features.size() || cuts.size() != features.size())
        throw std::invalid_argument("features, columns and cuts differ in number");
    for (const std::uint32_t feature : features)
        if (feature >= dataset.n_features())
            throw std::invalid_argument("the dataset has no feature " + std::to_string(feature));
    const std::vector<ValueView> views = value_views(columns);
    std::vector<std::vector<double>> points(features.size());
    {
        const nb::gil_scoped_release released;
        WorkerPool pool(n_jobs);
        pool.run(features.size(), [&](std::size_t, std::size_t i) {
            if (!cuts[i].empty())
                points[i] =
                    cut_points(cuts[i], decode_values(dataset.column(features[i]), views[i], dataset.weights()));
        });
    }
    std::vector<nb::ndarray<nb::numpy, double>> arrays;
    for (auto& some : points) {
        const std::size_t size = some.size();
        arrays.push_back(to_numpy(std::move(some), {size}));
    }
    return arrays;
}

}  // namespace

void bind_discretization(nb::module_& module) {
    nb::enum_<CutCost>(module, "CutCost").value("samples", CutCost::samples).value("values", CutCost::values);
    module.def("mdl_cuts", &cuts_of, "dataset"_a, "cost"_a, "budget"_a, "n_jobs"_a = 1,
               "on_progress"_a.none() = nb::none(),
               "The cuts of each column between its codes, by Fayyad and Irani's rule; none of a nominal column.");
    module.def("cut_points", &points_of, "dataset"_a, "features"_a, "columns"_a, "cuts"_a, "n_jobs"_a = 1,
               "The cuts of some columns as numbers; `columns` are the values that the dataset was made of.");
}
