#include "palmette/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>

namespace palmette {
namespace {

/// Up to which count x·log2(x) is looked up. Every class of every node asks, and where there are two classes, every cut
/// asks for its totals too: the two largest classes together are in the table. So are the nodes that `is_better_sorted`
/// (tree/sorted_cuts.hpp) takes by their samples: at most an eighth of the rows. The totals of nodes with more classes
/// and samples are asked for twice a cut; a table for them would be half of the codes of a narrow dataset, so it goes
/// as far as a sixteenth of their bytes.
std::size_t largest_looked_up(std::span<const Label> labels, std::size_t n_classes, std::size_t code_bytes) {
    std::vector<std::size_t> sizes(std::max<std::size_t>(2, n_classes), 0);
    for (const Label label : labels) ++sizes[label];
    std::ranges::nth_element(sizes, sizes.begin() + 1, std::greater{});
    const std::size_t least = std::max(sizes[0] + sizes[1], labels.size() / 8);
    return std::min(labels.size(), std::max(least, code_bytes / 16 / sizeof(std::int64_t)));
}

}  // namespace

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
    const std::size_t largest =
        weights_.empty() ? largest_looked_up(labels_, n_classes_, code_bytes()) : labels_.size();
    xlogx_ = XLogX(scale_, largest, pool);
}

bool Dataset::has_missing(std::span<const std::uint32_t> rows) const noexcept {
    return std::ranges::any_of(columns_, [rows](const Column& column) { return column.codes.has_missing(rows); });
}

DatasetOutline Dataset::outline() const {
    DatasetOutline outline{n_classes_, {}, scale_};
    outline.n_categories.reserve(columns_.size());
    for (const Column& column : columns_)
        outline.n_categories.push_back(column.kind == FeatureKind::nominal ? column.n_values : 0);
    return outline;
}

std::size_t Dataset::code_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& column : columns_) bytes += column.codes.nbytes();
    return bytes;
}

}  // namespace palmette
