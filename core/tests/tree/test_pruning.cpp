// Error-based pruning: Quinlan's numbers, leaves and raised branches by hand, and sums that must stay right.

#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "palmette/tree/grower.hpp"
#include "palmette/tree/pruning.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::depth_of;
using problems::Problem;
using problems::Random;
using problems::random_problem;

namespace {

bool near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance;
}

/// A tree made by hand, of nodes for samples counted by class.
class HandMade {
  public:
    HandMade(const Dataset& dataset, const std::vector<int>& counts) : dataset_(dataset) {
        tree.root = arena_.make<GrownNode>(1);
        describe(*tree.root, counts);
    }

    /// Cuts the node's feature above this many values; the two children have samples so many of each class.
    std::span<GrownNode> cut(GrownNode& node, std::uint32_t feature, std::uint32_t n_left, const std::vector<int>& left,
                             const std::vector<int>& right) {
        GrownSplit& split = GrownSplit::of_gap(feature, 1, 2, arena_);
        split.resolve(std::vector{0.0, 1.0}, ThresholdRule::midpoint);
        split.cut = n_left;
        return set_split(node, split, left, right);
    }

    /// Gives the node's feature the branches of the first two categories.
    std::span<GrownNode> part(GrownNode& node, std::uint32_t feature, const std::vector<int>& first,
                              const std::vector<int>& second) {
        GrownSplit& split = GrownSplit::of_codes(feature, std::vector<std::uint32_t>{1, 2}, arena_);
        return set_split(node, split, first, second);
    }

    GrownTree tree;

  private:
    void describe(GrownNode& node, const std::vector<int>& counts) {
        std::vector<Weight> by_class;
        for (const int count : counts) by_class.push_back(count * dataset_.scale().one());
        node.describe(by_class, arena_);
    }
    std::span<GrownNode> set_split(GrownNode& node, GrownSplit& split, const std::vector<int>& first,
                                   const std::vector<int>& second) {
        node.set_split(split);
        describe(split.children()[0], first);
        describe(split.children()[1], second);
        return split.children();
    }

    const Dataset& dataset_;
    Arena& arena_ = tree.new_arena();
};

}  // namespace

// C4.5: Programs for Machine Learning, page 42: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750,
// U25%(1, 16) = 0.157; and the leaf "democrat (168/2.6)" of the voting tree, which misclassifies one.
TEST_CASE("the errors to expect are those of Quinlan's book") {
    CHECK(near(extra_errors(6, 0, 0.25) / 6, 0.206, 5e-4));
    CHECK(near(extra_errors(9, 0, 0.25) / 9, 0.143, 5e-4));
    CHECK(near(extra_errors(1, 0, 0.25), 0.750, 5e-4));
    CHECK(near((1 + extra_errors(16, 1, 0.25)) / 16, 0.157, 5e-4));
    CHECK(near(1 + extra_errors(168, 1, 0.25), 2.6, 0.05));
    CHECK(near(6 * 0.206 + 9 * 0.143 + 0.750,
               extra_errors(6, 0, 0.25) + extra_errors(9, 0, 0.25) + extra_errors(1, 0, 0.25), 0.01));
}

TEST_CASE("the errors to expect are never negative, and fall as confidence rises") {
    for (const double weight : {1.0, 2.0, 7.25, 100.0, 1e6, 1e12})
        for (const double share : {0.0, 1e-9, 0.01, 0.3, 0.5, 0.99, 1.0}) {
            double previous = weight + 1;
            for (const double confidence : {1e-6, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0}) {
                const double extra = extra_errors(weight, share * weight, confidence);
                CHECK(std::isfinite(extra) && extra >= -1e-9 * weight);
                CHECK(extra <= previous + 1e-9 * weight);
                previous = extra;
            }
        }
}

TEST_CASE("a split that only noise supports becomes a leaf") {
    Problem problem;
    problem.columns.resize(1);
    for (int i = 0; i < 40; ++i) {
        problem.columns[0].values.push_back(i);
        problem.labels.push_back(static_cast<Label>(i % 5 == 0));
    }
    const Dataset dataset = problem.dataset();
    Budget budget;
    HandMade hand_made(dataset, {32, 8});
    GrownTree& tree = hand_made.tree;
    hand_made.cut(*tree.root, 0, 20, {16, 4}, {16, 4});
    prune_by_error(tree, dataset, 0.25, budget);
    CHECK(tree.root->is_leaf());
    CHECK_EQ(tree.root->label, Label{0});
    CHECK_EQ(tree.root->weight(), 40 * dataset.scale().one());
}

// x0 splits off three of a hundred samples for nothing; x1, tested below, tells the classes apart.
TEST_CASE("the larger branch is raised into the place of a useless test, with all its samples") {
    Problem problem;
    problem.columns.resize(2);
    for (int i = 0; i < 100; ++i) {
        problem.columns[0].values.push_back(i < 3 ? 0.0 : 1.0);
        problem.columns[1].values.push_back(i % 2);
        problem.labels.push_back(static_cast<Label>(i % 2));
    }
    const Dataset dataset = problem.dataset();
    const auto tree_by_hand = [&] {
        HandMade hand_made(dataset, {50, 50});
        const auto children = hand_made.cut(*hand_made.tree.root, 0, 1, {2, 1}, {48, 49});
        hand_made.cut(children[1], 1, 1, {48, 0}, {0, 49});
        return std::move(hand_made.tree);
    };
    Budget budget;
    GrownTree tree = tree_by_hand();
    prune_by_error(tree, dataset, 0.25, budget);
    REQUIRE(!tree.root->is_leaf());
    CHECK_EQ(tree.root->split()->feature, 1U);
    CHECK_EQ(tree.root->weight(), 100 * dataset.scale().one());
    CHECK(tree.root->children()[0].is_leaf() && tree.root->children()[1].is_leaf());
    CHECK_EQ(tree.root->children()[0].right(), 50 * dataset.scale().one());
    CHECK_EQ(tree.root->children()[1].right(), 50 * dataset.scale().one());

    Budget spent;
    spent.request_stop();
    GrownTree untouched = tree_by_hand();
    prune_by_error(untouched, dataset, 0.25, spent);
    CHECK_EQ(untouched.root->split()->feature, 0U);
}

// A category that only the lost branch had gets a leaf when its samples arrive.
TEST_CASE("a raised nominal test opens branches for the categories that are new to it") {
    Problem problem;
    problem.columns.resize(2);
    problem.columns[1].n_categories = 4;
    for (int i = 0; i < 100; ++i) {
        problem.columns[0].values.push_back(i < 2 ? 0.0 : 1.0);
        problem.columns[1].categories.push_back(i < 2 ? 3 : i % 2);
        problem.labels.push_back(static_cast<Label>(i % 2));
    }
    const Dataset dataset = problem.dataset();
    Budget budget;
    HandMade hand_made(dataset, {50, 50});
    GrownTree& tree = hand_made.tree;
    const auto children = hand_made.cut(*tree.root, 0, 1, {1, 1}, {49, 49});
    hand_made.part(children[1], 1, {49, 0}, {0, 49});
    prune_by_error(tree, dataset, 0.25, budget);
    REQUIRE(!tree.root->is_leaf() && tree.root->split()->feature == 1);
    REQUIRE(tree.root->children().size() == 3);
    CHECK_EQ(tree.root->split()->codes()[2], 4U);
    CHECK_EQ(tree.root->children()[2].weight(), 2 * dataset.scale().one());
    const Tree flat = tree.flatten(dataset);
    CHECK_EQ(flat.n_nodes(), std::size_t{5});  // and the empty leaf of the third category
}

// Every test but the last sends all samples one way; the last tells the classes apart, or tells nothing.
TEST_CASE("a chain of 50 000 tests is pruned to the one that tells the classes apart, or to a leaf") {
    for (const bool useful : {true, false}) {
        Problem problem;
        problem.columns.resize(1);
        for (int i = 0; i < 100; ++i) {
            problem.columns[0].values.push_back(i + 0.5);
            problem.labels.push_back(static_cast<Label>(useful ? i >= 50 : i % 2));
        }
        const Dataset dataset = problem.dataset();
        HandMade hand_made(dataset, {50, 50});
        GrownTree& tree = hand_made.tree;
        GrownNode* last = tree.root;
        for (int depth = 0; depth < 50000; ++depth) last = &hand_made.cut(*last, 0, 0, {0, 0}, {50, 50})[1];
        hand_made.cut(*last, 0, 50, {50, 0}, {0, 50});
        CHECK_EQ(depth_of(tree.flatten(dataset).arrays()), std::size_t{50001});
        Budget budget;
        prune_by_error(tree, dataset, 0.25, budget);
        const Tree flat = tree.flatten(dataset);
        CHECK_EQ(flat.n_nodes(), std::size_t{useful ? 3U : 1U});
        CHECK_EQ(flat.arrays().weight[0], 100.0);
    }
}

TEST_CASE("after pruning every weight is the sum of the weights below it") {
    Random random(1);
    for (int round = 0; round < 40; ++round) {
        const Problem problem = random_problem(random, {.n_rows = 300,
                                                        .n_continuous = 4,
                                                        .n_nominal = 2,
                                                        .n_values = 30,
                                                        .n_classes = 3,
                                                        .missing_share = round % 2 == 0 ? 0.0 : 0.1,
                                                        .weighted = round % 3 == 0});
        const Dataset dataset = problem.dataset();
        Budget budget;
        Progress progress;
        WorkerPool pool(1);
        GrownTree tree = grow_tree(dataset, {.growth = Growth::literal}, budget, progress, pool);
        problem.resolve(tree, dataset);
        const std::size_t before = tree.flatten(dataset).n_nodes();
        prune_by_error(tree, dataset, 0.25, budget);
        const Tree flat = tree.flatten(dataset);
        const TreeArrays& a = flat.arrays();
        CHECK(a.feature.size() < before);
        for (std::size_t node = 0; node < a.feature.size(); ++node) {
            double by_class = 0, below = 0;
            a.class_weights.for_each(node, [&](std::size_t, double weight) { by_class += weight; });
            CHECK(near(by_class, a.weight[node], 1e-6));
            if (flat.is_leaf(node)) continue;
            flat.for_each_weighted_child(node, [&](std::size_t child) { below += a.weight[child]; });
            CHECK(near(below, a.weight[node], 1e-6));
        }
    }
}
