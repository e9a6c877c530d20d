// Prediction: values down one branch, missing and unseen ones down all, in shares that add up to one.

#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "palmette/tree/grower.hpp"
#include "palmette/tree/prediction.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::missing;
using problems::Problem;
using problems::Random;
using problems::random_problem;

namespace {

/// x0 <= 1.5 → leaf (6, 0); else x1: category 0 → leaf (1, 3), categories 1 and 2 → an empty leaf of class 1.
Tree small_tree() {
    TreeArrays a;
    a.n_classes = 2;
    a.feature = {0, -1, 1, -1, -1};
    a.threshold = {1.5, missing, missing, missing, missing};
    a.branch_start = {0, 2, 2, 5, 5, 5};
    a.branches = {1, 2, 3, 4, 4};
    a.label = {0, 0, 1, 1, 1};
    a.weight = {10, 6, 4, 4, 0};
    a.class_weights = problems::class_weights_of({7, 3, 6, 0, 1, 3, 1, 3, 0, 0}, 2);
    a.gain = {3, 0, 1, 0, 0};
    return Tree(std::move(a), {0, 3});
}

std::vector<double> probabilities_of(const Tree& tree, double x0, std::int32_t x1) {
    WorkerPool pool(1);
    Budget budget;
    const std::vector<double> values{x0};
    const std::vector<std::int32_t> categories{x1};
    std::vector<PredictionColumn> columns(2);
    columns[0].values = problems::view_of(values);
    columns[1].categories = categories;
    const Tree* trees[] = {&tree};
    return predict_probabilities(trees, columns, 1, budget, pool);
}

using Probabilities = std::vector<double>;

}  // namespace

TEST_CASE("values follow their branch; the threshold itself goes left") {
    const Tree tree = small_tree();
    CHECK(probabilities_of(tree, 1.5, -1) == Probabilities({1.0, 0.0}));
    CHECK(probabilities_of(tree, -1e308, 0) == Probabilities({1.0, 0.0}));
    CHECK(probabilities_of(tree, 1.5000001, 0) == Probabilities({0.25, 0.75}));
    CHECK(probabilities_of(tree, 2.0, 1) == Probabilities({0.0, 1.0}));  // the empty leaf speaks for its label
    CHECK(probabilities_of(tree, 2.0, 2) == Probabilities({0.0, 1.0}));
}

TEST_CASE("missing values and unseen categories follow all branches that hold samples, in proportion") {
    const Tree tree = small_tree();
    CHECK(probabilities_of(tree, 2.0, -1) == Probabilities({0.25, 0.75}));
    CHECK(probabilities_of(tree, 2.0, -7) == Probabilities({0.25, 0.75}));
    CHECK(probabilities_of(tree, missing, 0) == Probabilities({0.6 + 0.4 * 0.25, 0.4 * 0.75}));
    CHECK(probabilities_of(tree, missing, 1) == Probabilities({0.6, 0.4}));
}

TEST_CASE("shares add up to one, whatever is missing, for any number of trees and workers") {
    Random random(1);
    Budget budget;
    Progress progress;
    const Problem problem = random_problem(
        random,
        {.n_rows = 5000, .n_continuous = 4, .n_nominal = 3, .n_values = 0, .n_classes = 3, .missing_share = 0.3});
    const Dataset dataset = problem.dataset();
    WorkerPool alone(1), five(5);
    std::vector<Tree> trees;
    for (const Criterion criterion : {Criterion::information_gain, Criterion::gini}) {
        GrownTree grown = grow_tree(dataset, {.criterion = criterion}, budget, progress, alone);
        problem.resolve(grown, dataset);
        trees.push_back(grown.flatten(dataset));
    }
    const Tree* both[] = {&trees[0], &trees[1]};
    const auto columns = problem.to_predict_from();
    const auto one_worker = predict_probabilities(both, columns, dataset.n_rows(), budget, alone);
    const auto many_workers = predict_probabilities(both, columns, dataset.n_rows(), budget, five);
    CHECK(problems::same_bits(one_worker, many_workers));
    double farthest = 0;
    for (std::size_t row = 0; row < dataset.n_rows(); ++row) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += one_worker[row * 3 + k];
        farthest = std::max(farthest, std::abs(sum - 1));
    }
    CHECK(farthest < 1e-12);

    const Tree* first[] = {&trees[0]};
    const Tree* second[] = {&trees[1]};
    const auto a = predict_probabilities(first, columns, dataset.n_rows(), budget, alone);
    const auto b = predict_probabilities(second, columns, dataset.n_rows(), budget, alone);
    bool mean = true;
    for (std::size_t i = 0; i < a.size(); ++i) mean = mean && std::abs((a[i] + b[i]) / 2 - one_worker[i]) < 1e-12;
    CHECK(mean);
}

TEST_CASE("the leaf of a row is where most of it goes") {
    const Tree tree = small_tree();
    const std::vector<double> values{1.0, 2.0, 2.0, missing, 2.0};
    const std::vector<std::int32_t> categories{0, 0, 2, 0, -1};
    std::vector<PredictionColumn> columns(2);
    columns[0].values = problems::view_of(values);
    columns[1].categories = categories;
    WorkerPool pool(2);
    Budget budget;
    CHECK(find_leaves(tree, columns, 5, budget, pool) == std::vector<std::int32_t>({1, 3, 4, 1, 3}));
}

TEST_CASE("columns that do not fit the tree are refused") {
    const Tree tree = small_tree();
    const std::vector<const Tree*> trees{&tree, &tree};
    const std::vector<double> values{1.0, 2.0};
    std::vector<std::int32_t> categories{0, 2};
    std::vector<PredictionColumn> columns(2);
    columns[0].values = problems::view_of(values);
    columns[1].categories = categories;
    check_columns(trees, columns, 2);
    CHECK_THROWS_AS(check_columns(trees, columns, 3), std::invalid_argument);
    CHECK_THROWS_AS(check_columns(trees, std::span(columns).first(1), 2), std::invalid_argument);
    categories[1] = 3;
    CHECK_THROWS_AS(check_columns(trees, columns, 2), std::invalid_argument);
    categories[1] = 2;
    std::swap(columns[0], columns[1]);
    CHECK_THROWS_AS(check_columns(trees, columns, 2), std::invalid_argument);
    columns[0] = columns[1] = {};
    CHECK_THROWS_AS(check_columns(trees, columns, 2), std::invalid_argument);
}

TEST_CASE("no tree, or trees of different classes, cannot predict") {
    WorkerPool pool(1);
    Budget budget;
    CHECK_THROWS_AS(predict_probabilities({}, {}, 0, budget, pool), std::invalid_argument);
    TreeArrays leaf;
    leaf.n_classes = 3;
    leaf.feature = {-1};
    leaf.threshold = {missing};
    leaf.branch_start = {0, 0};
    leaf.label = {0};
    leaf.weight = {0};
    leaf.class_weights = problems::class_weights_of({0, 0, 0}, 3);
    leaf.gain = {0};
    const Tree three_classes(leaf, {0, 3});
    const Tree two_classes = small_tree();
    const Tree* both[] = {&two_classes, &three_classes};
    CHECK_THROWS_AS(predict_probabilities(both, std::vector<PredictionColumn>(2), 0, budget, pool),
                    std::invalid_argument);
    const Tree* alone[] = {&three_classes};
    CHECK(predict_probabilities(alone, std::vector<PredictionColumn>(2), 2, budget, pool) ==
          Probabilities({1, 0, 0, 1, 0, 0}));
}

TEST_CASE("a spent budget ends a prediction early") {
    WorkerPool pool(1);
    Budget budget;
    budget.request_stop();
    const Tree tree = small_tree();
    const std::vector<double> values(5000, 1.0);
    const std::vector<std::int32_t> categories(5000, 0);
    std::vector<PredictionColumn> columns(2);
    columns[0].values = problems::view_of(values);
    columns[1].categories = categories;
    const Tree* trees[] = {&tree};
    CHECK(predict_probabilities(trees, columns, 5000, budget, pool) == Probabilities(10000, 0.0));
    CHECK_EQ(find_leaves(tree, columns, 5000, budget, pool).size(), std::size_t{5000});
}
