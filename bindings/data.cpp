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

    void add(const std::vector<AnyColumn>& arrays, const std::vector<std::optional<std::uint32_t>>& n_categories,
             std::size_t n_jobs) {
        if (arrays.size() != n_categories.size())
            throw nb::value_error("there must be as many numbers of categories as columns");
        std::vector<ColumnView> raw;
        raw.reserve(arrays.size());
        for (std::size_t i = 0; i < arrays.size(); ++i)
            raw.push_back(n_categories[i] ? ColumnView(category_view(arrays[i], *n_categories[i]))
                                          : ColumnView(value_view(arrays[i])));
        const nb::gil_scoped_release released;
        WorkerPool pool(n_jobs);
        for (Column& column : encode(raw, pool)) columns.push_back(std::move(column));
    }
    Dataset build(const Vector<std::int32_t>& labels, std::size_t n_classes,
                  const std::optional<Vector<double>>& weights, std::size_t n_jobs) {
        WorkerPool pool(n_jobs);
        return Dataset(std::exchange(columns, {}), vector_of<Label>(labels), n_classes,
                       weights ? span_of(*weights) : std::span<const double>{}, &pool);
    }
};

}  // namespace

void bind_data(nb::module_& module) {
    nb::class_<DatasetOutline>(module, "DatasetOutline", "What flattening a grown tree has to know of its dataset.");

    nb::class_<Dataset>(module, "Dataset", "An immutable, rank-coded table with labels and weights.")
        .def_prop_ro("n_rows", &Dataset::n_rows)
        .def_prop_ro("n_features", &Dataset::n_features)
        .def_prop_ro("n_classes", &Dataset::n_classes)
        .def_prop_ro("labels",
                     [](nb::handle self) {
                         const auto labels = nb::cast<const Dataset&>(self).labels();
                         return nb::ndarray<nb::numpy, const Label, nb::ndim<1>>(labels.data(), {labels.size()}, self);
                     })
        .def_prop_ro("outline", &Dataset::outline)
        .def_prop_ro("nbytes", &Dataset::code_bytes, "Bytes of the codes.");

    nb::class_<DatasetBuilder>(module, "DatasetBuilder", "Encodes columns, then makes a Dataset of them.")
        .def(nb::init<>())
        .def("add", &DatasetBuilder::add, "columns"_a, "n_categories"_a, "n_jobs"_a = 1,
             "Adds columns: floats (NaN for missing) or integers of at most 32 bits where the number of categories is\n"
             "None, category numbers in int8, int16 or int32 with -1 for missing where it is given.")
        .def("build", &DatasetBuilder::build, "labels"_a.noconvert(), "n_classes"_a, "weights"_a.none() = nb::none(),
             "n_jobs"_a = 1);
}
