#include "elimination_rows.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "palmette/tree/ranking.hpp"

namespace palmette::elimination {
namespace {

// Columns of fewer rows stay in the nearest caches whatever the order.
constexpr std::size_t fewest_rows = std::size_t{1} << 16;
// Enough to tell which features split well; the order need not be the best.
constexpr std::size_t most_ranked = std::size_t{1} << 14;
constexpr std::size_t most_features = 16;

/// The features that split a part of the first building set best.
std::vector<Candidate> best_splits(const SearchProblem& problem) {
    const Dataset& dataset = problem.dataset();
    const Block block(dataset);
    const std::vector<std::uint32_t>& building = problem.folds()[0].building;
    NodeSamples samples;
    const std::size_t stride = (building.size() + most_ranked - 1) / most_ranked;
    for (std::size_t i = 0; i < building.size(); i += stride) samples.ids.push_back(building[i]);
    NodeTotals totals;
    totals.compute(block, samples, dataset);
    std::vector<std::uint32_t> features(dataset.n_features());
    std::iota(features.begin(), features.end(), 0U);
    RankingScratch scratch;
    std::vector<Candidate> splits = Ranker(dataset, problem.growth()).rank(block, samples, totals, features, scratch);
    splits.resize(std::min(splits.size(), most_features));
    return splits;
}

/// Rows sorted by the branches of the best split, those of one branch by the next best, and so on.
std::vector<std::uint32_t> order_of_rows(const SearchProblem& problem) {
    const Dataset& dataset = problem.dataset();
    std::vector<std::uint32_t> order(dataset.n_rows()), sorted(order.size()), next;
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<Candidate> splits = best_splits(problem);
    for (auto split = splits.rbegin(); split != splits.rend(); ++split) {
        const Column& column = dataset.column(split->feature);
        const bool continuous = column.kind == FeatureKind::continuous;
        visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
            const auto branch_of = [&](std::uint32_t row) -> std::uint32_t {
                return continuous && codes[row] != 0 ? 1 + (codes[row] > split->cut) : codes[row];
            };
            next.assign(std::size_t{column.n_values} + 2, 0);
            for (const std::uint32_t row : order) ++next[branch_of(row)];
            std::uint32_t begin = 0;
            for (std::uint32_t& place : next) begin += std::exchange(place, begin);
            for (const std::uint32_t row : order) sorted[next[branch_of(row)]++] = row;
        });
        order.swap(sorted);
    }
    return order;
}

Column ordered(const Column& column, const std::vector<std::uint32_t>& order) {
    Column copy{column.kind, column.n_values, CodeArray(order.size(), column.n_values)};
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* from) {
        visit_codes(copy.codes.data(), copy.codes.width(), [&](auto* to) {
            using Code = std::remove_pointer_t<decltype(to)>;
            for (std::size_t i = 0; i < order.size(); ++i) to[i] = static_cast<Code>(from[order[i]]);
        });
    });
    return copy;
}

}  // namespace

OrderedRows::OrderedRows(const SearchProblem& problem, std::size_t most_bytes)
    : original_(problem.dataset()), original_folds_(problem.folds()) {
    // Weights are coded from doubles, in the order of the rows: a copy might round them otherwise.
    if (original_.n_rows() < fewest_rows || !original_.weights().empty() || original_.code_bytes() > most_bytes) return;
    const std::vector<std::uint32_t> order = order_of_rows(problem);
    std::vector<Column> columns;
    for (std::size_t f = 0; f < original_.n_features(); ++f) columns.push_back(ordered(original_.column(f), order));
    std::vector<Label> labels;
    std::vector<std::uint32_t> place_of(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        labels.push_back(original_.labels()[order[i]]);
        place_of[order[i]] = i;
    }
    copy_ = std::make_unique<Dataset>(std::move(columns), std::move(labels), original_.n_classes(),
                                      std::span<const double>{});
    folds_.assign(original_folds_.begin(), original_folds_.end());
    for (Fold& fold : folds_)
        for (std::vector<std::uint32_t>* rows : {&fold.building, &fold.search}) {
            for (std::uint32_t& row : *rows) row = place_of[row];
            std::ranges::sort(*rows);
        }
}

}  // namespace palmette::elimination
