#include "palmette/oblivious/focus.hpp"

#include <cstdint>
#include <vector>

#include "../../src/oblivious/hitting_set.hpp"
#include "check.hpp"
#include "problems.hpp"

using namespace palmette;
using namespace palmette::problems;
using oblivious::HittingSetProblem;

namespace {

using Elements = std::vector<std::uint32_t>;

/// The smallest hitting set, the first of its size, by trying all.
Elements smallest_by_hand(const std::vector<Elements>& sets, std::uint32_t n_elements) {
    Elements best;
    bool known = false;
    for (std::uint32_t mask = 0; mask < (1U << n_elements); ++mask) {
        bool hits = true;
        for (const Elements& set : sets) {
            bool hit = false;
            for (const std::uint32_t element : set) hit = hit || ((mask >> element) & 1U) != 0;
            hits = hits && hit;
        }
        if (!hits) continue;
        Elements elements;
        for (std::uint32_t element = 0; element < n_elements; ++element)
            if ((mask >> element) & 1U) elements.push_back(element);
        if (!known || elements.size() < best.size() || (elements.size() == best.size() && elements < best)) {
            best = elements;
            known = true;
        }
    }
    return best;
}

FocusResult focus(const Problem& problem, double seconds = 1e6) {
    const Dataset dataset = problem.dataset();
    Budget budget;
    budget.set_time_limit(seconds);
    FocusProgress progress;
    return find_smallest_consistent(dataset, {}, budget, progress);
}

Problem table(const std::vector<std::vector<std::int32_t>>& rows, const std::vector<Label>& labels) {
    Problem problem;
    problem.columns.resize(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t f = 0; f < row.size(); ++f) {
            problem.columns[f].categories.push_back(row[f]);
            problem.columns[f].n_categories = 4;
        }
    problem.labels = labels;
    return problem;
}

}  // namespace

TEST_CASE("focus: the smallest hitting set is the first of those found by trying all") {
    Random random(1);
    for (int round = 0; round < 300; ++round) {
        const auto n_elements = static_cast<std::uint32_t>(random.integer(2, 9));
        HittingSetProblem problem(n_elements);
        std::vector<Elements> sets;
        for (int i = random.integer(1, 14); i > 0; --i) {
            Elements set;
            for (std::uint32_t element = 0; element < n_elements; ++element)
                if (random.chance(0.4)) set.push_back(element);
            if (set.empty()) continue;
            problem.add(set);
            sets.push_back(set);
        }
        const Elements expected = smallest_by_hand(sets, n_elements);
        Budget budget;
        const std::vector<bool> all_allowed(n_elements, false);
        for (std::size_t size = 0; size < expected.size(); ++size)
            CHECK(!problem.find(size, {}, all_allowed, budget).has_value());
        CHECK(problem.find(expected.size(), {}, all_allowed, budget).has_value());
        CHECK(problem.find_first(expected.size(), budget) == expected);
    }
}

TEST_CASE("focus: no set within another is kept") {
    HittingSetProblem problem(5);
    CHECK(problem.add({0, 1, 2}));
    CHECK(problem.add({3, 4}));
    CHECK(!problem.add({0, 1, 2, 3}));
    CHECK(problem.add({1}));
    CHECK(problem.sets() == std::vector<Elements>{{3, 4}, {1}});
}

TEST_CASE("focus: two features that only together tell the classes apart") {
    const FocusResult result = focus(table({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}}, {0, 1, 1, 0}));
    CHECK(result.features == Elements{1, 2});
    CHECK_EQ(result.lower_bound, 2U);
    CHECK(result.status == FocusStatus::complete);
    CHECK_EQ(result.n_inseparable, 0U);
}

TEST_CASE("focus: samples that are alike on all features do not count against each other") {
    // The first two can never be told apart, but both must be from the third.
    const FocusResult result = focus(table({{0, 0}, {0, 0}, {0, 1}, {1, 1}}, {0, 1, 1, 1}));
    CHECK(result.features == Elements{1});
    CHECK_EQ(result.n_inseparable, 2U);
    const FocusResult nothing = focus(table({{2, 2}, {2, 2}}, {0, 1}));
    CHECK(nothing.features.empty());
    CHECK_EQ(nothing.lower_bound, 0U);
}

TEST_CASE("focus: a stopped search has a consistent set and a bound") {
    const FocusResult result = focus(table({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}}, {0, 1, 1, 0}), 0);
    CHECK(result.status == FocusStatus::time_limit);
    CHECK(result.features == Elements{0, 1, 2});
    CHECK(result.lower_bound <= 2);
}

TEST_CASE("focus: features to keep must be there") {
    const Problem problem = table({{0, 0}, {1, 1}}, {0, 1});
    const Dataset dataset = problem.dataset();
    Budget budget;
    FocusProgress progress;
    CHECK(find_smallest_consistent(dataset, {1}, budget, progress).features == Elements{1});
    CHECK_THROWS_AS(find_smallest_consistent(dataset, {2}, budget, progress), std::invalid_argument);
    CHECK_THROWS_AS(find_smallest_consistent(dataset, {1, 0}, budget, progress), std::invalid_argument);
}
