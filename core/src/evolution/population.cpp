#include "population.hpp"

#include <cmath>
#include <numeric>

namespace palmette {

Weight training_weight(const Dataset& dataset) {
    const auto weights = dataset.weights();
    if (weights.empty()) return static_cast<Weight>(dataset.n_rows()) * dataset.scale().one();
    return std::accumulate(weights.begin(), weights.end(), Weight{0});
}

Order order_of(const EvolutionProblem& problem, double tolerance, bool by_nodes) {
    const auto step = std::llround(tolerance * static_cast<double>(training_weight(problem.dataset)));
    return Order(step, by_nodes);
}

Generation describe(std::span<const Judgement> population, const EvolutionProblem& problem) {
    const auto spread = [&](auto measure) {
        Spread result{measure(population.front()), 0, measure(population.back())};
        for (const Judgement& one : population) result.mean += measure(one);
        result.mean /= static_cast<double>(population.size());
        return result;
    };
    Generation generation;
    const auto total = static_cast<double>(training_weight(problem.dataset));
    generation.accuracy = spread([&](const Judgement& of) { return static_cast<double>(of.right) / total; });
    generation.height = spread([](const Judgement& of) { return static_cast<double>(of.height); });
    generation.n_nodes = spread([](const Judgement& of) { return static_cast<double>(of.n_nodes); });
    for (std::size_t i = 0; i < problem.watched.size(); ++i) {
        const auto watched = static_cast<double>(problem.watched[i].total());
        generation.watched.push_back(
            spread([&](const Judgement& of) { return static_cast<double>(of.watched[i]) / watched; }));
    }
    return generation;
}

std::size_t choose(std::span<const Judgement> population, const EvolutionProblem& problem) {
    if (!problem.validated) return 0;
    // Products of whole numbers: accuracies of different sets are added without rounding, so that ties are ties.
    __extension__ using Wide = __int128;
    const Wide training = training_weight(problem.dataset), validation = problem.watched[0].total();
    const auto quality = [&](const Judgement& of) { return of.right * validation + of.watched[0] * training; };
    std::size_t best = 0;
    for (std::size_t i = 1; i < population.size(); ++i)
        if (quality(population[i]) > quality(population[best])) best = i;
    return best;
}

}  // namespace palmette
