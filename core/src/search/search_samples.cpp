#include "search_samples.hpp"

#include <algorithm>
#include <numeric>

namespace palmette {
namespace {

/// A number for each of `rows` so that equal numbers mean equal codes in every feature.
std::vector<std::uint32_t> groups_of_equal_rows(const Dataset& dataset, const std::vector<std::uint32_t>& rows) {
    // Refined feature by feature: two rows stay together iff they were together and have the same code.
    std::vector<std::uint32_t> group(rows.size(), 0), order(rows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::uint32_t n_groups = rows.empty() ? 0 : 1;
    for (std::size_t f = 0; f < dataset.n_features() && n_groups < rows.size(); ++f) {
        const CodeArray& codes = dataset.column(f).codes;
        const auto key = [&](std::uint32_t i) { return (std::uint64_t{group[i]} << 32) | codes[rows[i]]; };
        std::ranges::sort(order, {}, key);
        std::vector<std::uint32_t> refined(rows.size());
        n_groups = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i > 0 && key(order[i]) != key(order[i - 1])) ++n_groups;
            refined[order[i]] = n_groups;
        }
        ++n_groups;
        group = std::move(refined);
    }
    return group;
}

}  // namespace

SearchRows::SearchRows(const SearchProblem& problem, const Fold& fold, std::uint32_t number_of_first)
    : first_number(number_of_first), rows(fold.search), weight_of(problem.dataset().n_rows(), 0) {
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const std::uint32_t row : fold.search) weight_of[row] += problem.weight_of_row(row);
    const ErrorWeight one = problem.dataset().scale().one();
    unit_weights = std::ranges::all_of(rows, [&](std::uint32_t row) { return weight_of[row] == one; });
}

SearchSamples::SearchSamples(const SearchProblem& problem, const Fold& fold, std::uint32_t number_of_first)
    : SearchRows(problem, fold, number_of_first) {
    const Dataset& dataset = problem.dataset();
    group_majority.assign(dataset.labels().begin(), dataset.labels().end());
    const std::vector<std::uint32_t> group = groups_of_equal_rows(dataset, rows);
    std::vector<std::uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return group[i]; });
    std::vector<ErrorWeight> by_class(dataset.n_classes());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && group[order[end]] == group[order[begin]]) ++end;
        if (end - begin == 1) continue;
        std::ranges::fill(by_class, 0);
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = rows[order[i]];
            by_class[dataset.labels()[row]] += weight_of[row];
        }
        const auto majority = static_cast<Label>(std::ranges::max_element(by_class) - by_class.begin());
        for (std::size_t i = begin; i < end; ++i) group_majority[rows[order[i]]] = majority;
    }

    if (dataset.has_missing(rows)) {
        number_of.assign(dataset.n_rows(), 0);
        for (std::size_t i = 0; i < rows.size(); ++i) number_of[rows[i]] = first_number + static_cast<std::uint32_t>(i);
    }
}

}  // namespace palmette
