#include "palmette/tree/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace palmette {
namespace {

constexpr std::size_t rows_per_task = 2048;

struct Visit {
    std::size_t node;
    double share;
};

/// Calls reach(leaf, share) for every leaf that the row reaches, leftmost first.
template <class Reach>
void descend(const Tree& tree, std::span<const PredictionColumn> columns, std::size_t row, std::vector<Visit>& stack,
             Reach reach) {
    const TreeArrays& a = tree.arrays();
    stack.push_back({0, 1.0});
    while (!stack.empty()) {
        auto [node, share] = stack.back();
        stack.pop_back();
        while (!tree.is_leaf(node)) {
            const auto feature = static_cast<std::size_t>(a.feature[node]);
            const auto start = static_cast<std::size_t>(a.branch_start[node]);
            if (tree.n_categories()[feature] > 0) {
                const std::int32_t category = columns[feature].categories[row];
                if (category >= 0) {
                    node = static_cast<std::size_t>(a.branches[start + static_cast<std::size_t>(category)]);
                    continue;
                }
            } else {
                const double value = columns[feature].values[row];
                if (!std::isnan(value)) {
                    node = static_cast<std::size_t>(a.branches[start + (value <= a.threshold[node] ? 0 : 1)]);
                    continue;
                }
            }
            double weight_below = 0;
            tree.for_each_weighted_child(node, [&](std::size_t child) { weight_below += a.weight[child]; });
            const std::size_t first = stack.size();
            tree.for_each_weighted_child(
                node, [&](std::size_t child) { stack.push_back({child, share * (a.weight[child] / weight_below)}); });
            std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
            node = stack.back().node;
            share = stack.back().share;
            stack.pop_back();
        }
        reach(node, share);
    }
}

void run_over_rows(std::size_t n_rows, WorkerPool& pool, const auto& rows_task) {
    pool.run((n_rows + rows_per_task - 1) / rows_per_task, [&](std::size_t, std::size_t i) {
        rows_task(i * rows_per_task, std::min(n_rows, (i + 1) * rows_per_task));
    });
}

void check_sizes(const Tree& tree, std::span<const PredictionColumn> columns, std::size_t n_rows) {
    if (columns.size() != tree.n_categories().size())
        throw std::invalid_argument("the tree has " + std::to_string(tree.n_categories().size()) + " features, got " +
                                    std::to_string(columns.size()) + " columns");
    for (const std::int32_t f : tree.arrays().feature) {
        if (f < 0) continue;
        const auto feature = static_cast<std::size_t>(f);
        const std::uint32_t n_categories = tree.n_categories()[feature];
        const std::size_t size = n_categories > 0 ? columns[feature].categories.size() : columns[feature].values.size();
        if (size != n_rows)
            throw std::invalid_argument("feature " + std::to_string(f) + " has " + std::to_string(size) +
                                        " entries of its kind for " + std::to_string(n_rows) + " rows");
    }
}

void check_categories(const Tree& tree, std::span<const PredictionColumn> columns) {
    for (std::size_t feature = 0; feature < columns.size(); ++feature)
        for (const std::int32_t category : columns[feature].categories)
            if (category >= 0 && static_cast<std::uint32_t>(category) >= tree.n_categories()[feature])
                throw std::invalid_argument("category " + std::to_string(category) + " of feature " +
                                            std::to_string(feature) + " was never declared");
}

}  // namespace

void check_columns(std::span<const Tree* const> trees, std::span<const PredictionColumn> columns, std::size_t n_rows) {
    if (trees.empty()) throw std::invalid_argument("no tree to predict with");
    for (const Tree* tree : trees) {
        if (tree->n_classes() != trees[0]->n_classes()) throw std::invalid_argument("the trees have different classes");
        check_sizes(*tree, columns, n_rows);
        if (!std::ranges::equal(tree->n_categories(), trees[0]->n_categories()))
            throw std::invalid_argument("the trees have different categories");
    }
    check_categories(*trees[0], columns);  // all have the same, and the columns are long
}

void add_probabilities(const Tree& tree, std::span<const PredictionColumn> columns, std::size_t begin, std::size_t end,
                       double* out) {
    const TreeArrays& a = tree.arrays();
    const std::size_t n_classes = tree.n_classes();
    std::vector<Visit> stack;
    for (std::size_t row = begin; row < end; ++row, out += n_classes)
        descend(tree, columns, row, stack, [&](std::size_t leaf, double share) {
            if (a.weight[leaf] > 0) {
                a.class_weights.for_each(
                    leaf, [&](std::size_t k, double weight) { out[k] += share * (weight / a.weight[leaf]); });
            } else {
                out[static_cast<std::size_t>(a.label[leaf])] += share;
            }
        });
}

std::vector<double> predict_probabilities(std::span<const Tree* const> trees, std::span<const PredictionColumn> columns,
                                          std::size_t n_rows, Budget& budget, WorkerPool& pool) {
    check_columns(trees, columns, n_rows);
    const std::size_t n_classes = trees[0]->n_classes();
    std::vector<double> out(n_rows * n_classes, 0.0);
    run_over_rows(n_rows, pool, [&](std::size_t begin, std::size_t end) {
        for (const Tree* tree : trees) {
            if (budget.check_deadline()) return;
            add_probabilities(*tree, columns, begin, end, out.data() + begin * n_classes);
        }
        const auto n_trees = static_cast<double>(trees.size());
        for (std::size_t i = begin * n_classes; i < end * n_classes; ++i) out[i] /= n_trees;
    });
    return out;
}

std::vector<std::int32_t> find_leaves(const Tree& tree, std::span<const PredictionColumn> columns, std::size_t n_rows,
                                      Budget& budget, WorkerPool& pool) {
    const std::array trees{&tree};
    check_columns(trees, columns, n_rows);
    std::vector<std::int32_t> leaves(n_rows, 0);
    run_over_rows(n_rows, pool, [&](std::size_t begin, std::size_t end) {
        if (budget.check_deadline()) return;
        std::vector<Visit> stack;
        for (std::size_t row = begin; row < end; ++row) {
            double greatest = -1;
            descend(tree, columns, row, stack, [&](std::size_t leaf, double share) {
                if (share > greatest) {
                    greatest = share;
                    leaves[row] = static_cast<std::int32_t>(leaf);
                }
            });
        }
    });
    return leaves;
}

}  // namespace palmette
