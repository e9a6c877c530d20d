#include "palmette/evolution/watched.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace palmette {

Weight WatchedSet::total() const noexcept {
    return std::accumulate(weights.begin(), weights.end(), Weight{0});
}

WatchedRows all_rows(const WatchedSet& set) {
    WatchedRows rows;
    for (std::uint32_t row = 0; row < set.labels.size(); ++row)
        if (set.weights[row] > 0) rows.add(row, set.weights[row]);
    return rows;
}

Weight weight_of_label(const WatchedSet& set, const WatchedRows& rows, std::uint32_t label) {
    Weight sum = 0;
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
        if (set.labels[rows.rows[i]] == static_cast<std::int32_t>(label)) sum += rows.weights[i];
    return sum;
}

WatchedParts follow(const WatchedSet& set, const WatchedRows& rows, const WatchedTest& test) {
    WatchedParts parts;
    parts.branches.resize(test.branch_weights.size());
    const PredictionColumn& column = set.columns[test.feature];
    const Weight known = std::accumulate(test.branch_weights.begin(), test.branch_weights.end(), Weight{0});
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        const std::uint32_t row = rows.rows[i];
        const Weight weight = rows.weights[i];
        if (test.nominal) {
            const std::int32_t category = column.categories[row];
            if (category >= 0) {
                const auto code = static_cast<std::uint32_t>(category) + 1;
                const auto found = std::ranges::lower_bound(test.codes, code);
                if (found != test.codes.end() && *found == code)
                    parts.branches[static_cast<std::size_t>(found - test.codes.begin())].add(row, weight);
                else
                    parts.elsewhere.add(row, weight);
                continue;
            }
        } else {
            const double value = column.values[row];
            if (!std::isnan(value)) {
                parts.branches[value <= test.threshold ? 0 : 1].add(row, weight);
                continue;
            }
        }
        for (std::size_t j = 0; j < parts.branches.size(); ++j) {
            const Weight share = share_of_weight(weight, test.branch_weights[j], known);
            if (share > 0) parts.branches[j].add(row, share);
        }
    }
    return parts;
}

}  // namespace palmette
