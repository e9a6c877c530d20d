#include "palmette/oblivious/decision_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "palmette/oblivious/cells.hpp"

namespace palmette {
namespace {

std::uint64_t hash_of(std::span<const std::int32_t> codes) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (const std::int32_t code : codes) {
        hash ^= static_cast<std::uint32_t>(code);
        hash *= 0xff51afd7ed558ccdULL;
        hash ^= hash >> 32;
    }
    return hash;
}

/// The cells by hash, to find the one that is alike at once, and column by column, to find the nearest.
class Lookup {
  public:
    explicit Lookup(const DecisionTable& table) : table_(table), columns_(table.codes.size()) {
        by_hash_.reserve(table.n_cells());
        for (std::uint32_t cell = 0; cell < table.n_cells(); ++cell) {
            by_hash_.emplace(hash_of(codes_of(cell)), cell);
            for (std::size_t feature = 0; feature < table.n_features; ++feature)
                columns_[feature * table.n_cells() + cell] = codes_of(cell)[feature];
        }
    }

    void add_nearest(std::span<const std::int32_t> row, std::vector<std::uint32_t>& distances, double* weights) const {
        const auto [begin, end] = by_hash_.equal_range(hash_of(row));
        for (auto found = begin; found != end; ++found)
            if (std::ranges::equal(codes_of(found->second), row)) return add(found->second, weights);

        distances.assign(table_.n_cells(), 0);
        for (std::size_t feature = 0; feature < table_.n_features; ++feature) {
            const std::int32_t* column = columns_.data() + feature * table_.n_cells();
            const std::int32_t own = row[feature];
            for (std::size_t cell = 0; cell < distances.size(); ++cell) distances[cell] += column[cell] != own ? 1 : 0;
        }
        const std::uint32_t nearest = std::ranges::min(distances);
        for (std::size_t cell = 0; cell < distances.size(); ++cell)
            if (distances[cell] == nearest) add(cell, weights);
    }

  private:
    [[nodiscard]] std::span<const std::int32_t> codes_of(std::size_t cell) const {
        return {table_.codes.data() + cell * table_.n_features, table_.n_features};
    }
    void add(std::size_t cell, double* weights) const {
        for (std::size_t k = 0; k < table_.n_classes; ++k)
            weights[k] += table_.class_weights[cell * table_.n_classes + k];
    }

    const DecisionTable& table_;
    std::vector<std::int32_t> columns_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace

DecisionTable fill_table(const Dataset& dataset, std::span<const std::uint32_t> features) {
    for (const std::uint32_t feature : features)
        if (feature >= dataset.n_features()) throw std::invalid_argument("there is no such feature");
    const std::vector<std::uint32_t> rows = weighty_rows(dataset);
    const CellDivision division = divide(dataset, rows, features);
    DecisionTable table;
    table.n_features = features.size();
    table.n_classes = dataset.n_classes();
    table.codes.reserve(division.n_cells() * features.size());
    for (const std::uint32_t place : division.first_row)
        for (const std::uint32_t feature : features)
            table.codes.push_back(static_cast<std::int32_t>(dataset.column(feature).codes[rows[place]]) - 1);
    std::vector<Weight> weights(division.n_cells() * table.n_classes, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
        weights[division.cell_of[i] * table.n_classes + dataset.labels()[rows[i]]] +=
            dataset.weights().empty() ? dataset.scale().one() : dataset.weights()[rows[i]];
    for (const Weight weight : weights) table.class_weights.push_back(dataset.scale().to_double(weight));
    return table;
}

std::vector<double> nearest_class_weights(const DecisionTable& table, std::span<const std::int32_t> codes,
                                          std::size_t n_rows, Budget& budget, WorkerPool& pool) {
    if (table.n_cells() == 0) throw std::invalid_argument("a decision table without cells cannot predict");
    if (table.codes.size() != table.n_cells() * table.n_features ||
        table.class_weights.size() != table.n_cells() * table.n_classes)
        throw std::invalid_argument("the codes and the class weights of the table do not fit together");
    if (codes.size() != n_rows * table.n_features)
        throw std::invalid_argument("the rows do not have the features of the table");
    const Lookup lookup(table);
    std::vector<double> weights(n_rows * table.n_classes, 0.0);
    constexpr std::size_t rows_per_task = 64;
    pool.run((n_rows + rows_per_task - 1) / rows_per_task, [&](std::size_t, std::size_t task) {
        if (budget.check_deadline()) return;
        std::vector<std::uint32_t> distances;
        for (std::size_t row = task * rows_per_task; row < std::min(n_rows, (task + 1) * rows_per_task); ++row)
            lookup.add_nearest(codes.subspan(row * table.n_features, table.n_features), distances,
                               weights.data() + row * table.n_classes);
    });
    return weights;
}

}  // namespace palmette
