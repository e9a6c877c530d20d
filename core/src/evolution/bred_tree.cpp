// A genetic algorithm over trees, in the spirit of LEGAL-Tree (Basgalupp et al. 2009).

#include <algorithm>
#include <utility>

#include "assembly.hpp"
#include "genome.hpp"
#include "palmette/evolution/evolution.hpp"
#include "population.hpp"

namespace palmette {
namespace {

constexpr std::uint64_t stream_of_stumps = 0;
constexpr std::uint64_t stream_of_generations = 1;

bool happens(double rate, RandomStream& stream) {
    return static_cast<double>(stream.next() >> 11) * 0x1p-53 < rate;
}

}  // namespace

EvolvedTree breed_tree(const EvolutionProblem& problem, const BreedingOptions& options, Budget& budget,
                       Progress& progress, WorkerPool& pool) {
    const RandomStream seed(options.seed);
    const Stumps stumps(make_stumps(problem, options.n_pieces, seed.child(stream_of_stumps)));
    const Assembler assembler(problem, stumps, options.max_height);
    const Order order = order_of(problem, options.tolerance, false);
    const RandomStream generations = seed.child(stream_of_generations);
    const std::size_t size = options.population_size, n_elite = std::min(options.n_elite, size);

    EvolvedTree result;
    std::vector<Assembled> population(size);
    pool.run(size, [&](std::size_t, std::size_t i) {
        RandomStream stream = generations.child(0).child(i);
        const auto tallest = std::max<std::uint32_t>(2, std::min(options.initial_height, options.max_height));
        const std::uint32_t height = 2 + static_cast<std::uint32_t>(stream.below(tallest - 1));
        // One individual is assembled whatever is left of the budget; the others are leaves then.
        const bool stopped = i > 0 && budget.check_deadline();
        population[i] = assembler.assemble(stopped ? Genome{-1} : stumps.assemble(height, i % 2 == 0, stream));
    });
    result.n_trees = size;
    progress.work_total.store(options.max_generations, std::memory_order_relaxed);
    std::size_t last_progress = 0;
    for (std::size_t number = 0;; ++number) {
        put_in_order(population, order);
        const Judgement best = population.front().judgement;
        result.generations.push_back(describe(judgements_of(population), problem));
        progress.work_done.store(number, std::memory_order_relaxed);
        progress.trees_built.store(result.n_trees, std::memory_order_relaxed);

        result.end = EvolutionEnd::stopped;
        if (number == 0 && budget.spent()) break;  // cut short: that all are alike says nothing
        result.end = EvolutionEnd::converged;
        if (order.tie(best, population.back().judgement)) break;
        result.end = EvolutionEnd::no_progress;
        if (number - last_progress >= options.patience) break;
        result.end = EvolutionEnd::max_generations;
        if (number == options.max_generations || n_elite == size) break;
        result.end = EvolutionEnd::stopped;
        if (budget.check_deadline()) break;

        std::vector<Assembled> next(population.begin(), population.begin() + static_cast<std::ptrdiff_t>(n_elite));
        next.resize(size);
        const auto winner = [&](RandomStream& stream) {
            // The population is in order, so the first of those drawn is the best of them.
            std::size_t place = size - 1;
            for (std::size_t i = 0; i < options.tournament_size; ++i)
                place = std::min<std::size_t>(place, stream.below(size));
            return place;
        };
        pool.run((size - n_elite + 1) / 2, [&](std::size_t, std::size_t pair) {
            if (budget.check_deadline()) return;
            RandomStream stream = generations.child(number + 1).child(pair);
            Genome children[] = {population[winner(stream)].genome, population[winner(stream)].genome};
            if (happens(options.crossover_rate, stream)) stumps.cross(children[0], children[1], stream);
            for (std::size_t i = 0; i < 2; ++i) {
                if (happens(options.mutation_rate, stream)) stumps.mutate(children[i], stream);
                const std::size_t place = n_elite + 2 * pair + i;
                if (place < size) next[place] = assembler.assemble(children[i]);
            }
        });
        if (budget.spent()) break;
        result.n_trees += size - n_elite;
        population = std::move(next);
        const auto better =
            std::ranges::any_of(population, [&](const Assembled& one) { return order.before(one.judgement, best); });
        if (better) last_progress = number + 1;
    }
    const Assembled& answer = population[choose(judgements_of(population), problem)];
    result.tree = assembler.tree_of(answer.genome);
    result.judgement = answer.judgement;
    return result;
}

}  // namespace palmette
