// Growing: the same tree for any number of workers, budgets, limits, and trees as deep as they have samples.

#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "palmette/tree/grower.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::depth_of;
using problems::Problem;
using problems::Random;
using problems::random_problem;
using problems::same_tree;

namespace {

TreeArrays grown(const Problem& problem, const Dataset& dataset, const GrowthOptions& options, std::size_t n_workers) {
    Budget budget;
    Progress progress;
    WorkerPool pool(n_workers);
    GrownTree tree = grow_tree(dataset, options, budget, progress, pool);
    CHECK(tree.complete);
    problem.resolve(tree, dataset);
    const Tree flat = tree.flatten(dataset);
    CHECK_EQ(progress.trees_built.load(), std::uint64_t{1});
    CHECK_EQ(progress.share() > 0.99, true);
    return flat.arrays();
}

}  // namespace

// 4 000 rows × 16 features: the first levels are more than 2^15 cells and are expanded by all workers; below, nodes
// of a quarter of their block move into blocks of their own.
TEST_CASE("the tree does not depend on the number of workers") {
    Random random(1);
    for (const bool weighted : {false, true})
        for (const std::size_t n_classes : {2, 5}) {
            const Problem problem = random_problem(random, {.n_rows = 4000,
                                                            .n_continuous = 12,
                                                            .n_nominal = 4,
                                                            .n_values = n_classes == 2 ? 0 : 300,
                                                            .n_categories = 9,
                                                            .n_classes = n_classes,
                                                            .missing_share = weighted ? 0.05 : 0.0,
                                                            .weighted = weighted});
            const Dataset dataset = problem.dataset();
            for (const Criterion criterion : {Criterion::information_gain, Criterion::gain_ratio, Criterion::gini}) {
                const GrowthOptions options{.criterion = criterion, .max_depth = 12};
                const TreeArrays one = grown(problem, dataset, options, 1);
                CHECK(one.feature.size() > 50);
                CHECK(same_tree(one, grown(problem, dataset, options, 2)));
                CHECK(same_tree(one, grown(problem, dataset, options, 5)));
            }
            const GrowthOptions drawn{.growth = Growth::literal, .max_depth = 9, .max_features = 3, .seed = 7};
            const TreeArrays one = grown(problem, dataset, drawn, 1);
            CHECK(same_tree(one, grown(problem, dataset, drawn, 5)));
            GrowthOptions other_seed = drawn;
            other_seed.seed = 8;
            CHECK(!same_tree(one, grown(problem, dataset, other_seed, 1)));
        }
}

TEST_CASE("weights of two are two copies, and rows without weight are not there") {
    Random random(2);
    for (int round = 0; round < 10; ++round) {
        const Problem doubled = random_problem(random, {.n_rows = 120, .missing_share = 0.0});
        Problem copies = doubled, weighted = doubled;
        weighted.weights.assign(120, 2.0);
        for (auto& column : copies.columns) {
            column.values.insert(column.values.end(), column.values.begin(), column.values.end());
            column.categories.insert(column.categories.end(), column.categories.begin(), column.categories.end());
        }
        copies.labels.insert(copies.labels.end(), copies.labels.begin(), copies.labels.end());
        const TreeArrays expected = grown(copies, copies.dataset(), {}, 1);
        CHECK(same_tree(grown(weighted, weighted.dataset(), {}, 1), expected));

        copies.weights.assign(240, 1.0);
        for (std::size_t row = 120; row < 240; ++row) copies.weights[row] = 0.0;
        CHECK(same_tree(grown(copies, copies.dataset(), {}, 1), grown(doubled, doubled.dataset(), {}, 1)));
    }
}

TEST_CASE("a budget that is spent gives a leaf that can predict") {
    Random random(3);
    const Problem problem = random_problem(random, {.n_rows = 3000, .n_continuous = 20});
    const Dataset dataset = problem.dataset();
    for (const std::size_t n_workers : {1, 3})
        for (const bool late : {false, true}) {
            Budget budget;
            Progress progress;
            WorkerPool pool(n_workers);
            if (late)
                budget.set_time_limit(0.0);
            else
                budget.request_stop();
            GrownTree tree = grow_tree(dataset, {}, budget, progress, pool);
            CHECK(!tree.complete);
            CHECK(tree.root->is_leaf());
            CHECK_EQ(budget.deadline_passed(), late);
            problem.resolve(tree, dataset);
            const Tree flat = tree.flatten(dataset);
            CHECK_EQ(flat.n_nodes(), std::size_t{1});
            CHECK_EQ(flat.arrays().weight[0], 3000.0);
        }
}

TEST_CASE("a depth limit is a limit, and nothing to split on is a leaf") {
    Random random(4);
    const Problem problem = random_problem(random, {.n_rows = 500, .n_values = 0});
    const Dataset dataset = problem.dataset();
    for (const std::uint32_t max_depth : {0U, 1U, 3U})
        CHECK_EQ(depth_of(grown(problem, dataset, {.growth = Growth::literal, .max_depth = max_depth}, 1)),
                 std::size_t{max_depth});
    Problem empty = problem;
    empty.columns.clear();
    CHECK_EQ(grown(empty, empty.dataset(), {}, 2).feature.size(), std::size_t{1});
    Problem constant = problem;
    for (auto& column : constant.columns) {
        std::fill(column.values.begin(), column.values.end(), 1.0);
        std::fill(column.categories.begin(), column.categories.end(), -1);
    }
    CHECK_EQ(grown(constant, constant.dataset(), {.growth = Growth::literal}, 2).feature.size(), std::size_t{1});
}

TEST_CASE("thresholds are finite and between their neighbours for the largest and the smallest doubles") {
    const double largest = std::numeric_limits<double>::max(), denormal = std::numeric_limits<double>::denorm_min();
    for (const auto& [lower, upper] : std::vector<std::pair<double, double>>{{-largest, largest},
                                                                             {0.9 * largest, largest},
                                                                             {-largest, -0.9 * largest},
                                                                             {0.0, denormal},
                                                                             {-denormal, 0.0},
                                                                             {denormal, 2 * denormal},
                                                                             {-denormal, denormal},
                                                                             {1.0, std::nextafter(1.0, 2.0)}})
        for (const ThresholdRule rule : {ThresholdRule::c45, ThresholdRule::midpoint}) {
            Problem problem;
            problem.columns.push_back({{lower, lower, upper, upper}, {}, 0});
            problem.labels = {0, 0, 1, 1};
            const Dataset dataset = problem.dataset();
            Budget budget;
            Progress progress;
            WorkerPool pool(1);
            GrownTree tree = grow_tree(dataset, {.min_samples = 1}, budget, progress, pool);
            problem.resolve(tree, dataset, rule);
            const double threshold = tree.flatten(dataset).arrays().threshold[0];
            CHECK(threshold >= lower && threshold < upper);
            if (rule == ThresholdRule::c45) CHECK_EQ(threshold, lower);
        }
}

TEST_CASE("thresholds of many trees and features together are those of each alone") {
    Random random(7);
    const Problem problem = random_problem(random, {.n_rows = 900, .n_continuous = 6, .n_values = 0});
    const Dataset dataset = problem.dataset();
    const auto grow_two = [&] {
        std::vector<GrownTree> trees;
        for (const std::uint64_t seed : {1, 2}) {
            Budget budget;
            Progress progress;
            WorkerPool alone(1);
            const GrowthOptions options{.growth = Growth::literal, .max_features = 3, .seed = seed};
            trees.push_back(grow_tree(dataset, options, budget, progress, alone));
        }
        return trees;
    };
    std::vector<std::uint32_t> features;
    std::vector<ValueView> columns;
    for (std::uint32_t f = 6; f-- > 0;) {
        features.push_back(f);
        columns.push_back(problems::view_of(problem.columns[f].values));
    }
    for (const ThresholdRule rule : {ThresholdRule::c45, ThresholdRule::midpoint}) {
        std::vector<GrownTree> together = grow_two(), each = grow_two();
        WorkerPool pool(3);
        resolve_thresholds(together, dataset, features, columns, rule, pool);
        for (std::size_t i = 0; i < each.size(); ++i) {
            problem.resolve(each[i], dataset, rule);
            CHECK(each[i].used_features().size() > 3);
            CHECK(same_tree(together[i].flatten(dataset).arrays(), each[i].flatten(dataset).arrays()));
        }
        columns.pop_back();
        CHECK_THROWS_AS(resolve_thresholds(together, dataset, features, columns, rule, pool), std::invalid_argument);
        columns.push_back(problems::view_of(problem.columns[0].values));
    }
}

TEST_CASE("a tree of given samples is the tree of the table of these samples") {
    Random random(5);
    const Problem problem = random_problem(random, {.n_rows = 300, .n_values = 0, .n_classes = 3});
    const Dataset dataset = problem.dataset();
    std::vector<std::uint32_t> rows;
    for (int i = 0; i < 250; ++i) rows.push_back(static_cast<std::uint32_t>(random.integer(0, 299)));
    Problem taken;
    taken.n_classes = 3;
    taken.columns.resize(problem.columns.size());
    for (const std::uint32_t row : rows) {
        for (std::size_t f = 0; f < problem.columns.size(); ++f) {
            taken.columns[f].n_categories = problem.columns[f].n_categories;
            if (problem.columns[f].n_categories > 0)
                taken.columns[f].categories.push_back(problem.columns[f].categories[row]);
            else
                taken.columns[f].values.push_back(problem.columns[f].values[row]);
        }
        taken.labels.push_back(problem.labels[row]);
    }
    Budget budget;
    Progress progress;
    WorkerPool pool(1);
    const auto start = [&](std::size_t) { return TreeStart{{}, rows}; };
    GrownTree tree = std::move(grow_trees(dataset, 1, start, budget, progress, pool)[0]);
    problem.resolve(tree, dataset);
    TreeArrays arrays = tree.flatten(dataset).arrays();
    TreeArrays expected = grown(taken, taken.dataset(), {}, 1);
    CHECK(arrays.feature.size() > 3);
    // Thresholds are values of the whole table; which of them stand between two samples differs.
    arrays.threshold.clear();
    expected.threshold.clear();
    CHECK(same_tree(arrays, expected));
}

TEST_CASE("a node keeps the classes that it has") {
    Arena arena;
    GrownNode node;
    const auto classes_of = [&](std::vector<Weight> by_class) {
        node.describe(by_class, arena);
        std::vector<Weight> seen(by_class.size(), 0);
        node.for_each_class([&](Label k, Weight weight) { seen[k] += weight; });
        CHECK(seen == by_class);
        CHECK_EQ(node.weight(), std::accumulate(by_class.begin(), by_class.end(), Weight{0}));
        CHECK(!node.is_sum());
        return std::size_t{node.n_classes()};
    };
    CHECK_EQ(classes_of({0, 5, 0, 7, 7}), std::size_t{3});
    CHECK_EQ(node.label, Label{3});  // the first of the heaviest
    CHECK_EQ(node.right(), Weight{7});
    CHECK_EQ(classes_of({0, 0, 4, 0, 0}), std::size_t{1});
    CHECK_EQ(node.label, Label{2});
    CHECK_EQ(node.right(), Weight{4});
    CHECK_EQ(classes_of({0, 0, 0, 0, 0}), std::size_t{0});
    CHECK_EQ(node.label, Label{2});  // an empty node keeps its label
    CHECK_EQ(node.right(), Weight{0});
}

TEST_CASE("the classes of a node are those of its samples, whether it keeps them or its children do") {
    Random random(5);
    for (const bool weighted : {false, true}) {
        const Problem problem = random_problem(random, {.n_rows = 400, .n_classes = 4, .weighted = weighted});
        const Dataset dataset = problem.dataset();
        Budget budget;
        Progress progress;
        WorkerPool pool(1);
        GrownTree grown = grow_tree(dataset, {.growth = Growth::literal}, budget, progress, pool);
        REQUIRE(!grown.root->is_leaf());
        CHECK_EQ(grown.root->is_sum(), !weighted);
        problem.resolve(grown, dataset);
        const Tree tree = grown.flatten(dataset);

        std::vector<PredictionColumn> columns;
        for (const auto& column : problem.columns) columns.push_back(column.to_predict_from());
        const std::vector<std::int32_t> leaves = find_leaves(tree, columns, dataset.n_rows(), budget, pool);
        std::vector<Weight> expected(tree.n_nodes() * dataset.n_classes(), 0);
        for (std::size_t row = 0; row < leaves.size(); ++row)
            for (std::int32_t node = leaves[row]; node >= 0; node = tree.parents()[static_cast<std::size_t>(node)])
                expected[static_cast<std::size_t>(node) * dataset.n_classes() + dataset.labels()[row]] +=
                    weighted ? dataset.weights()[row] : dataset.scale().one();
        std::vector<double> found(expected.size(), 0.0);
        for (std::size_t node = 0; node < tree.n_nodes(); ++node)
            tree.arrays().class_weights.for_each(
                node, [&](std::size_t k, double weight) { found[node * dataset.n_classes() + k] = weight; });
        bool same = true;
        for (std::size_t i = 0; i < found.size(); ++i)
            same = same && found[i] == dataset.scale().to_double(expected[i]);
        CHECK(same);
    }
}

TEST_CASE("a tree is flattened by the outline of its dataset") {
    Random random(6);
    const Problem problem = random_problem(random, {.n_rows = 200, .missing_share = 0.1});
    std::optional<Dataset> dataset(problem.dataset());
    Budget budget;
    Progress progress;
    WorkerPool pool(1);
    GrownTree tree = grow_tree(*dataset, {}, budget, progress, pool);
    problem.resolve(tree, *dataset);
    const Tree expected = tree.flatten(*dataset);
    const DatasetOutline outline = dataset->outline();
    dataset.reset();
    CHECK(same_tree(tree.flatten(outline).arrays(), expected.arrays()));
}

TEST_CASE("a tree of given features is the tree of the table of these columns") {
    Random random(6);
    const Problem problem = random_problem(random, {.n_rows = 4000, .n_continuous = 12, .n_nominal = 4, .n_values = 0});
    const Dataset dataset = problem.dataset();
    const auto grown_from = [&](const std::vector<std::uint32_t>& features, const GrowthOptions& options,
                                std::size_t n_workers) {
        Budget budget;
        Progress progress;
        WorkerPool pool(n_workers);
        GrownTree tree = grow_tree(dataset, options, budget, progress, pool, features);
        problem.resolve(tree, dataset);
        return tree.flatten(dataset).arrays();
    };
    const std::vector<std::uint32_t> features{1, 2, 5, 7, 8, 9, 10, 11, 12, 14};
    const std::vector<std::uint32_t> shuffled{14, 12, 1, 2, 5, 7, 7, 9, 8, 11, 10, 2};
    Problem narrow = problem;
    narrow.columns.clear();
    for (const std::uint32_t feature : features) narrow.columns.push_back(problem.columns[feature]);
    for (const std::uint32_t max_features : {GrowthOptions::no_limit, 3U})
        for (const std::size_t n_workers : {1, 2}) {
            const GrowthOptions options{
                .growth = Growth::literal, .max_depth = 8, .max_features = max_features, .seed = 3};
            const TreeArrays arrays = grown_from(features, options, n_workers);
            TreeArrays expected = grown(narrow, narrow.dataset(), options, n_workers);
            for (auto& feature : expected.feature)
                if (feature >= 0) feature = static_cast<std::int32_t>(features[static_cast<std::size_t>(feature)]);
            CHECK(arrays.feature.size() > 10);
            CHECK(same_tree(arrays, expected));
            CHECK(same_tree(arrays, grown_from(shuffled, options, n_workers)));
        }
    for (const std::size_t n_workers : {1, 2}) CHECK_EQ(grown_from({}, {}, n_workers).feature.size(), std::size_t{1});
    CHECK_THROWS_AS(grown_from({3, 16}, {}, 1), std::invalid_argument);
}

// Labels that alternate along the only feature: the best cut takes one sample off an end, so the tree is a chain as
// deep as the table is long, and any recursion over it would end the stack.
TEST_CASE("a chain of 20 000 levels is grown, resolved, flattened and predicted from") {
    Problem problem;
    problem.columns.resize(1);
    constexpr std::size_t n = 20101;
    for (std::size_t i = 0; i < n; ++i) {
        problem.columns[0].values.push_back(static_cast<double>(i) + 0.5);
        problem.labels.push_back(static_cast<Label>(i % 2));
    }
    const Dataset dataset = problem.dataset();
    Budget budget;
    Progress progress;
    WorkerPool pool(1);
    GrownTree tree = grow_tree(dataset, {.growth = Growth::literal, .min_samples = 1}, budget, progress, pool);
    problem.resolve(tree, dataset);
    const Tree flat = tree.flatten(dataset);
    CHECK_EQ(flat.n_nodes(), 2 * n - 1);
    CHECK(depth_of(flat.arrays()) > 20000);

    std::vector<double> values{0.5, 9999.5, 20100.5, problems::missing};
    std::vector<PredictionColumn> columns(1);
    columns[0].values = problems::view_of(values);
    const Tree* trees[] = {&flat};
    const auto probabilities = predict_probabilities(trees, columns, values.size(), budget, pool);
    CHECK_EQ(probabilities[0], 1.0);
    CHECK_EQ(probabilities[3], 1.0);
    CHECK_EQ(probabilities[4], 1.0);
    CHECK(std::abs(probabilities[6] - 0.5) < 1e-4);
}
