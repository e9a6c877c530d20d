#include "palmette/search/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "palmette/tree/midpoint.hpp"

namespace palmette {

SearchProblem::SearchProblem(const Dataset& dataset, const GrowthOptions& growth, ThresholdRule rule)
    : dataset_(&dataset), growth_(growth), rule_(rule), values_(dataset.n_features()) {
    std::vector<std::uint32_t> each(dataset.n_features());
    std::iota(each.begin(), each.end(), 0U);
    set_units(std::move(each));
}

void SearchProblem::set_values(std::uint32_t feature, std::vector<double> values) {
    if (feature >= dataset_->n_features())
        throw std::invalid_argument("feature " + std::to_string(feature) + " is not one of the " +
                                    std::to_string(dataset_->n_features()));
    const std::size_t expected = dataset_->column(feature).n_values;
    if (values.size() != expected)
        throw std::invalid_argument("feature " + std::to_string(feature) + " has " + std::to_string(expected) +
                                    " distinct values, got " + std::to_string(values.size()));
    values_[feature] = std::move(values);
}

void SearchProblem::add_fold(std::span<const std::uint32_t> building, std::span<const std::uint32_t> search) {
    if (folds_.size() == most_folds)
        throw std::invalid_argument("a search takes at most " + std::to_string(most_folds) +
                                    " pairs of building and search sets: ask for fewer folds");
    const auto with_weight = [&](std::span<const std::uint32_t> rows, const char* set) {
        std::vector<std::uint32_t> kept;
        kept.reserve(rows.size());
        for (const std::uint32_t row : rows) {
            if (row >= dataset_->n_rows())
                throw std::invalid_argument("the " + std::string(set) + " set names row " + std::to_string(row) +
                                            " of " + std::to_string(dataset_->n_rows()));
            if (weight_of_row(row) > 0) kept.push_back(row);
        }
        if (kept.empty()) throw std::invalid_argument("the " + std::string(set) + " set has no row with weight");
        return kept;
    };
    Fold fold{with_weight(building, "building"), with_weight(search, "search")};
    // Canonical order, repeats kept: results do not depend on how the rows were listed.
    std::ranges::sort(fold.building);
    std::ranges::sort(fold.search);
    for (const std::uint32_t row : fold.search) search_weight_ += weight_of_row(row);

    if (rule_ == ThresholdRule::c45) {
        auto& is_built = is_building_code_.emplace_back(dataset_->n_features());
        for (std::size_t f = 0; f < dataset_->n_features(); ++f) {
            const Column& column = dataset_->column(f);
            if (column.kind != FeatureKind::continuous) continue;
            is_built[f].assign(std::size_t{column.n_values} + 1, false);
            for (const std::uint32_t row : fold.building) is_built[f][column.codes[row]] = true;
        }
    }
    folds_.push_back(std::move(fold));
}

void SearchProblem::set_units(std::vector<std::uint32_t> unit_of) {
    if (unit_of.size() != dataset_->n_features())
        throw std::invalid_argument("units were given for " + std::to_string(unit_of.size()) + " features of " +
                                    std::to_string(dataset_->n_features()));
    std::vector<std::vector<std::uint32_t>> features_of;
    for (std::uint32_t f = 0; f < unit_of.size(); ++f) {
        if (unit_of[f] >= unit_of.size())
            throw std::invalid_argument("unit " + std::to_string(unit_of[f]) + " is beyond the number of features");
        if (unit_of[f] >= features_of.size()) features_of.resize(unit_of[f] + std::size_t{1});
        features_of[unit_of[f]].push_back(f);
    }
    for (std::size_t unit = 0; unit < features_of.size(); ++unit)
        if (features_of[unit].empty()) throw std::invalid_argument("unit " + std::to_string(unit) + " has no feature");
    unit_of_ = std::move(unit_of);
    features_of_ = std::move(features_of);
}

void SearchProblem::check_complete() const {
    if (folds_.empty()) throw std::invalid_argument("the problem has no building and search set");
    for (std::size_t f = 0; f < dataset_->n_features(); ++f) {
        const Column& column = dataset_->column(f);
        if (column.kind == FeatureKind::continuous && values_[f].size() != column.n_values)
            throw std::invalid_argument("the values of feature " + std::to_string(f) + " are not set");
    }
}

std::uint32_t SearchProblem::cut_code(std::size_t fold, std::uint32_t feature, std::uint32_t lower,
                                      std::uint32_t upper) const {
    const std::vector<double>& values = values_[feature];
    const double middle = midpoint(values[lower - 1], values[upper - 1]);
    const auto above = std::upper_bound(values.begin() + lower, values.begin() + (upper - 1), middle);
    auto code = static_cast<std::uint32_t>(above - values.begin());
    if (rule_ == ThresholdRule::midpoint) return code;
    const std::vector<bool>& is_built = is_building_code_[fold][feature];
    while (!is_built[code]) --code;  // `lower` is one at the latest
    return code;
}

}  // namespace palmette
