#include "palmette/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace palmette {

Dataset::Dataset(std::vector<Column> columns, std::vector<Label> labels, std::size_t n_classes,
                 std::span<const double> weights, WorkerPool* pool)
    : columns_(std::move(columns)), labels_(std::move(labels)), n_classes_(n_classes) {
    if (labels_.empty()) throw std::invalid_argument("a dataset needs at least one row");
    if (labels_.size() > most_rows)
        throw std::invalid_argument("a dataset holds at most 2**31 - 1 rows, got " + std::to_string(labels_.size()));
    if (n_classes == 0 || n_classes > most_classes)
        throw std::invalid_argument("the number of classes must be in 1..65535, got " + std::to_string(n_classes));
    for (std::size_t f = 0; f < columns_.size(); ++f)
        if (columns_[f].codes.size() != labels_.size())
            throw std::invalid_argument("column " + std::to_string(f) + " has " +
                                        std::to_string(columns_[f].codes.size()) + " rows, the labels have " +
                                        std::to_string(labels_.size()));
    if (std::ranges::any_of(labels_, [&](Label label) { return label >= n_classes_; }))
        throw std::invalid_argument("a label is not below the number of classes");

    const auto n = static_cast<double>(labels_.size());
    if (weights.empty()) {
        scale_ = WeightScale(n);
    } else {
        if (weights.size() != labels_.size())
            throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights for " +
                                        std::to_string(labels_.size()) + " rows");
        if (std::ranges::any_of(weights, [](double weight) { return !std::isfinite(weight) || weight < 0; }))
            throw std::invalid_argument("a weight is negative or not finite");
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        scale_ = WeightScale(total);
        const bool unit = std::ranges::all_of(weights, [](double weight) { return weight == 1.0; });
        if (!unit) {
            weights_.reserve(weights.size());
            for (const double weight : weights) weights_.push_back(scale_.from_double(weight));
        }
        if (total <= 0) throw std::invalid_argument("all weights are zero");
    }
    xlogx_ = XLogX(scale_, labels_.size(), pool);
}

bool Dataset::has_missing(std::span<const std::uint32_t> rows) const noexcept {
    return std::ranges::any_of(columns_, [rows](const Column& column) { return column.codes.has_missing(rows); });
}

std::size_t Dataset::code_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& column : columns_) bytes += column.codes.nbytes();
    return bytes;
}

}  // namespace palmette
