// Exploration: a search of the whole lattice by all workers, for goals that need no stages.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "explorer.hpp"
#include "frontier.hpp"
#include "incumbent.hpp"
#include "palmette/search/settings.hpp"
#include "palmette/support/worker_pool.hpp"
#include "warm_start.hpp"

namespace palmette {

/// Tells the goal of the trees along a backward elimination down to nothing, so that it has something to compare with.
template <std::size_t Words>
void start_warm(const SearchProblem& problem, const SearchSettings& settings, Goal<Words>& goal, const Budget& budget) {
    const std::vector<SearchSamples> samples = search_sets<SearchSamples>(problem);
    const FeatureSet<Words> keep = kept_units<Words>(problem, settings);
    SearchSettings downwards = settings;
    downwards.max_features = n_features_in(problem, keep);
    Incumbent<Words> incumbent(problem, downwards);
    Trie<Words> trie(problem, samples, false, budget);
    WarmStart<Words> start(trie, incumbent, keep, settings.memory_limit, budget);
    start.on_tree = [&](const FeatureSet<Words>& allowed, const FeatureSet<Words>& used, ErrorWeight error) {
        Sublattice<Words> at{used, {}, n_features_in(problem, used)};
        // Units that may be used and are not can leave one by one: the tree stays (Lemma 6).
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit)
            if (!allowed.contains(unit)) at.excluded.insert(unit);
        goal.record(at, error);
    };
    start.eliminate();
}

/// Runs until all is closed or the budget is spent; each worker follows the goal that make_goal() gives it. False when
/// the memory limit was too small to go on, whatever was forgotten.
template <std::size_t Words>
bool explore_lattice(const SearchProblem& problem, const SearchSettings& settings, bool keep_unreached,
                     const std::function<std::unique_ptr<Goal<Words>>()>& make_goal, Budget& budget,
                     Progress& progress) {
    using Outcome = typename Explorer<Words>::Outcome;
    constexpr std::uint64_t steps_between_looks = 16;
    constexpr double whole_progress = 1 << 20;
    const std::vector<SearchSamples> samples = search_sets<SearchSamples>(problem);
    WorkerPool pool(std::max<std::size_t>(1, settings.n_jobs));
    const std::size_t n_jobs = pool.size();  // the system may have refused a thread
    progress.work_total.store(static_cast<std::uint64_t>(whole_progress));

    Frontier<Words> frontier;
    frontier.open({Task<Words>{kept_units<Words>(problem, settings), {}, 0, 1.0}}, n_jobs);
    std::atomic<double> closed{0};
    std::atomic<bool> enough_memory{true};
    pool.run(n_jobs, [&](std::size_t, std::size_t) {
        try {
            const std::unique_ptr<Goal<Words>> goal = make_goal();
            Trie<Words> trie(problem, samples, keep_unreached, budget);
            Explorer<Words> explorer(trie, *goal, settings.memory_limit / n_jobs);
            std::uint64_t trees = 0, expansions = 0;
            while (auto task = frontier.take()) {
                explorer.start(*task);
                Outcome outcome = Outcome::going_on;
                while (outcome == Outcome::going_on) {
                    outcome = explorer.run(steps_between_looks);
                    progress.trees_built.fetch_add(explorer.n_trees() - std::exchange(trees, explorer.n_trees()));
                    progress.nodes_expanded.fetch_add(trie.n_expansions() -
                                                      std::exchange(expansions, trie.n_expansions()));
                    closed.fetch_add(explorer.take_closed_share());
                    progress.work_done.store(static_cast<std::uint64_t>(closed.load() * whole_progress));
                    if (outcome == Outcome::out_of_memory) enough_memory.store(false);
                    if (!enough_memory.load() || outcome == Outcome::stopped || budget.check_deadline() ||
                        budget.spent()) {
                        frontier.drain();
                        break;
                    }
                    if (frontier.draining()) break;
                    if (frontier.wanted())
                        if (auto gift = explorer.give_away()) frontier.give(std::move(*gift));
                }
            }
        } catch (...) {
            // The others must not wait for this one.
            frontier.drain();
            while (frontier.take()) {}
            throw;
        }
    });
    return enough_memory.load();
}

}  // namespace palmette
