// Forests: the same for any number of workers, bootstrap samples, out-of-bag rows, and limits of time.

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "palmette/ensemble/forest.hpp"
#include "palmette/tree/prediction.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;
using problems::random_problem;
using problems::same_tree;

namespace {

struct Grown {
    GrownForest forest;
    std::vector<Tree> trees;
};

Grown grown(const Problem& problem, const Dataset& dataset, const ForestOptions& options, std::size_t n_workers) {
    Budget budget;
    Progress progress;
    WorkerPool pool(n_workers);
    Grown result{grow_forest(dataset, options, budget, progress, pool), {}};
    CHECK(result.forest.complete);
    CHECK_EQ(progress.trees_built.load(), std::uint64_t{options.n_trees});
    CHECK_EQ(progress.share(), 1.0);
    for (GrownTree& tree : result.forest.trees) {
        problem.resolve(tree, dataset);
        result.trees.push_back(tree.flatten(dataset));
    }
    return result;
}

ForestOptions options_of(std::uint64_t seed, std::size_t n_trees = 8) {
    ForestOptions options;
    options.tree.max_features = 2;
    options.tree.seed = seed;
    options.n_trees = n_trees;
    return options;
}

}  // namespace

TEST_CASE("the forest does not depend on the number of workers, and its trees differ") {
    Random random(1);
    for (const bool weighted : {false, true})
        for (const bool bootstrap : {true, false}) {
            const Problem problem =
                random_problem(random, {.n_rows = 500, .n_continuous = 5, .missing_share = 0.05, .weighted = weighted});
            const Dataset dataset = problem.dataset();
            ForestOptions options = options_of(3);
            options.bootstrap = bootstrap;
            const Grown one = grown(problem, dataset, options, 1);
            for (const std::size_t n_workers : {2, 5}) {
                const Grown many = grown(problem, dataset, options, n_workers);
                REQUIRE(many.trees.size() == one.trees.size());
                for (std::size_t i = 0; i < one.trees.size(); ++i)
                    CHECK(same_tree(one.trees[i].arrays(), many.trees[i].arrays()));
            }
            if (!bootstrap) continue;
            for (std::size_t i = 1; i < one.trees.size(); ++i)
                CHECK(!same_tree(one.trees[0].arrays(), one.trees[i].arrays()));
            options.tree.seed = 4;
            CHECK(!same_tree(one.trees[0].arrays(), grown(problem, dataset, options, 1).trees[0].arrays()));
        }
}

TEST_CASE("workers without a tree of their own help with those of others, and the trees stay the same") {
    Random random(7);
    const Problem problem = random_problem(
        random, {.n_rows = 6000, .n_continuous = 6, .n_values = 0, .n_classes = 3, .missing_share = 0.02});
    const Dataset dataset = problem.dataset();
    for (const bool bootstrap : {true, false}) {
        ForestOptions options = options_of(11, 2);
        options.bootstrap = bootstrap;
        const Grown one = grown(problem, dataset, options, 1);
        for (const std::size_t n_workers : {2, 5}) {
            const Grown many = grown(problem, dataset, options, n_workers);
            for (std::size_t i = 0; i < 2; ++i) CHECK(same_tree(one.trees[i].arrays(), many.trees[i].arrays()));
        }
    }
}

TEST_CASE("a tree depends on the seed and on its number, not on how many there are") {
    Random random(2);
    const Problem problem = random_problem(random, {.n_rows = 200});
    const Dataset dataset = problem.dataset();
    const Grown few = grown(problem, dataset, options_of(5, 3), 1), many = grown(problem, dataset, options_of(5, 9), 2);
    for (std::size_t i = 0; i < 3; ++i) CHECK(same_tree(few.trees[i].arrays(), many.trees[i].arrays()));
}

TEST_CASE("a bootstrap sample is as long as wanted, differs by number, and never holds a row without weight") {
    Random random(3);
    Problem problem = random_problem(random, {.n_rows = 300});
    const Dataset plain = problem.dataset();
    ForestOptions options = options_of(1);
    const auto sample = bootstrap_sample(plain, options, 0);
    CHECK_EQ(sample.size(), std::size_t{300});
    CHECK(sample == bootstrap_sample(plain, options, 0));
    CHECK(sample != bootstrap_sample(plain, options, 1));
    CHECK(std::ranges::all_of(sample, [](std::uint32_t row) { return row < 300; }));
    options.n_draws = 50;
    CHECK_EQ(bootstrap_sample(plain, options, 0).size(), std::size_t{50});

    problem.weights.assign(300, 0.0);
    for (std::size_t row = 10; row < 300; row += 10) problem.weights[row] = row < 150 ? 1.0 : 3.0;
    const Dataset weighted = problem.dataset();
    options.n_draws = 0;
    std::size_t light = 0, heavy = 0;
    bool only_weighted = true;
    for (std::size_t number = 0; number < 200; ++number)
        for (const std::uint32_t row : bootstrap_sample(weighted, options, number)) {
            only_weighted = only_weighted && problem.weights[row] > 0;
            (row < 150 ? light : heavy) += 1;
        }
    CHECK(only_weighted);
    // 14 rows of weight 1 against 15 of weight 3: 60 000 draws, within 6 standard deviations of their share.
    CHECK(std::abs(static_cast<double>(light) / static_cast<double>(light + heavy) - 14.0 / 59.0) < 0.0105);
}

TEST_CASE("out-of-bag rows are the rows that were not drawn, predicted by the trees that did not see them") {
    Random random(4);
    for (const bool weighted : {false, true}) {
        const Problem problem = random_problem(
            random, {.n_rows = 1500, .n_continuous = 4, .n_classes = 3, .missing_share = 0.1, .weighted = weighted});
        const Dataset dataset = problem.dataset();
        const ForestOptions options = options_of(6, 10);
        const Grown result = grown(problem, dataset, options, 2);
        WorkerPool alone(1), five(5);
        Budget budget;
        const OutOfBag out = out_of_bag(result.forest, dataset, options, Voting::soft, budget, alone);
        CHECK(problems::same_bits(
            out.probabilities, out_of_bag(result.forest, dataset, options, Voting::soft, budget, five).probabilities));

        std::vector<double> sums(1500 * 3, 0.0);
        std::vector<std::uint32_t> n_trees(1500, 0);
        const auto columns = problem.to_predict_from();
        for (std::size_t i = 0; i < result.trees.size(); ++i) {
            std::vector<bool> drawn(1500, false);
            for (const std::uint32_t row : bootstrap_sample(dataset, options, i)) drawn[row] = true;
            for (std::size_t row = 0; row < 1500; ++row) {
                if (drawn[row]) continue;
                ++n_trees[row];
                add_probabilities(result.trees[i], columns, row, row + 1, sums.data() + 3 * row);
            }
        }
        CHECK(out.n_trees == n_trees);
        double farthest = 0;
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (n_trees[i / 3] > 0)
                farthest = std::max(farthest, std::abs(sums[i] / n_trees[i / 3] - out.probabilities[i]));
        CHECK(farthest < 1e-12);
    }
}

TEST_CASE("a forest that runs out of time keeps at least one tree, which predicts") {
    Random random(5);
    const Problem problem = random_problem(random, {.n_rows = 400});
    const Dataset dataset = problem.dataset();
    for (const bool bootstrap : {true, false})
        for (const std::size_t n_workers : {1, 4}) {
            Budget budget;
            budget.set_time_limit(0.0);
            Progress progress;
            WorkerPool pool(n_workers);
            ForestOptions options = options_of(1, 50);
            options.bootstrap = bootstrap;
            GrownForest forest = grow_forest(dataset, options, budget, progress, pool);
            CHECK(!forest.complete);
            CHECK(budget.deadline_passed());
            REQUIRE(forest.trees.size() == 1);
            CHECK_EQ(forest.numbers[0], std::size_t{0});
            problem.resolve(forest.trees[0], dataset);
            CHECK(forest.trees[0].flatten(dataset).n_nodes() >= 1);
            Budget fresh;
            if (bootstrap)
                CHECK_EQ(out_of_bag(forest, dataset, options, Voting::hard, fresh, pool).n_trees.size(),
                         std::size_t{400});
        }
}
