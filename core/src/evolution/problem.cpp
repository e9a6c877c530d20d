// The problem of an evolution: its parts checked, its values read.

#include <stdexcept>
#include <string>

#include "palmette/data/encoding.hpp"
#include "palmette/evolution/evolution.hpp"

namespace palmette {

std::vector<WatchedRows> EvolutionProblem::all_watched() const {
    std::vector<WatchedRows> rows;
    for (const WatchedSet& set : watched) rows.push_back(all_rows(set));
    return rows;
}

void EvolutionProblem::read_values(std::span<const PredictionColumn> columns, WorkerPool& pool) {
    const std::size_t n_features = dataset.n_features();
    if (columns.size() != n_features)
        throw std::invalid_argument("values were given for " + std::to_string(columns.size()) + " of " +
                                    std::to_string(n_features) + " features");
    values.assign(n_features, {});
    for (std::uint32_t feature = 0; feature < n_features; ++feature)
        if (!nominal(feature) && columns[feature].values.size() != dataset.n_rows())
            throw std::invalid_argument("feature " + std::to_string(feature) + " has " +
                                        std::to_string(columns[feature].values.size()) + " values for " +
                                        std::to_string(dataset.n_rows()) + " rows");
    pool.run(n_features, [&](std::size_t, std::size_t feature) {
        if (!nominal(static_cast<std::uint32_t>(feature)))
            values[feature] = decode_values(dataset.column(feature), columns[feature].values, dataset.weights());
    });
}

void EvolutionProblem::check_watched() const {
    if (watched.size() > most_watched)
        throw std::invalid_argument("at most " + std::to_string(most_watched) + " sets can be watched, not " +
                                    std::to_string(watched.size()));
    if (validated && watched.empty()) throw std::invalid_argument("there is no validation set");
    for (const WatchedSet& set : watched) {
        const std::size_t n_rows = set.labels.size();
        if (set.weights.size() != n_rows)
            throw std::invalid_argument("a watched set has " + std::to_string(n_rows) + " labels and " +
                                        std::to_string(set.weights.size()) + " weights");
        if (set.total() <= 0) throw std::invalid_argument("a watched set has no weight");
        if (set.columns.size() != dataset.n_features())
            throw std::invalid_argument("a watched set has " + std::to_string(set.columns.size()) + " columns for " +
                                        std::to_string(dataset.n_features()) + " features");
        for (std::uint32_t feature = 0; feature < set.columns.size(); ++feature) {
            const bool categories = nominal(feature);
            const std::size_t size =
                categories ? set.columns[feature].categories.size() : set.columns[feature].values.size();
            if (size != n_rows)
                throw std::invalid_argument("feature " + std::to_string(feature) + " of a watched set has " +
                                            std::to_string(size) + " entries of its kind for " +
                                            std::to_string(n_rows) + " rows");
        }
    }
}

}  // namespace palmette
