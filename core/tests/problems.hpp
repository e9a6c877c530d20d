// Small random problems for the tests of the core, and trees made comparable; every draw comes from a seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/data/encoding.hpp"
#include "palmette/support/random.hpp"
#include "palmette/tree/grown_tree.hpp"
#include "palmette/tree/prediction.hpp"

namespace palmette::problems {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

class Random {
  public:
    explicit Random(std::uint64_t seed) : stream_(seed) {}
    std::uint64_t next() { return stream_.next(); }
    /// Uniform in low..high, both included.
    int integer(int low, int high) {
        return low + static_cast<int>(stream_.below(static_cast<std::uint64_t>(high - low) + 1));
    }
    double real() { return static_cast<double>(stream_.next() >> 11) * 0x1p-53; }
    bool chance(double probability) { return real() < probability; }

  private:
    RandomStream stream_;
};

inline ValueView view_of(const std::vector<double>& values) {
    return {values.data(), values.size(), 1};
}

template <class Number>
CategoryView category_view(const std::vector<Number>& numbers, std::uint32_t n_categories) {
    return {std::span<const Number>(numbers), n_categories};
}

/// A column as a user has it: numbers if `n_categories` is 0, else categories (-1: missing).
struct RawColumn {
    std::vector<double> values;
    std::vector<std::int32_t> categories;
    std::uint32_t n_categories = 0;

    [[nodiscard]] Column encoded() const {
        return n_categories > 0 ? encode_nominal(category_view(categories, n_categories))
                                : encode_continuous(view_of(values));
    }
    [[nodiscard]] PredictionColumn to_predict_from() const {
        PredictionColumn column;
        if (n_categories > 0)
            column.categories = categories;
        else
            column.values = view_of(values);
        return column;
    }
};

struct Problem {
    std::vector<RawColumn> columns;
    std::vector<Label> labels;
    std::size_t n_classes = 2;
    std::vector<double> weights;

    [[nodiscard]] Dataset dataset() const {
        std::vector<Column> encoded;
        for (const RawColumn& column : columns) encoded.push_back(column.encoded());
        return Dataset(std::move(encoded), labels, n_classes, weights);
    }
    [[nodiscard]] std::vector<PredictionColumn> to_predict_from() const {
        std::vector<PredictionColumn> views;
        for (const RawColumn& column : columns) views.push_back(column.to_predict_from());
        return views;
    }
    /// Sets the thresholds of a grown tree.
    void resolve(GrownTree& tree, const Dataset& dataset, ThresholdRule rule = ThresholdRule::c45) const {
        for (const std::uint32_t feature : tree.used_features())
            if (columns[feature].n_categories == 0)
                tree.resolve_thresholds(
                    feature,
                    decode_values(dataset.column(feature), view_of(columns[feature].values), dataset.weights()), rule);
    }
};

struct Shape {
    std::size_t n_rows = 100;
    std::size_t n_continuous = 2;
    std::size_t n_nominal = 1;
    int n_values = 20;  // distinct values of a continuous column; 0: every value differs
    int n_categories = 4;
    std::size_t n_classes = 2;
    double missing_share = 0.0;
    bool weighted = false;
};

/// Labels follow the first column, with noise.
inline Problem random_problem(Random& random, const Shape& shape) {
    Problem problem;
    problem.n_classes = shape.n_classes;
    const auto n = shape.n_rows;
    for (std::size_t f = 0; f < shape.n_continuous; ++f) {
        RawColumn column;
        for (std::size_t i = 0; i < n; ++i)
            column.values.push_back(random.chance(shape.missing_share) ? missing
                                    : shape.n_values == 0              ? random.real()
                                                                       : random.integer(0, shape.n_values - 1) * 0.5);
        problem.columns.push_back(std::move(column));
    }
    for (std::size_t f = 0; f < shape.n_nominal; ++f) {
        RawColumn column;
        column.n_categories = static_cast<std::uint32_t>(shape.n_categories);
        for (std::size_t i = 0; i < n; ++i)
            column.categories.push_back(random.chance(shape.missing_share) ? -1
                                                                           : random.integer(0, shape.n_categories - 1));
        problem.columns.push_back(std::move(column));
    }
    const auto last_class = static_cast<int>(shape.n_classes) - 1;
    const double range = shape.n_values == 0 ? 1.0 : shape.n_values * 0.5;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = shape.n_continuous > 0 ? problem.columns[0].values[i] : missing;
        const bool noise = std::isnan(value) || random.chance(0.3);
        problem.labels.push_back(static_cast<Label>(
            noise ? random.integer(0, last_class)
                  : std::min(last_class, static_cast<int>(value / range * static_cast<double>(shape.n_classes)))));
        if (shape.weighted) problem.weights.push_back(random.integer(1, 40) / 8.0);
    }
    return problem;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool same_tree(const TreeArrays& a, const TreeArrays& b) {
    return a.n_classes == b.n_classes && same_bits(a.feature, b.feature) && same_bits(a.threshold, b.threshold) &&
           same_bits(a.branch_start, b.branch_start) && same_bits(a.branches, b.branches) &&
           same_bits(a.label, b.label) && same_bits(a.weight, b.weight) &&
           same_bits(a.class_weights.start, b.class_weights.start) &&
           same_bits(a.class_weights.label, b.class_weights.label) &&
           same_bits(a.class_weights.weight, b.class_weights.weight) && same_bits(a.gain, b.gain);
}

/// The class weights of a tree from a table of nodes × classes.
inline ClassWeights class_weights_of(const std::vector<double>& table, std::size_t n_classes) {
    ClassWeights kept;
    for (std::size_t i = 0; i < table.size(); ++i) {
        kept.add(i % n_classes, table[i]);
        if (i % n_classes == n_classes - 1) kept.end_node();
    }
    return kept;
}

/// The length of the longest path, from children that come after their parents.
inline std::size_t depth_of(const TreeArrays& arrays) {
    std::vector<std::size_t> depth(arrays.feature.size(), 0);
    std::size_t deepest = 0;
    for (std::size_t node = 0; node < depth.size(); ++node) {
        deepest = std::max(deepest, depth[node]);
        for (auto i = arrays.branch_start[node]; i < arrays.branch_start[node + 1]; ++i)
            depth[static_cast<std::size_t>(arrays.branches[static_cast<std::size_t>(i)])] = depth[node] + 1;
    }
    return deepest;
}

}  // namespace palmette::problems
