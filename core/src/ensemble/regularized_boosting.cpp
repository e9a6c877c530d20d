// AdaBoost.M1 on regularized trees. Weights keep their sum from round to round, so the fixed point of the dataset fits.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "palmette/ensemble/regularized.hpp"
#include "prediction_by_code.hpp"
#include "regularized_tree.hpp"

namespace palmette {
namespace {

// An error below this counts as none, as in Weka: log((1 - error) / error) would outvote all other trees.
constexpr double no_error = 1e-6;

/// The distinct values of the continuous features, decoded when a tree first asks.
class Thresholds {
  public:
    Thresholds(const Dataset& dataset, std::span<const std::optional<ValueView>> columns, ThresholdRule rule)
        : dataset_(dataset), columns_(columns), rule_(rule), values_(dataset.n_features()) {
        if (columns.size() != dataset.n_features())
            throw std::invalid_argument("columns were given for " + std::to_string(columns.size()) + " of " +
                                        std::to_string(dataset.n_features()) + " features");
        for (std::size_t feature = 0; feature < columns.size(); ++feature)
            if (dataset.column(feature).kind == FeatureKind::continuous && !columns[feature])
                throw std::invalid_argument("the values of feature " + std::to_string(feature) + " are not given");
    }

    void resolve(GrownTree& tree) {
        for (const std::uint32_t feature : tree.used_features()) {
            const Column& column = dataset_.column(feature);
            if (column.kind != FeatureKind::continuous) continue;
            if (values_[feature].empty())
                values_[feature] = decode_values(column, *columns_[feature], dataset_.weights());
            tree.resolve_thresholds(feature, values_[feature], rule_);
        }
    }

  private:
    const Dataset& dataset_;
    std::span<const std::optional<ValueView>> columns_;
    ThresholdRule rule_;
    std::vector<std::vector<double>> values_;
};

std::vector<double> weights_of(const Dataset& dataset) {
    std::vector<double> weights;
    for (const Weight weight : dataset.weights()) weights.push_back(dataset.scale().to_double(weight));
    if (weights.empty()) weights.assign(dataset.n_rows(), 1.0);
    return weights;
}

std::vector<Weight> in_fixed_point(const std::vector<double>& weights, const WeightScale& scale) {
    std::vector<Weight> fixed;
    fixed.reserve(weights.size());
    for (const double weight : weights) fixed.push_back(scale.from_double(weight));
    return fixed;
}

NodeSamples weighted_samples(const std::vector<Weight>& weights) {
    NodeSamples samples;
    for (std::uint32_t row = 0; row < weights.size(); ++row)
        if (weights[row] > 0) {
            samples.ids.push_back(row);
            samples.weights.push_back(weights[row]);
        }
    return samples;
}

/// Which rows the tree gets wrong.
std::vector<char> mistakes(const GrownTree& tree, const Dataset& dataset, WorkerPool& pool) {
    const std::size_t n = dataset.n_rows(), n_classes = dataset.n_classes();
    std::vector<char> wrong(n, 0);
    constexpr std::size_t rows_per_task = 1024;
    pool.run((n + rows_per_task - 1) / rows_per_task, [&](std::size_t, std::size_t task) {
        std::vector<VisitByCode> stack;
        std::vector<double> probabilities(n_classes);
        for (std::size_t row = task * rows_per_task; row < std::min(n, (task + 1) * rows_per_task); ++row) {
            std::ranges::fill(probabilities, 0.0);
            add_probabilities_of_row(tree.root, dataset, row, stack, probabilities.data());
            const auto predicted = std::ranges::max_element(probabilities) - probabilities.begin();
            wrong[row] = static_cast<Label>(predicted) != dataset.labels()[row];
        }
    });
    return wrong;
}

double sum(const std::vector<double>& weights) {
    double total = 0;
    for (const double weight : weights) total += weight;
    return total;
}

}  // namespace

RegularizedEnsemble boost_regularized_trees(const Dataset& dataset, std::span<const std::optional<ValueView>> columns,
                                            const RegularizedOptions& options, Budget& budget, Progress& progress,
                                            WorkerPool& pool) {
    RegularizedGrower grower(dataset, options, budget, progress, pool);
    Thresholds thresholds(dataset, columns, options.threshold);
    RegularizedEnsemble result;
    GrownForest& forest = result.forest;
    std::vector<double> weights = weights_of(dataset);
    const double total = sum(weights);
    progress.work_total.store(options.forest.n_trees, std::memory_order_relaxed);

    for (std::size_t round = 0; round < options.forest.n_trees; ++round) {
        const bool first = round == 0;
        if (!first && budget.check_deadline()) {
            forest.complete = false;
            break;
        }
        const std::size_t n_entries = grower.selected().n_entries();
        NodeSamples samples;
        if (options.forest.bootstrap)
            samples.ids = bootstrap_sample(in_fixed_point(weights, dataset.scale()), options.forest, round);
        else
            samples = first ? grower.all_samples() : weighted_samples(in_fixed_point(weights, dataset.scale()));
        GrownTree tree = grower.grow(std::move(samples), round);
        forest.complete = tree.complete;
        if (!tree.complete && !first) {
            grower.selected().forget_after(n_entries);
            break;
        }
        thresholds.resolve(tree);
        const std::vector<char> wrong = mistakes(tree, dataset, pool);
        double wrong_weight = 0;
        for (std::size_t row = 0; row < weights.size(); ++row)
            if (wrong[row]) wrong_weight += weights[row];
        const double error = wrong_weight / sum(weights);
        result.errors.push_back(error);
        const bool last = error < no_error || error >= 0.5;
        if (last && !first) {
            grower.selected().forget_after(n_entries);
            break;
        }
        forest.trees.push_back(std::move(tree));
        forest.numbers.push_back(round);
        result.votes.push_back(last ? 1.0 : std::log((1 - error) / error));
        progress.work_done.fetch_add(1, std::memory_order_relaxed);
        progress.trees_built.fetch_add(1, std::memory_order_relaxed);
        if (last || !forest.complete) break;

        for (std::size_t row = 0; row < weights.size(); ++row)
            if (wrong[row]) weights[row] *= (1 - error) / error;
        const double factor = total / sum(weights);
        for (double& weight : weights) weight *= factor;
    }
    result.features_judged = grower.features_judged();
    result.entries = std::move(grower.selected()).entries();
    return result;
}

}  // namespace palmette
