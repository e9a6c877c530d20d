#include "palmette/filter/discrete_table.hpp"

#include <algorithm>

namespace palmette {
namespace {

bool holds_missing(const Column& column) {
    return visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        return std::find(codes, codes + column.codes.size(), 0) != codes + column.codes.size();
    });
}

Column classes_of(const Dataset& dataset) {
    const auto n_classes = static_cast<std::uint32_t>(dataset.n_classes());
    Column column{FeatureKind::nominal, n_classes, CodeArray(dataset.n_rows(), n_classes)};
    visit_codes(column.codes.data(), column.codes.width(), [&](auto* codes) {
        using Code = std::remove_pointer_t<decltype(codes)>;
        std::ranges::transform(dataset.labels(), codes, [](Label label) { return static_cast<Code>(label + 1); });
    });
    return column;
}

}  // namespace

DiscreteTable::DiscreteTable(const Dataset& dataset, CutCost cost, Budget& budget, Progress& progress, WorkerPool& pool)
    : dataset_(dataset), places_(dataset.n_features() + 1, in_dataset), has_missing_(dataset.n_features() + 1) {
    std::vector<std::uint32_t> continuous;
    for (std::uint32_t feature = 0; feature < dataset.n_features(); ++feature)
        if (dataset.column(feature).kind == FeatureKind::continuous) {
            places_[feature] = continuous.size();
            continuous.push_back(feature);
        }
    const std::vector<CodeCuts> cuts = mdl_cuts(dataset, cost, budget, progress, pool);
    own_.resize(continuous.size() + 1);
    pool.run(continuous.size(), [&](std::size_t, std::size_t i) {
        own_[i] = cut_column(dataset.column(continuous[i]), cuts[continuous[i]]);
    });
    places_[class_column()] = continuous.size();
    own_.back() = classes_of(dataset);
    for (std::size_t number = 0; number < places_.size(); ++number)
        has_missing_[number] = holds_missing(column(number));
}

}  // namespace palmette
