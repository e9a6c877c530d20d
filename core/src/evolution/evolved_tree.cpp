// Ardennes (Cagnini, Barros & Basgalupp 2017), Figure 2.

#include <algorithm>
#include <iterator>
#include <utility>

#include "palmette/evolution/evolution.hpp"
#include "path_trie.hpp"
#include "population.hpp"
#include "sampler.hpp"

namespace palmette {

EvolvedTree evolve_tree(const EvolutionProblem& problem, const EvolutionOptions& options, Budget& budget,
                        Progress& progress, WorkerPool& pool) {
    PathTrie trie(problem, options.max_height, options.memory_limit);
    Sampler sampler(trie, pool, budget);
    const Order order = order_of(problem, options.tolerance, true);
    const RandomStream seed(options.seed);
    const std::size_t n_features = problem.dataset.n_features();
    const std::size_t n_elite = std::min(options.n_elite, options.population_size);

    TreeDistribution distribution(n_features, n_elite);
    EvolvedTree result;
    std::vector<Individual>& population = result.population;
    population = sampler.sample(distribution, seed.child(0), options.population_size);
    progress.work_total.store(options.max_generations, std::memory_order_relaxed);
    for (std::size_t number = 0;; ++number) {
        result.n_trees += number == 0 ? options.population_size : options.population_size - n_elite;
        put_in_order(population, order);
        result.generations.push_back(describe(judgements_of(population), problem));
        if (options.record_distribution) result.generations.back().model = distribution.cells();
        progress.work_done.store(number, std::memory_order_relaxed);
        progress.trees_built.store(result.n_trees, std::memory_order_relaxed);
        progress.nodes_expanded.store(trie.n_made(), std::memory_order_relaxed);

        result.end = EvolutionEnd::stopped;
        if (number == 0 && budget.spent()) break;  // cut short: that all are alike says nothing
        result.end = EvolutionEnd::converged;
        if (order.tie(population.front().judgement, population.back().judgement)) break;
        result.end = EvolutionEnd::max_generations;
        if (number == options.max_generations || n_elite == options.population_size) break;
        result.end = EvolutionEnd::stopped;
        if (budget.check_deadline()) break;

        distribution = TreeDistribution(n_features, std::span(population).first(n_elite), options.max_height);
        std::vector<Individual> drawn =
            sampler.sample(distribution, seed.child(number + 1), options.population_size - n_elite);
        if (budget.spent()) break;
        // The new ones go first, so that of equals the younger is preferred: the model drifts on among equally good
        // trees instead of standing still with the first that were found.
        population.resize(n_elite);
        drawn.insert(drawn.end(), std::make_move_iterator(population.begin()),
                     std::make_move_iterator(population.end()));
        population = std::move(drawn);
    }
    RankingScratch scratch;
    const Individual& answer = population[choose(judgements_of(population), problem)];
    result.tree = trie.tree_of(answer.genes, scratch);
    result.judgement = answer.judgement;
    result.n_splits = trie.n_made();
    return result;
}

}  // namespace palmette
