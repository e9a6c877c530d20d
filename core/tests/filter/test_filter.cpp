// Symmetric uncertainty in all its ways of counting, and the two filters on it.

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "palmette/filter/cfs.hpp"
#include "palmette/filter/correlations.hpp"
#include "palmette/filter/fcbf.hpp"
#include "problems.hpp"

using namespace palmette;

namespace {

using Categories = std::vector<std::int32_t>;

Dataset dataset_of(const std::vector<Categories>& columns, std::uint32_t n_categories, const Categories& labels,
                   const std::vector<double>& weights = {}) {
    std::vector<Column> encoded;
    for (const Categories& column : columns)
        encoded.push_back(encode_nominal(problems::category_view(column, n_categories)));
    return Dataset(std::move(encoded), std::vector<Label>(labels.begin(), labels.end()), 2, weights);
}

Uncertainty between(const Dataset& dataset, std::size_t first, std::size_t second) {
    Budget budget;
    Progress progress;
    WorkerPool pool(1);
    const DiscreteTable table(dataset, CutCost::values, budget, progress, pool);
    UncertaintyScratch scratch;
    const Uncertainty there = symmetric_uncertainty(table, first, second, scratch);
    CHECK_EQ(symmetric_uncertainty(table, second, first, scratch), there);
    return there;
}

Categories drawn(problems::Random& random, std::size_t size, int n_categories, double missing_share = 0.0) {
    Categories categories;
    for (std::size_t i = 0; i < size; ++i)
        categories.push_back(random.chance(missing_share) ? -1 : random.integer(0, n_categories - 1));
    return categories;
}

}  // namespace

TEST_CASE("symmetric uncertainty of copies, of independent and of constant columns") {
    const Dataset dataset =
        dataset_of({{0, 0, 1, 1}, {0, 1, 0, 1}, {2, 2, 0, 0}, {1, 1, 1, 1}, {-1, -1, -1, -1}}, 3, {0, 0, 1, 1});
    CHECK_EQ(between(dataset, 0, 2), full_uncertainty);
    CHECK_EQ(between(dataset, 0, 5), full_uncertainty);
    CHECK_EQ(between(dataset, 0, 1), 0U);
    CHECK_EQ(between(dataset, 0, 3), 0U);
    CHECK_EQ(between(dataset, 0, 4), 0U);
    CHECK_EQ(between(dataset, 3, 4), 0U);
}

TEST_CASE("a large table of few pairs is counted by sorting, with the same result") {
    problems::Random random(3);
    const std::size_t n = 400;
    for (const bool weighted : {false, true}) {
        const Categories first = drawn(random, n, 30), second = drawn(random, n, 30);
        std::vector<double> weights;
        for (std::size_t i = 0; weighted && i < n; ++i) weights.push_back(random.integer(0, 9) / 4.0 + 0.25);
        const Categories labels = drawn(random, n, 2);
        const Uncertainty dense = between(dataset_of({first, second}, 30, labels, weights), 0, 1);
        CHECK(dense > 0);
        CHECK_EQ(between(dataset_of({first, second}, 900, labels, weights), 0, 1), dense);
    }
}

TEST_CASE("in a table beyond all bounds a missing value is a value of its own") {
    problems::Random random(4);
    const Categories first = drawn(random, 300, 20, 0.2), second = drawn(random, 300, 20, 0.2);
    const Categories labels = drawn(random, 300, 2);
    const auto own = [](Categories categories) {
        std::ranges::replace(categories, -1, 20);
        return categories;
    };
    CHECK_EQ(between(dataset_of({first, second}, 5000, labels), 0, 1),
             between(dataset_of({own(first), own(second)}, 21, labels), 0, 1));
}

TEST_CASE("the filters give the same answer for any number of threads") {
    problems::Random random(5);
    const Dataset dataset = problems::random_problem(random, {.n_rows = 700,
                                                              .n_continuous = 30,
                                                              .n_nominal = 20,
                                                              .n_classes = 3,
                                                              .missing_share = 0.1,
                                                              .weighted = true})
                                .dataset();
    std::vector<std::vector<std::uint32_t>> by_cfs, by_fcbf;
    for (const std::size_t n_workers : {1U, 2U, 5U}) {
        Budget budget;
        Progress progress;
        WorkerPool pool(n_workers);
        by_cfs.push_back(select_by_cfs(dataset, {}, budget, progress, pool).selected);
        by_fcbf.push_back(select_by_fcbf(dataset, {}, budget, progress, pool).selected);
        CHECK(progress.share() > 0.9);
    }
    CHECK(!by_cfs[0].empty());
    CHECK(!by_fcbf[0].empty());
    CHECK(by_cfs[1] == by_cfs[0]);
    CHECK(by_cfs[2] == by_cfs[0]);
    CHECK(by_fcbf[1] == by_fcbf[0]);
    CHECK(by_fcbf[2] == by_fcbf[0]);
}

TEST_CASE("a filter with a spent budget selects nothing, and says that it is not complete") {
    problems::Random random(6);
    const Dataset dataset = problems::random_problem(random, {}).dataset();
    Budget budget;
    budget.request_stop();
    Progress progress;
    WorkerPool pool(2);
    const CfsResult cfs = select_by_cfs(dataset, {}, budget, progress, pool);
    CHECK(cfs.selected.empty());
    CHECK(!cfs.complete);
    const FcbfResult fcbf = select_by_fcbf(dataset, {}, budget, progress, pool);
    CHECK(fcbf.selected.empty());
    CHECK(!fcbf.complete);
}

TEST_CASE("FCBF tells what came of each feature") {
    // Feature 0 is the class, 1 its copy, 2 constant, 3 like the class in part.
    const Categories labels{0, 0, 0, 0, 1, 1, 1, 1};
    const Dataset dataset = dataset_of({labels, labels, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 1, 1}}, 2, labels);
    Budget budget;
    Progress progress;
    WorkerPool pool(1);
    const FcbfResult result = select_by_fcbf(dataset, {}, budget, progress, pool);
    CHECK(result.selected == std::vector<std::uint32_t>{0});
    CHECK(result.removed_by == std::vector<std::int64_t>{FcbfResult::kept, 0, FcbfResult::irrelevant, 0});
    CHECK_EQ(progress.share(), 1.0);
}
