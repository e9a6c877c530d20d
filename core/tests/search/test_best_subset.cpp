// The best subset against brute force, whatever the threads, the memory and the interruptions.

#include "palmette/search/best_subset.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "search_case.hpp"

using namespace palmette;
using problems::Random;
using problems::SearchCase;

namespace {

SearchResult search(const SearchCase& at, std::size_t n_jobs, std::size_t memory_limit = std::size_t{1} << 28) {
    SearchSettings settings = at.settings;
    settings.n_jobs = n_jobs;
    settings.memory_limit = memory_limit;
    Budget budget;
    return BestSubsetSearch(at.problem, settings, budget, {}).run();
}

void check_by_brute_force(const SearchCase& at, const std::vector<SearchResult>& results) {
    const auto points = at.points();
    const auto best = std::ranges::min_element(points, {}, SearchCase::order);
    REQUIRE(best != points.end());
    for (const SearchResult& result : results) {
        CHECK(result.status == SearchStatus::optimal);
        CHECK_EQ(result.objective, best->objective);
        CHECK_EQ(result.bound, best->objective);
        CHECK(result.best.units == best->found.units);
        CHECK_EQ(result.best.error, best->found.error);
    }
}

}  // namespace

TEST_CASE("the best subset is that of brute force, for any number of workers and any memory") {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const SearchCase at(random);
        check_by_brute_force(at, {search(at, 1), search(at, 3), search(at, 2, 20000)});
    }
}

TEST_CASE("the best subset is that of brute force, where subsets are followed in tables") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(seed + 5000);
        const SearchCase at(random, 6, 4);
        check_by_brute_force(at, {search(at, 1), search(at, 2), search(at, 2, 60000)});
    }
}

TEST_CASE("an answer within the gap is within the gap") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(seed + 1000);
        SearchCase at(random);
        const auto points = at.points();
        const ErrorWeight best = std::ranges::min_element(points, {}, SearchCase::order)->objective;
        at.settings.error_gap = 2.0;
        const SearchResult result = search(at, 2);
        CHECK(result.status == SearchStatus::optimal || result.status == SearchStatus::within_gap);
        CHECK(result.bound <= best && best <= result.objective);
        CHECK(result.objective <= best + at.dataset.scale().from_double(2.0));
    }
}

TEST_CASE("a search that is stopped and resumed, again and again, ends with the same answer") {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Random random(seed + 2000);
        const SearchCase at(random, 6, 4);
        const SearchResult undisturbed = search(at, 1);
        std::vector<std::byte> state;
        SearchResult result;
        for (int round = 0; round < 100; ++round) {
            SearchSettings settings = at.settings;
            settings.n_jobs = 1 + static_cast<std::size_t>(round % 2);
            Budget budget;
            BestSubsetSearch again(at.problem, settings, budget, state);
            std::thread watcher([&] {
                again.request_save();
                std::this_thread::sleep_for(std::chrono::microseconds(200 * (round + 1)));
                static_cast<void>(again.view());
                budget.request_stop();
            });
            result = again.run();
            watcher.join();
            CHECK(result.bound <= undisturbed.objective);
            CHECK(result.objective >= undisturbed.objective);
            // Half of the time the process is lost and only what was saved on the way is left.
            std::vector<std::byte> saved = again.take_saved();
            state = round % 2 == 0 || saved.empty() ? again.final_state() : std::move(saved);
            if (result.status == SearchStatus::optimal) break;
        }
        CHECK(result.status == SearchStatus::optimal);
        CHECK_EQ(result.objective, undisturbed.objective);
        CHECK(result.best.units == undisturbed.best.units);
    }
}

TEST_CASE("a state that is not one is refused") {
    Random random(7);
    const SearchCase at(random);
    Budget budget;
    BestSubsetSearch search(at.problem, at.settings, budget, {});
    search.run();
    std::vector<std::byte> state = search.final_state();
    const auto refused = [&](const std::vector<std::byte>& bytes) {
        Budget fresh;
        CHECK_THROWS_AS(BestSubsetSearch(at.problem, at.settings, fresh, bytes), std::invalid_argument);
    };
    refused(std::vector<std::byte>(state.begin(), state.end() - 1));
    refused(std::vector<std::byte>(11, std::byte{7}));
    std::vector<std::byte> longer = state;
    longer.push_back(std::byte{0});
    refused(longer);
    // Any byte may be anything: it is refused, or it is a state, but nothing breaks.
    for (std::size_t i = 0; i < state.size(); ++i) {
        std::vector<std::byte> changed = state;
        changed[i] ^= std::byte{0x5a};
        Budget fresh;
        try {
            BestSubsetSearch(at.problem, at.settings, fresh, changed).run();
        } catch (const std::invalid_argument&) {}
    }
}

TEST_CASE("there is room for so many folds and no more") {
    Random random(9);
    const SearchCase at(random);
    SearchProblem problem(at.dataset, GrowthOptions{}, ThresholdRule::c45);
    const std::vector<std::uint32_t> building{0, 1}, search{2};
    for (std::size_t fold = 0; fold < SearchProblem::most_folds; ++fold) problem.add_fold(building, search);
    std::string message;
    try {
        problem.add_fold(building, search);
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    CHECK(message.find("at most 65535") != std::string::npos);
    CHECK_EQ(problem.folds().size(), SearchProblem::most_folds);
}

TEST_CASE("settings that do not fit the problem are refused") {
    Random random(8);
    SearchCase at(random);
    const auto refused = [&](const SearchSettings& settings) {
        Budget budget;
        CHECK_THROWS_AS(BestSubsetSearch(at.problem, settings, budget, {}), std::invalid_argument);
    };
    SearchSettings settings;
    settings.keep = {99};
    refused(settings);
    settings = {};
    settings.keep = {0, 1};
    settings.max_features = 1;
    refused(settings);
    settings = {};
    settings.feature_penalty = 1e300;
    refused(settings);
    settings.feature_penalty = -1;
    refused(settings);
    settings = {};
    settings.error_gap = problems::missing;
    refused(settings);
    CHECK_THROWS_AS(error_of_subset(at.problem, std::vector<std::uint32_t>{77}), std::invalid_argument);
    const SearchProblem empty(at.dataset, GrowthOptions{}, ThresholdRule::c45);
    Budget budget;
    CHECK_THROWS_AS(BestSubsetSearch(empty, SearchSettings{}, budget, {}), std::invalid_argument);
}
