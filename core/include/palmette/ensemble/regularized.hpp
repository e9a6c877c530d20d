// Regularized ensembles: trees that share one set of features and must pay for a new one (Deng & Runger 2012).
//
// The set F ("selected") is common to all trees and grows at once when a node splits on a feature that it lacks. A node
// looks at all of F and at some features drawn from the rest; a feature that is not in F competes with λ times its gain.
// So a feature enters only where it tells clearly more than every feature selected before, and F is what remains when
// the trees are grown. Since each node depends on the F that the nodes before it left, trees and nodes come one after the
// other: the workers share the features of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/data/encoding.hpp"
#include "palmette/ensemble/forest.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

/// gain: λ·gain for a new feature, depth-first (Algorithm 1 of the paper). uncentred_gini: λ·(the node's own Gini term
/// plus the gain), breadth-first, as the R package RRF does.
enum class RegularizedScore : std::uint8_t { gain, uncentred_gini };

struct RegularizedOptions {
    ForestOptions forest;  // `tree.max_features` counts the new features drawn at a node
    RegularizedScore score = RegularizedScore::gain;
    std::vector<double> new_feature_weights;  // λ of each feature, in 0..1; one of 0 never enters
    std::vector<std::uint32_t> initial;       // features that are selected from the start
    ThresholdRule threshold = ThresholdRule::c45;
};

/// How a feature came into the set.
struct FeatureEntry {
    std::uint32_t feature = 0;
    std::size_t tree = 0;
    std::uint32_t depth = 0;  // of the node
    double gain = 0;          // of its split there, before the penalty, for each unit of weight
    double weight = 0;        // of the node
};

struct RegularizedEnsemble {
    RegularizedEnsemble() = default;
    RegularizedEnsemble(RegularizedEnsemble&&) = default;
    RegularizedEnsemble(const RegularizedEnsemble&) = delete;
    RegularizedEnsemble& operator=(const RegularizedEnsemble&) = delete;

    GrownForest forest;
    std::vector<FeatureEntry> entries;  // in order; without the initial features
    std::vector<double> votes;          // boosting: the weight of each tree's vote
    std::vector<double> errors;         // boosting: the weighted error of every round, also of one that was dropped
    std::uint64_t features_judged = 0;  // how many times the gain of a feature was computed
};

/// RRF: bootstrap samples, or all rows without `forest.bootstrap`. A tree that the budget cut short is dropped together
/// with the features that it brought; the first tree stays as it is, so that the result can predict.
RegularizedEnsemble grow_regularized_forest(const Dataset& dataset, const RegularizedOptions& options, Budget& budget,
                                            Progress& progress, WorkerPool& pool);

/// RBoost: AdaBoost.M1 (Freund & Schapire 1996). With `forest.bootstrap` each round draws rows in proportion to their
/// weights, else it weighs them. It ends with a round whose error is 0 or at least 1/2; unless that is the first,
/// the round is dropped with the features that it brought. `columns` holds the values of the continuous features. The
/// thresholds of the trees are resolved.
RegularizedEnsemble boost_regularized_trees(const Dataset& dataset, std::span<const std::optional<ValueView>> columns,
                                            const RegularizedOptions& options, Budget& budget, Progress& progress,
                                            WorkerPool& pool);

}  // namespace palmette
