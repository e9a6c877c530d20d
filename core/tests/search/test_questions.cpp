// The other questions to the lattice, against brute force.

#include "palmette/search/questions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "check.hpp"
#include "search_case.hpp"

using namespace palmette;
using problems::Random;
using problems::SearchCase;

namespace {

SearchSettings with_jobs(const SearchCase& at, std::size_t n_jobs) {
    SearchSettings settings = at.settings;
    settings.n_jobs = n_jobs;
    return settings;
}

}  // namespace

TEST_CASE("every subset belongs to exactly one of the distinct trees") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(seed + 3000);
        SearchCase at(random);
        at.settings.max_features = SearchSettings::no_limit;
        const auto points = at.points();
        TreeEnumerator trees(at.problem, at.settings, -1);
        const Budget budget;
        std::set<std::vector<std::uint32_t>> seen;
        std::map<ErrorWeight, std::size_t> subsets_of_error, expected;
        TreeCounts counts;
        while (!trees.finished()) {
            for (const FoundSubset& found : trees.next(3, budget)) {
                CHECK(seen.insert(found.units).second);
                subsets_of_error[found.error] += std::size_t{1} << found.free.size();
                ++counts[{found.size, found.free.size()}];
            }
        }
        for (const auto& point : points) ++expected[point.found.error];
        CHECK(subsets_of_error == expected);
        Budget unlimited;
        Progress progress;
        CHECK(count_distinct_trees(at.problem, with_jobs(at, 2), -1, unlimited, progress).found == counts);
    }
}

TEST_CASE("the front holds the best subset of every size that is worth its features") {
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        Random random(seed + 4000);
        SearchCase at(random);
        at.settings.feature_penalty = 0;
        auto points = at.points();
        std::ranges::sort(points, {}, [](const auto& point) {
            return std::tuple(point.found.size, point.found.error, point.features);
        });
        std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> free_of;
        TreeEnumerator trees(at.problem, at.settings, -1);
        while (!trees.finished())
            for (const FoundSubset& found : trees.next(100, Budget())) free_of[found.units] = found.free;
        std::vector<std::vector<std::uint32_t>> expected;
        ErrorWeight least = -1;
        for (const auto& point : points)
            if (least < 0 || point.found.error < least) {
                least = point.found.error;
                expected.push_back(point.found.units);
            }
        for (const std::size_t n_jobs : {1, 2}) {
            Budget budget;
            Progress progress;
            std::vector<std::vector<std::uint32_t>> front;
            for (const FoundSubset& found : pareto_front(at.problem, with_jobs(at, n_jobs), budget, progress).found) {
                front.push_back(found.units);
                CHECK(found.free == free_of[found.units]);
            }
            CHECK(front == expected);
        }
    }
}

TEST_CASE("what each unit is worth") {
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        Random random(seed + 5000);
        SearchCase at(random);
        at.settings.feature_penalty = 0;
        at.settings.max_features = SearchSettings::no_limit;
        std::vector<ErrorWeight> with(at.problem.n_units(), FeatureCosts::none), without = with;
        for (const auto& point : at.points())
            for (std::uint32_t unit = 0; unit < at.problem.n_units(); ++unit) {
                auto& least = std::ranges::binary_search(point.units, unit) ? with[unit] : without[unit];
                if (least == FeatureCosts::none || point.found.error < least) least = point.found.error;
            }
        for (const std::size_t n_jobs : {1, 2}) {
            Budget budget;
            Progress progress;
            const FeatureCosts costs = feature_costs(at.problem, with_jobs(at, n_jobs), budget, progress).found;
            CHECK(costs.with == with);
            CHECK(costs.without == without);
        }
    }
}
