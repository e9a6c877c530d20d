// Dataset and its builder as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/support/worker_pool.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

/// Columns in the order in which they are added.
struct DatasetBuilder {
    DatasetBuilder() = default;
    DatasetBuilder(const DatasetBuilder&) = delete;
    DatasetBuilder& operator=(const DatasetBuilder&) = delete;

    std::vector<Column> columns;

    void add_continuous(const std::vector<AnyColumn>& arrays, std::size_t n_jobs) {
        const std::vector<ValueView> views = value_views(arrays);
        const nb::gil_scoped_release released;
        WorkerPool pool(n_jobs);
        for (Column& column : encode_continuous(views, pool)) columns.push_back(std::move(column));
    }
    void add_nominal(const Vector<std::int32_t>& categories, std::uint32_t n_categories) {
        columns.push_back(encode_nominal(span_of(categories), n_categories));
    }
    Dataset build(const Vector<std::int32_t>& labels, std::size_t n_classes,
                  const std::optional<Vector<double>>& weights) {
        return Dataset(std::exchange(columns, {}), vector_of<Label>(labels), n_classes,
                       weights ? span_of(*weights) : std::span<const double>{});
    }
};

}  // namespace

void bind_data(nb::module_& module) {
    nb::class_<Dataset>(module, "Dataset", "An immutable, rank-coded table with labels and weights.")
        .def_prop_ro("n_rows", &Dataset::n_rows)
        .def_prop_ro("n_features", &Dataset::n_features)
        .def_prop_ro("n_classes", &Dataset::n_classes)
        .def_prop_ro("nbytes", &Dataset::code_bytes, "Bytes of the codes.");

    nb::class_<DatasetBuilder>(module, "DatasetBuilder", "Encodes columns, then makes a Dataset of them.")
        .def(nb::init<>())
        .def("add_continuous", &DatasetBuilder::add_continuous, "columns"_a, "n_jobs"_a = 1,
             "Adds float64 or float32 columns, NaN for missing.")
        .def("add_nominal", &DatasetBuilder::add_nominal, "categories"_a.noconvert(), "n_categories"_a,
             "Adds category numbers, -1 for missing.")
        .def("build", &DatasetBuilder::build, "labels"_a.noconvert(), "n_classes"_a, "weights"_a.none() = nb::none());
}
