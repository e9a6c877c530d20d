// Ardennes (Cagnini, Barros & Basgalupp 2017), Figure 2.

#include <algorithm>
#include <iterator>
#include <utility>

#include "palmette/evolution/evolution.hpp"
#include "path_trie.hpp"
#include "population.hpp"
#include "sampler.hpp"

namespace palmette {
namespace {

/// Keeps the models of the generations within a number of cells: of every generation at first, then of every second,
/// every fourth, and so on; always of the last one.
class ModelRecord {
  public:
    ModelRecord(std::vector<Generation>& generations, const EvolutionOptions& options)
        : generations_(generations), most_cells_(options.most_cells), wanted_(options.record_distribution) {}

    /// The model that the last generation was drawn from.
    void add(const TreeDistribution& distribution) {
        if (!wanted_) return;
        const std::size_t last = generations_.size() - 1;
        if (last > 0 && (last - 1) % stride_ != 0) forget(generations_[last - 1]);
        generations_[last].model = distribution.cells();
        generations_[last].has_model = true;
        n_cells_ += generations_[last].model.size();
        while (n_cells_ > most_cells_ && stride_ < last) {
            stride_ *= 2;
            for (std::size_t number = 0; number < last; ++number)
                if (number % stride_ != 0) forget(generations_[number]);
        }
    }

  private:
    void forget(Generation& generation) {
        n_cells_ -= generation.model.size();
        generation.model = {};
        generation.has_model = false;
    }

    std::vector<Generation>& generations_;
    std::size_t most_cells_;
    bool wanted_;
    std::size_t stride_ = 1;
    std::size_t n_cells_ = 0;
};

}  // namespace

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
    ModelRecord record(result.generations, options);
    std::vector<Individual>& population = result.population;
    population = sampler.sample(distribution, seed.child(0), options.population_size);
    progress.work_total.store(options.max_generations, std::memory_order_relaxed);
    for (std::size_t number = 0;; ++number) {
        result.n_trees += number == 0 ? options.population_size : options.population_size - n_elite;
        put_in_order(population, order);
        result.generations.push_back(describe(judgements_of(population), problem));
        record.add(distribution);
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
