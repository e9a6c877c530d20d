// A contingency table of the two columns: dense where it is small beside the samples, else as sorted pairs.

#include "palmette/filter/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace palmette {
namespace {

/// A table of so many cells is always dense; a larger one only while clearing it costs little beside counting.
constexpr std::size_t small_table = std::size_t{1} << 16;
constexpr std::size_t cells_per_sample = 8;
/// Missing values can only be spread over a dense table. Beyond this size, missing counts as a value of its own.
constexpr std::size_t largest_spread = std::size_t{1} << 24;
constexpr double least_information = 1e-9;

/// Sums of x·log2(x), all in fixed point.
struct Terms {
    Weight total = 0;
    std::int64_t of_total = 0, of_rows = 0, of_columns = 0, of_cells = 0;
};

Uncertainty uncertainty_of(const Terms& terms) {
    // Differences first, which are entropies: a sum of two terms of the largest weights would not fit.
    const std::int64_t of_first = terms.of_total - terms.of_rows, of_second = terms.of_total - terms.of_columns;
    const std::int64_t both = of_first + of_second;
    const std::int64_t shared = of_first - (terms.of_columns - terms.of_cells);
    if (both <= 0 || static_cast<double>(shared) <= least_information * static_cast<double>(terms.total)) return 0;
    const double uncertainty = 2.0 * static_cast<double>(shared) / static_cast<double>(both);
    return static_cast<Uncertainty>(std::llround(std::min(uncertainty, 1.0) * full_uncertainty));
}

template <class Cell, class XLogXOf>
Terms terms_of(std::span<const Cell> cells, std::size_t n_rows, std::size_t n_columns, UncertaintyScratch& scratch,
               XLogXOf xlogx_of) {
    scratch.rows.assign(n_rows, 0);
    scratch.columns.assign(n_columns, 0);
    Terms terms;
    for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t column = 0; column < n_columns; ++column) {
            const Cell cell = cells[row * n_columns + column];
            if (cell == 0) continue;
            scratch.rows[row] += static_cast<Weight>(cell);
            scratch.columns[column] += static_cast<Weight>(cell);
            terms.of_cells += xlogx_of(cell);
        }
    for (const Weight weight : scratch.rows) {
        terms.of_rows += xlogx_of(static_cast<Cell>(weight));
        terms.total += weight;
    }
    for (const Weight weight : scratch.columns) terms.of_columns += xlogx_of(static_cast<Cell>(weight));
    terms.of_total = xlogx_of(static_cast<Cell>(terms.total));
    return terms;
}

/// Calls visit(row of the data, code of the first column, code of the second).
template <class Visit>
void for_each_pair(const Column& first, const Column& second, Visit visit) {
    visit_codes(first.codes.data(), first.codes.width(), [&](const auto* first_codes) {
        visit_codes(second.codes.data(), second.codes.width(), [&](const auto* second_codes) {
            for (std::size_t i = 0; i < first.codes.size(); ++i)
                visit(i, std::size_t{first_codes[i]}, std::size_t{second_codes[i]});
        });
    });
}

/// Row 0 and column 0 hold the missing values; they are spread over the others and emptied.
void spread_missing(std::vector<Weight>& cells, std::size_t n_rows, std::size_t n_columns,
                    UncertaintyScratch& scratch) {
    scratch.original = cells;
    const std::vector<Weight>& original = scratch.original;
    std::vector<Weight>&rows = scratch.rows, &columns = scratch.columns;
    rows.assign(n_rows, 0);
    columns.assign(n_columns, 0);
    Weight known_rows = 0, known_columns = 0, known_pairs = 0;
    for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t column = 0; column < n_columns; ++column) {
            const Weight weight = original[row * n_columns + column];
            rows[row] += weight;
            columns[column] += weight;
            if (row > 0) known_rows += weight;
            if (column > 0) known_columns += weight;
            if (row > 0 && column > 0) known_pairs += weight;
        }
    const Weight both_missing = original[0];
    for (std::size_t row = 1; row < n_rows; ++row)
        for (std::size_t column = 1; column < n_columns; ++column) {
            Weight& cell = cells[row * n_columns + column];
            if (const Weight missing = original[column]; missing > 0 && known_rows > 0)
                cell += share_of_weight(missing, rows[row], known_rows);
            if (const Weight missing = original[row * n_columns]; missing > 0 && known_columns > 0)
                cell += share_of_weight(missing, columns[column], known_columns);
            if (both_missing > 0 && known_pairs > 0)
                cell += share_of_weight(both_missing, original[row * n_columns + column], known_pairs);
        }
    for (std::size_t row = 0; row < n_rows; ++row) cells[row * n_columns] = 0;
    std::fill_n(cells.begin(), n_columns, Weight{0});
}

Uncertainty by_table(const DiscreteTable& table, const Column& first, const Column& second, bool has_missing,
                     UncertaintyScratch& scratch) {
    const Dataset& dataset = table.dataset();
    const XLogX& xlogx = dataset.xlogx();
    const auto weights = dataset.weights();
    const std::size_t n_rows = std::size_t{first.n_values} + 1, n_columns = std::size_t{second.n_values} + 1;
    if (weights.empty()) {
        scratch.counts.assign(n_rows * n_columns, 0);
        std::uint32_t* const counts = scratch.counts.data();
        for_each_pair(first, second,
                      [&](std::size_t, std::size_t row, std::size_t column) { ++counts[row * n_columns + column]; });
        if (!has_missing) {
            Terms terms = terms_of<std::uint32_t>(scratch.counts, n_rows, n_columns, scratch,
                                                  [&](std::uint32_t count) { return xlogx.of_count(count); });
            terms.total *= dataset.scale().one();
            return uncertainty_of(terms);
        }
        scratch.weights.resize(scratch.counts.size());
        std::ranges::transform(scratch.counts, scratch.weights.begin(),
                               [one = dataset.scale().one()](std::uint32_t count) { return one * count; });
    } else {
        scratch.weights.assign(n_rows * n_columns, 0);
        Weight* const cells = scratch.weights.data();
        for_each_pair(first, second, [&](std::size_t i, std::size_t row, std::size_t column) {
            cells[row * n_columns + column] += weights[i];
        });
    }
    if (has_missing) spread_missing(scratch.weights, n_rows, n_columns, scratch);
    return uncertainty_of(terms_of<Weight>(scratch.weights, n_rows, n_columns, scratch,
                                           [&](Weight weight) { return xlogx.of_weight(weight); }));
}

Uncertainty by_sorting(const DiscreteTable& table, const Column& first, const Column& second,
                       UncertaintyScratch& scratch) {
    const Dataset& dataset = table.dataset();
    const XLogX& xlogx = dataset.xlogx();
    const auto weights = dataset.weights();
    const Weight one = dataset.scale().one();
    auto& pairs = scratch.pairs;
    pairs.clear();
    scratch.rows.assign(std::size_t{first.n_values} + 1, 0);
    scratch.columns.assign(std::size_t{second.n_values} + 1, 0);
    Terms terms;
    for_each_pair(first, second, [&](std::size_t i, std::size_t row, std::size_t column) {
        const Weight weight = weights.empty() ? one : weights[i];
        scratch.rows[row] += weight;
        scratch.columns[column] += weight;
        terms.total += weight;
        pairs.emplace_back(std::uint64_t{row} << 32 | column, weight);
    });
    std::ranges::sort(pairs);
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
        Weight weight = 0;
        for (; end < pairs.size() && pairs[end].first == pairs[begin].first; ++end) weight += pairs[end].second;
        terms.of_cells += xlogx.of_weight(weight);
    }
    for (const Weight weight : scratch.rows) terms.of_rows += xlogx.of_weight(weight);
    for (const Weight weight : scratch.columns) terms.of_columns += xlogx.of_weight(weight);
    terms.of_total = xlogx.of_weight(terms.total);
    return uncertainty_of(terms);
}

}  // namespace

Uncertainty symmetric_uncertainty(const DiscreteTable& table, std::size_t first, std::size_t second,
                                  UncertaintyScratch& scratch) {
    // The sharing out of missing values rounds, so the order of the two is fixed.
    const auto [low, high] = std::minmax(first, second);
    const Column &one = table.column(low), &other = table.column(high);
    const bool has_missing = table.has_missing(low) || table.has_missing(high);
    const std::size_t n_cells = (std::size_t{one.n_values} + 1) * (std::size_t{other.n_values} + 1);
    const bool dense = has_missing ? n_cells <= largest_spread
                                   : n_cells <= std::max(small_table, cells_per_sample * table.dataset().n_rows());
    return dense ? by_table(table, one, other, has_missing, scratch) : by_sorting(table, one, other, scratch);
}

}  // namespace palmette
