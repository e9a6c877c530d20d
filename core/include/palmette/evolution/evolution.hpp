// Evolution: trees by a population that gets better from generation to generation, in two ways.
//
// evolve_tree is Ardennes, an estimation-of-distribution algorithm (Cagnini, Barros & Basgalupp 2017): the better half
// of the population says which feature is drawn how often at which place, and the rest is drawn anew. breed_tree is a
// genetic algorithm in the spirit of LEGAL-Tree (Basgalupp et al. 2009), of which only an outline is at hand: trees are
// assembled from one-feature stumps and bred by tournament, crossover and mutation. Both prefer accuracy on the training
// set, then the lower tree, and both choose the answer with the help of a validation set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/evolution/distribution.hpp"
#include "palmette/evolution/individual.hpp"
#include "palmette/evolution/watched.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"
#include "palmette/tree/grown_tree.hpp"

namespace palmette {

/// What a tree is grown on and judged on.
struct EvolutionProblem {
    const Dataset& dataset;
    std::vector<std::vector<double>> values;  // the distinct values of each continuous feature, ascending
    std::vector<WatchedSet> watched;          // at most `most_watched`
    bool validated = false;                   // the first watched set has a say in which individual is the answer

    [[nodiscard]] bool nominal(std::uint32_t feature) const noexcept {
        return dataset.column(feature).kind == FeatureKind::nominal;
    }
    [[nodiscard]] std::vector<WatchedRows> all_watched() const;

    /// Sets `values` from the columns that the dataset was encoded from.
    void read_values(std::span<const PredictionColumn> columns, WorkerPool& pool);

    /// Throws std::invalid_argument where the watched sets do not fit the dataset.
    void check_watched() const;
};

struct EvolutionOptions {
    std::size_t population_size = 200;  // |S|
    std::size_t n_elite = 100;          // |Φ|
    std::size_t max_generations = 100;  // |G|
    std::uint32_t max_height = 9;       // H, in levels: a single leaf has height 1
    double tolerance = 0;               // accuracies in the same step of this width tie
    /// Keep the models of the generations, of fewer and fewer of them once they hold more than so many cells.
    bool record_distribution = true;
    std::size_t most_cells = std::size_t{4} << 20;
    std::uint64_t seed = 0;
    std::size_t memory_limit = std::size_t{128} << 20;  // of the cache of nodes
};

struct BreedingOptions {
    std::size_t population_size = 200;
    std::size_t n_elite = 10;
    std::size_t max_generations = 100;
    std::size_t patience = 15;  // generations without a better best
    std::uint32_t max_height = 15;
    std::uint32_t initial_height = 4;  // of the trees of the first generation, at most
    std::size_t tournament_size = 3;
    double crossover_rate = 0.9;
    double mutation_rate = 0.1;
    double tolerance = 0;
    std::size_t n_pieces = 10;  // parts of the training set whose best cuts become stumps
    std::uint64_t seed = 0;
};

/// One measure over a population, in its order.
struct Spread {
    double best = 0;  // of the first individual
    double mean = 0;
    double worst = 0;  // of the last
};

struct Generation {
    Spread accuracy, height, n_nodes;
    std::vector<Spread> watched;                // accuracies on the watched sets
    std::vector<TreeDistribution::Cell> model;  // what the generation was drawn from; empty: uniform
    bool has_model = false;                     // false: not recorded
};

enum class EvolutionEnd : std::uint8_t { converged, max_generations, no_progress, stopped };

struct EvolvedTree {
    GrownTree tree;
    Judgement judgement;
    EvolutionEnd end = EvolutionEnd::max_generations;
    std::vector<Generation> generations;
    std::vector<Individual> population;  // the last one, best first
    std::size_t n_trees = 0;             // grown in all
    std::uint64_t n_splits = 0;          // sought in all; what the cache had is not counted
};

/// A generation that the budget cut short does not count, unless it is the first.
EvolvedTree evolve_tree(const EvolutionProblem& problem, const EvolutionOptions& options, Budget& budget,
                        Progress& progress, WorkerPool& pool);

EvolvedTree breed_tree(const EvolutionProblem& problem, const BreedingOptions& options, Budget& budget,
                       Progress& progress, WorkerPool& pool);

}  // namespace palmette
