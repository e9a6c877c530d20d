// Error-based pruning: Quinlan's numbers, leaves and raised branches by hand, and sums that must stay right.

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

/// A node for samples counted by class, made by hand.
GrownNode* node_of(Arena& arena, const Dataset& dataset, std::vector<int> counts) {
    GrownNode* node = arena.make<GrownNode>(1);
    std::vector<Weight> by_class;
    for (const int count : counts) by_class.push_back(count * dataset.scale().one());
    node->describe(by_class, arena);
    return node;
}

/// Gives the node a test of two branches.
GrownSplit& split(Arena& arena, GrownNode& node, std::uint32_t feature, FeatureKind kind, GrownSplit::Branch first,
                  GrownSplit::Branch second) {
    GrownSplit& split = *(node.split = arena.make<GrownSplit>(1));
    split.feature = feature;
    split.kind = kind;
    split.n_branches = 2;
    split.branches = arena.make<GrownSplit::Branch>(2);
    split.branches[0] = first;
    split.branches[1] = second;
    return split;
}

void split_in_two(Arena& arena, GrownNode& node, std::uint32_t feature, std::uint32_t cut, GrownNode* left,
                  GrownNode* right) {
    GrownSplit& test = split(arena, node, feature, FeatureKind::continuous, {0, left}, {1, right});
    test.lower = test.cut = cut;
    test.upper = cut + 1;
    test.threshold = 0.0;
}

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
    GrownTree tree;
    Arena& arena = tree.new_arena();
    tree.root = node_of(arena, dataset, {32, 8});
    split_in_two(arena, *tree.root, 0, 20, node_of(arena, dataset, {16, 4}), node_of(arena, dataset, {16, 4}));
    prune_by_error(tree, dataset, 0.25, budget);
    CHECK(tree.root->is_leaf());
    CHECK_EQ(tree.root->label, Label{0});
    CHECK_EQ(tree.root->weight, 40 * dataset.scale().one());
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
        GrownTree tree;
        Arena& arena = tree.new_arena();
        tree.root = node_of(arena, dataset, {50, 50});
        GrownNode* below = node_of(arena, dataset, {48, 49});
        split_in_two(arena, *below, 1, 1, node_of(arena, dataset, {48, 0}), node_of(arena, dataset, {0, 49}));
        split_in_two(arena, *tree.root, 0, 1, node_of(arena, dataset, {2, 1}), below);
        return tree;
    };
    Budget budget;
    GrownTree tree = tree_by_hand();
    prune_by_error(tree, dataset, 0.25, budget);
    REQUIRE(!tree.root->is_leaf());
    CHECK_EQ(tree.root->split->feature, 1U);
    CHECK_EQ(tree.root->weight, 100 * dataset.scale().one());
    CHECK(tree.root->children()[0].child->is_leaf() && tree.root->children()[1].child->is_leaf());
    CHECK_EQ(tree.root->children()[0].child->right(), 50 * dataset.scale().one());
    CHECK_EQ(tree.root->children()[1].child->right(), 50 * dataset.scale().one());

    Budget spent;
    spent.request_stop();
    GrownTree untouched = tree_by_hand();
    prune_by_error(untouched, dataset, 0.25, spent);
    CHECK_EQ(untouched.root->split->feature, 0U);
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
    GrownTree tree;
    Arena& arena = tree.new_arena();
    tree.root = node_of(arena, dataset, {50, 50});
    GrownNode* below = node_of(arena, dataset, {49, 49});
    split(arena, *below, 1, FeatureKind::nominal, {1, node_of(arena, dataset, {49, 0})},
          {2, node_of(arena, dataset, {0, 49})});
    split_in_two(arena, *tree.root, 0, 1, node_of(arena, dataset, {1, 1}), below);
    prune_by_error(tree, dataset, 0.25, budget);
    REQUIRE(!tree.root->is_leaf() && tree.root->split->feature == 1);
    REQUIRE(tree.root->children().size() == 3);
    CHECK_EQ(tree.root->children()[2].code, 4U);
    CHECK_EQ(tree.root->children()[2].child->weight, 2 * dataset.scale().one());
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
        GrownTree tree;
        Arena& arena = tree.new_arena();
        tree.root = node_of(arena, dataset, {50, 50});
        GrownNode* last = tree.root;
        for (int depth = 0; depth < 50000; ++depth) {
            GrownNode* below = node_of(arena, dataset, {50, 50});
            split_in_two(arena, *last, 0, 0, node_of(arena, dataset, {0, 0}), below);
            last = below;
        }
        split_in_two(arena, *last, 0, 50, node_of(arena, dataset, {50, 0}), node_of(arena, dataset, {0, 50}));
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
