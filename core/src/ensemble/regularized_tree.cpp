#include "regularized_tree.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "../tree/grown_nodes.hpp"
#include "../tree/scores.hpp"

namespace palmette {
namespace {

// λ is a whole number of 2^-32, so that λ·gain is compared exactly: with λ = 1 nothing at all changes.
constexpr std::int64_t full_weight = std::int64_t{1} << 32;

// Fewer cells (samples × features) are not worth waking the workers for: that takes some tens of microseconds, and a
// cell about a nanosecond.
constexpr std::size_t cells_for_all_workers = std::size_t{1} << 16;

std::int64_t weight_in_units(double weight, std::size_t feature) {
    if (!(weight >= 0 && weight <= 1))
        throw std::invalid_argument("the new-feature weight of feature " + std::to_string(feature) +
                                    " is not between 0 and 1");
    const std::int64_t units = std::llround(weight * static_cast<double>(full_weight));
    return weight > 0 ? std::max<std::int64_t>(1, units) : 0;
}

}  // namespace

RegularizedGrower::RegularizedGrower(const Dataset& dataset, const RegularizedOptions& options, Budget& budget,
                                     Progress& progress, WorkerPool& pool)
    : dataset_(dataset),
      options_(options),
      budget_(budget),
      progress_(progress),
      pool_(pool),
      ranker_(dataset, options.forest.tree),
      block_(dataset),
      selected_(dataset.n_features(), options.initial),
      scratch_(pool.size()) {
    if (options.new_feature_weights.size() != dataset.n_features())
        throw std::invalid_argument("new-feature weights were given for " +
                                    std::to_string(options.new_feature_weights.size()) + " of " +
                                    std::to_string(dataset.n_features()) + " features");
    for (const std::uint32_t feature : options.initial)
        if (feature >= dataset.n_features())
            throw std::invalid_argument("feature " + std::to_string(feature) + " is not one of the " +
                                        std::to_string(dataset.n_features()) + " of the dataset");
    for (const double weight : options.new_feature_weights) {
        new_feature_weights_.push_back(weight_in_units(weight, new_feature_weights_.size()));
        largest_weight_ = std::max(largest_weight_, new_feature_weights_.back());
    }
}

NodeSamples RegularizedGrower::all_samples() const {
    NodeSamples samples;
    const auto weights = dataset_.weights();
    samples.whole = weights.empty();
    for (std::uint32_t row = 0; row < weights.size(); ++row)
        if (weights[row] > 0) {
            samples.ids.push_back(row);
            samples.weights.push_back(weights[row]);
        }
    return samples;
}

GrownTree RegularizedGrower::grow(NodeSamples samples, std::size_t number) {
    GrownTree tree;
    Arena& arena = tree.new_arena();
    tree.root = arena.make<GrownNode>(1);
    const bool depth_first = options_.score == RegularizedScore::gain;
    std::deque<Pending> waiting;
    waiting.push_back({tree.root, std::move(samples), nullptr, 0, 0,
                       RandomStream(seed_of_tree(options_.forest, number)),
                       std::make_shared<const std::vector<std::uint32_t>>()});
    while (!waiting.empty()) {
        Pending at = std::move(depth_first ? waiting.back() : waiting.front());
        if (depth_first)
            waiting.pop_back();
        else
            waiting.pop_front();
        expand(at, number, arena, waiting);
    }
    tree.complete = !budget_.spent();
    return tree;
}

void RegularizedGrower::expand(Pending& at, std::size_t number, Arena& arena, std::deque<Pending>& children) {
    if (at.partition) at.samples = at.partition->take(at.part);
    at.partition.reset();
    totals_.compute(block_, at.samples, dataset_);
    GrownNode& node = *at.node;
    node.describe(totals_.class_weights, arena);
    progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);

    const std::size_t n_looked_at = selected_.members().size() + options_.forest.tree.max_features;
    if (at.depth >= options_.forest.tree.max_depth || ranker_.is_leaf(totals_) ||
        watch_.is_over(budget_, totals_.labels.size() * n_looked_at))
        return;
    const Comparison comparison = compare(at);
    if (!comparison.best.eligible() || budget_.spent()) return;
    if (comparison.best_is_new) {
        const auto weight = static_cast<double>(totals_.weight);
        selected_.enter({comparison.best.feature, number, at.depth, static_cast<double>(comparison.best.gain) / weight,
                         dataset_.scale().to_double(totals_.weight)});
    }
    split(at, comparison.best, arena, children);
}

/// The feature that scores best among the selected ones and those drawn.
///
/// Two things are left undone without a change of the answer. A split into pure branches has the greatest gain that
/// there is at the node, and ties go to the lowest index: the selected features behind it are not judged. And where the
/// best of the selected ones beats what a pure split by a new feature would score, no new one is judged. Both cases
/// are the rule near the leaves, where most nodes are.
RegularizedGrower::Comparison RegularizedGrower::compare(const Pending& at) {
    Comparison comparison;
    const auto& class_weights = totals_.class_weights;
    if (options_.score == RegularizedScore::gain) {
        const Entropy<WeightCounts> entropy(dataset_);
        comparison.offset = 0;
        comparison.ceiling = -entropy.score(totals_.weight, class_weights.data(), class_weights.size());
    } else {
        const Gini<WeightCounts> gini(dataset_);
        comparison.offset = gini.score(totals_.weight, class_weights.data(), class_weights.size());
        comparison.ceiling = totals_.weight - comparison.offset;
    }
    varying_.clear();
    newly_constant_.clear();
    std::ranges::set_difference(selected_.members(), *at.constant, std::back_inserter(varying_));
    consider(varying_, false, at.samples, comparison);
    const Wide most_of_new = Wide{comparison.offset + comparison.ceiling} * largest_weight_;
    if (comparison.best.eligible() && comparison.best_score > most_of_new) return comparison;
    selected_.draw_others(options_.forest.tree.max_features, at.stream, drawn_);
    consider(drawn_, true, at.samples, comparison);
    return comparison;
}

void RegularizedGrower::consider(std::span<const std::uint32_t> features, bool are_new, const NodeSamples& samples,
                                 Comparison& comparison) {
    const std::size_t cells = features.size() * totals_.labels.size();
    if (pool_.size() > 1 && features.size() > 1 && cells >= cells_for_all_workers) {
        candidates_.assign(features.size(), {});
        pool_.run(features.size(), [&](std::size_t worker, std::size_t i) {
            if (budget_.check_deadline()) return;
            candidates_[i] = ranker_.evaluate(block_, samples, totals_, features[i], scratch_[worker]);
        });
        features_judged_ += features.size();
        for (const Candidate& candidate : candidates_) {
            if (candidate.constant && !are_new) newly_constant_.push_back(candidate.feature);
            weigh(candidate, are_new, comparison);
        }
        return;
    }
    const bool large = totals_.labels.size() >= Watch::large;
    for (const std::uint32_t feature : features) {
        if (large ? budget_.check_deadline() : budget_.spent()) return;
        ++features_judged_;
        const Candidate candidate = ranker_.evaluate(block_, samples, totals_, feature, scratch_[0]);
        if (candidate.constant && !are_new) newly_constant_.push_back(feature);
        weigh(candidate, are_new, comparison);
        if (!are_new && comparison.best.eligible() && comparison.best.gain == comparison.ceiling) return;
    }
}

void RegularizedGrower::weigh(Candidate candidate, bool is_new, Comparison& comparison) const {
    if (!candidate.eligible()) return;
    // Rounding may take a gain a few units of 2^-32 above that of a pure split.
    candidate.gain = std::min(candidate.gain, comparison.ceiling);
    const std::int64_t weight = is_new ? new_feature_weights_[candidate.feature] : full_weight;
    if (weight == 0) return;
    const Wide score = Wide{comparison.offset + candidate.gain} * weight;
    // Algorithm 1 visits the features by index and replaces the best by a better one only: ties go to the lowest index.
    const bool better = !comparison.best.eligible() || score > comparison.best_score ||
                        (score == comparison.best_score && candidate.feature < comparison.best.feature);
    if (!better) return;
    comparison.best = candidate;
    comparison.best_score = score;
    comparison.best_is_new = is_new;
}

void RegularizedGrower::split(Pending& at, const Candidate& best, Arena& arena, std::deque<Pending>& children) {
    const auto partition = std::make_shared<Partition>(dataset_, block_, at.samples, best);
    const std::size_t n_parts = partition->n_parts();
    const std::span<GrownNode> nodes = add_split(*at.node, dataset_, best.feature, best.gain, partition->lower(),
                                                 partition->upper(), partition->codes(), arena);
    // A feature that is constant at a node is so below it; deep in a tree most categories are.
    auto constant = at.constant;
    if (!newly_constant_.empty()) {
        std::vector<std::uint32_t> all;
        std::ranges::set_union(*at.constant, newly_constant_, std::back_inserter(all));
        constant = std::make_shared<const std::vector<std::uint32_t>>(std::move(all));
    }
    for (std::size_t i = 0; i < n_parts; ++i) {
        // A stack is filled from the last branch on, so that the first is grown first.
        const std::size_t j = options_.score == RegularizedScore::gain ? n_parts - 1 - i : i;
        children.push_back({&nodes[j], {}, partition, j, at.depth + 1, at.stream.child(j), constant});
    }
}

}  // namespace palmette
