// Evolved trees as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "columns.hpp"
#include "palmette/evolution/evolution.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

/// The columns, class numbers and weights of a set that is watched.
using Watched = std::tuple<Columns, Vector<std::int32_t>, Vector<double>>;

struct EvolutionRun {
    EvolvedTree result;
    bool interrupted = false;

    [[nodiscard]] std::string status() const {
        switch (result.end) {
            case EvolutionEnd::converged:
                return "converged";
            case EvolutionEnd::max_generations:
                return "max_generations";
            case EvolutionEnd::no_progress:
                return "no_progress";
            default:
                return interrupted ? "interrupted" : "time_limit";
        }
    }
};

EvolutionProblem problem_of(const Dataset& dataset, const std::vector<Watched>& watched, bool validated) {
    EvolutionProblem problem{dataset, {}, {}, validated};
    for (const auto& [columns, labels, weights] : watched) {
        WatchedSet& set = problem.watched.emplace_back();
        const PredictionColumns views(columns);
        set.columns.assign(views.span().begin(), views.span().end());
        set.labels = vector_of<std::int32_t>(labels);
        const auto all = span_of(weights);
        const WeightScale scale(std::accumulate(all.begin(), all.end(), 0.0));
        for (const double weight : all) set.weights.push_back(scale.from_double(weight));
    }
    problem.check_watched();
    return problem;
}

template <class Options, class Evolve>
EvolutionRun run(const Dataset& dataset, const Columns& columns, const std::vector<Watched>& watched, bool validated,
                 const Options& options, Budget& budget, std::size_t n_jobs, const nb::object& on_progress,
                 Evolve evolve) {
    const PredictionColumns views(columns);
    EvolutionProblem problem = problem_of(dataset, watched, validated);
    Progress progress;
    EvolutionRun finished;
    finished.result = wait_or_stop(budget, progress, on_progress, finished.interrupted, [&] {
        WorkerPool pool(n_jobs);
        problem.read_values(views.span(), pool);
        return evolve(problem, options, budget, progress, pool);
    });
    return finished;
}

EvolutionRun evolve(const Dataset& dataset, const Columns& columns, const std::vector<Watched>& watched, bool validated,
                    const EvolutionOptions& options, Budget& budget, std::size_t n_jobs,
                    const nb::object& on_progress) {
    return run(dataset, columns, watched, validated, options, budget, n_jobs, on_progress, evolve_tree);
}

EvolutionRun breed(const Dataset& dataset, const Columns& columns, const std::vector<Watched>& watched, bool validated,
                   const BreedingOptions& options, Budget& budget, std::size_t n_jobs, const nb::object& on_progress) {
    return run(dataset, columns, watched, validated, options, budget, n_jobs, on_progress, breed_tree);
}

/// Generations × measures × (best, mean, worst); the measures are accuracy, height, nodes, and the watched accuracies.
auto spreads(const EvolutionRun& run) {
    std::vector<double> values;
    const auto& generations = run.result.generations;
    for (const Generation& generation : generations) {
        std::vector<Spread> all{generation.accuracy, generation.height, generation.n_nodes};
        all.insert(all.end(), generation.watched.begin(), generation.watched.end());
        for (const Spread& one : all) values.insert(values.end(), {one.best, one.mean, one.worst});
    }
    const std::size_t n_measures = 3 + generations.front().watched.size();
    return to_numpy(std::move(values), {generations.size(), n_measures, 3});
}

auto model(const EvolutionRun& run, std::size_t number) {
    std::vector<std::uint64_t> positions;
    std::vector<std::int32_t> features;
    std::vector<std::uint32_t> counts;
    for (const TreeDistribution::Cell& cell : run.result.generations.at(number).model) {
        positions.push_back(cell.position);
        features.push_back(cell.feature);
        counts.push_back(cell.count);
    }
    const std::size_t n = positions.size();
    return std::tuple(to_numpy(std::move(positions), {n}), to_numpy(std::move(features), {n}),
                      to_numpy(std::move(counts), {n}));
}

std::vector<std::vector<std::tuple<std::uint64_t, std::int32_t>>> population(const EvolutionRun& run) {
    std::vector<std::vector<std::tuple<std::uint64_t, std::int32_t>>> individuals;
    for (const Individual& individual : run.result.population) {
        auto& genes = individuals.emplace_back();
        for (const Gene& gene : individual.genes) genes.emplace_back(gene.position, gene.feature);
    }
    return individuals;
}

}  // namespace

void bind_evolution(nb::module_& module) {
    nb::class_<EvolutionOptions>(module, "EvolutionOptions", "The choices of the estimation-of-distribution algorithm.")
        .def(nb::init<>())
        .def_rw("population_size", &EvolutionOptions::population_size)
        .def_rw("n_elite", &EvolutionOptions::n_elite)
        .def_rw("max_generations", &EvolutionOptions::max_generations)
        .def_rw("max_height", &EvolutionOptions::max_height)
        .def_rw("tolerance", &EvolutionOptions::tolerance)
        .def_rw("record_distribution", &EvolutionOptions::record_distribution)
        .def_rw("most_cells", &EvolutionOptions::most_cells)
        .def_rw("seed", &EvolutionOptions::seed)
        .def_rw("memory_limit", &EvolutionOptions::memory_limit);
    nb::class_<BreedingOptions>(module, "BreedingOptions", "The choices of the genetic algorithm.")
        .def(nb::init<>())
        .def_rw("population_size", &BreedingOptions::population_size)
        .def_rw("n_elite", &BreedingOptions::n_elite)
        .def_rw("max_generations", &BreedingOptions::max_generations)
        .def_rw("patience", &BreedingOptions::patience)
        .def_rw("max_height", &BreedingOptions::max_height)
        .def_rw("initial_height", &BreedingOptions::initial_height)
        .def_rw("tournament_size", &BreedingOptions::tournament_size)
        .def_rw("crossover_rate", &BreedingOptions::crossover_rate)
        .def_rw("mutation_rate", &BreedingOptions::mutation_rate)
        .def_rw("tolerance", &BreedingOptions::tolerance)
        .def_rw("n_pieces", &BreedingOptions::n_pieces)
        .def_rw("seed", &BreedingOptions::seed);

    nb::class_<EvolutionRun>(module, "EvolutionRun", "The tree that an evolution ends with, and its generations.")
        .def_prop_ro(
            "tree", [](EvolutionRun& run) -> GrownTree& { return run.result.tree; }, nb::rv_policy::reference_internal)
        .def_prop_ro("status", &EvolutionRun::status)
        .def_prop_ro("n_generations", [](const EvolutionRun& run) { return run.result.generations.size(); })
        .def_prop_ro("n_trees", [](const EvolutionRun& run) { return run.result.n_trees; })
        .def_prop_ro("n_splits", [](const EvolutionRun& run) { return run.result.n_splits; })
        .def_prop_ro("height", [](const EvolutionRun& run) { return run.result.judgement.height; })
        .def_prop_ro("n_nodes", [](const EvolutionRun& run) { return run.result.judgement.n_nodes; })
        .def("spreads", &spreads,
             "Generations × measures × (best, mean, worst): accuracy, height, nodes, watched sets.")
        .def(
            "has_model",
            [](const EvolutionRun& run, std::size_t number) { return run.result.generations.at(number).has_model; },
            "number"_a)
        .def("model", &model, "number"_a,
             "Positions, features (-1: the class) and how many of the elite have them; empty if uniform or not kept.")
        .def_prop_ro("population", &population, "The last population, best first: positions and features.");

    module.def("evolve_tree", &evolve, "dataset"_a, "columns"_a, "watched"_a, "validated"_a, "options"_a, "budget"_a,
               "n_jobs"_a = 1, "on_progress"_a.none() = nb::none());
    module.def("breed_tree", &breed, "dataset"_a, "columns"_a, "watched"_a, "validated"_a, "options"_a, "budget"_a,
               "n_jobs"_a = 1, "on_progress"_a.none() = nb::none());
}
