#include "palmette/ensemble/forest.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "palmette/support/random.hpp"
#include "palmette/tree/grower.hpp"
#include "palmette/tree/pruning.hpp"
#include "prediction_by_code.hpp"

namespace palmette {
namespace {

constexpr std::uint64_t stream_of_bootstrap = 0;
constexpr std::uint64_t stream_of_features = 1;

RandomStream stream_of_tree(const ForestOptions& options, std::size_t number) {
    return RandomStream(options.tree.seed).child(number);
}

/// `times` rows of each number, ascending: rows are read from memory in order; the tree does not depend on it.
std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& times, std::size_t n_draws) {
    // Few rows are drawn more than four times. Four copies are written of each and those kept that count: how often a
    // row was drawn cannot be predicted.
    constexpr std::size_t at_once = 4;
    std::vector<std::uint32_t> rows(n_draws + at_once);
    std::uint32_t* end = rows.data();
    for (std::uint32_t row = 0; row < times.size(); ++row) {
        for (std::size_t k = 0; k < at_once; ++k) end[k] = row;
        if (times[row] > at_once) std::fill(end + at_once, end + times[row], row);
        end += times[row];
    }
    rows.resize(n_draws);
    return rows;
}

}  // namespace

std::uint64_t seed_of_tree(const ForestOptions& options, std::size_t number) {
    return stream_of_tree(options, number).child(stream_of_features).next();
}

std::vector<std::uint32_t> bootstrap_sample(const Dataset& dataset, const ForestOptions& options, std::size_t number) {
    if (!dataset.weights().empty()) return bootstrap_sample(dataset.weights(), options, number);
    const std::size_t n = dataset.n_rows();
    const std::size_t n_draws = options.n_draws > 0 ? options.n_draws : n;
    RandomStream stream = stream_of_tree(options, number).child(stream_of_bootstrap);
    std::vector<std::uint32_t> times(n, 0);
    for (std::size_t draw = 0; draw < n_draws; ++draw) ++times[stream.below(n)];
    return repeated(times, n_draws);
}

std::vector<std::uint32_t> bootstrap_sample(std::span<const Weight> weights, const ForestOptions& options,
                                            std::size_t number) {
    const std::size_t n = weights.size();
    const std::size_t n_draws = options.n_draws > 0 ? options.n_draws : n;
    RandomStream stream = stream_of_tree(options, number).child(stream_of_bootstrap);
    std::vector<std::uint32_t> times(n, 0);
    std::vector<Weight> cumulative(n);
    std::partial_sum(weights.begin(), weights.end(), cumulative.begin());
    for (std::size_t draw = 0; draw < n_draws; ++draw) {
        const auto ticket = static_cast<Weight>(stream.below(static_cast<std::uint64_t>(cumulative.back())));
        ++times[static_cast<std::size_t>(std::ranges::upper_bound(cumulative, ticket) - cumulative.begin())];
    }
    return repeated(times, n_draws);
}

GrownForest grow_forest(const Dataset& dataset, const ForestOptions& options, Budget& budget, Progress& progress,
                        WorkerPool& pool) {
    // Tree 0 is always grown: a forest that was stopped can still predict.
    const auto start = [&](std::size_t number) {
        TreeStart tree{options.tree, std::nullopt};
        tree.options.seed = seed_of_tree(options, number);
        if (options.bootstrap) tree.rows = bootstrap_sample(dataset, options, number);
        return tree;
    };
    std::vector<GrownTree> trees = grow_trees(dataset, options.n_trees, start, budget, progress, pool);
    GrownForest forest;
    for (std::size_t number = 0; number < trees.size(); ++number) {
        const bool grown = trees[number].root != nullptr && trees[number].complete;
        forest.complete = forest.complete && grown;
        if (!grown && number > 0) continue;
        forest.trees.push_back(std::move(trees[number]));
        forest.numbers.push_back(number);
    }
    return forest;
}

void prune_forest(GrownForest& forest, const Dataset& dataset, const ForestOptions& options, double confidence,
                  Budget& budget, WorkerPool& pool) {
    pool.run(forest.trees.size(), [&](std::size_t, std::size_t i) {
        std::vector<std::uint32_t> sample;
        if (options.bootstrap) sample = bootstrap_sample(dataset, options, forest.numbers[i]);
        prune_by_error(forest.trees[i], dataset, confidence, budget, sample);
    });
}

OutOfBag out_of_bag(const GrownForest& forest, const Dataset& dataset, const ForestOptions& options, Voting voting,
                    Budget& budget, WorkerPool& pool) {
    const std::size_t n = dataset.n_rows(), n_classes = dataset.n_classes(), n_trees = forest.trees.size();
    std::vector<std::vector<bool>> in_bag(n_trees);
    pool.run(n_trees, [&](std::size_t, std::size_t i) {
        if (budget.check_deadline()) return;
        in_bag[i].assign(n, false);
        for (const std::uint32_t row : bootstrap_sample(dataset, options, forest.numbers[i])) in_bag[i][row] = true;
    });
    OutOfBag result{std::vector<double>(n * n_classes, 0.0), std::vector<std::uint32_t>(n, 0)};
    constexpr std::size_t rows_per_task = 1024;
    pool.run((n + rows_per_task - 1) / rows_per_task, [&](std::size_t, std::size_t task) {
        if (budget.check_deadline()) return;
        std::vector<VisitByCode> stack;
        std::vector<double> of_tree;
        for (std::size_t row = task * rows_per_task; row < std::min(n, (task + 1) * rows_per_task); ++row) {
            double* out = result.probabilities.data() + row * n_classes;
            for (std::size_t i = 0; i < n_trees; ++i) {
                if (in_bag[i][row]) continue;
                ++result.n_trees[row];
                if (voting == Voting::soft) {
                    add_probabilities_of_row(forest.trees[i].root, dataset, row, stack, out);
                } else {
                    of_tree.assign(n_classes, 0.0);
                    add_probabilities_of_row(forest.trees[i].root, dataset, row, stack, of_tree.data());
                    out[std::ranges::max_element(of_tree) - of_tree.begin()] += 1;
                }
            }
            for (std::size_t k = 0; k < n_classes && result.n_trees[row] > 0; ++k) out[k] /= result.n_trees[row];
        }
    });
    return result;
}

}  // namespace palmette
