// Regularized ensembles: the same for any number of workers, draws that are put back, and what a stop leaves behind.

#include <algorithm>
#include <set>
#include <vector>

#include "../../src/ensemble/selected_features.hpp"
#include "check.hpp"
#include "palmette/ensemble/regularized.hpp"
#include "palmette/ensemble/voting.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;
using problems::random_problem;
using problems::same_tree;

namespace {

RegularizedOptions options_of(const Dataset& dataset, double weight, std::size_t n_trees = 6) {
    RegularizedOptions options;
    options.forest.tree.growth = Growth::literal;
    options.forest.tree.max_features = 2;
    options.forest.tree.seed = 7;
    options.forest.n_trees = n_trees;
    options.new_feature_weights.assign(dataset.n_features(), weight);
    return options;
}

std::vector<std::optional<ValueView>> values_of(const Problem& problem) {
    std::vector<std::optional<ValueView>> views;
    for (const auto& column : problem.columns)
        views.push_back(column.n_categories > 0 ? std::nullopt : std::optional(problems::view_of(column.values)));
    return views;
}

std::set<std::uint32_t> used_by(const RegularizedEnsemble& ensemble) {
    std::set<std::uint32_t> used;
    for (const GrownTree& tree : ensemble.forest.trees)
        for (const std::uint32_t feature : tree.used_features()) used.insert(feature);
    return used;
}

std::set<std::uint32_t> entered(const RegularizedEnsemble& ensemble) {
    std::set<std::uint32_t> features;
    for (const FeatureEntry& entry : ensemble.entries) features.insert(entry.feature);
    return features;
}

}  // namespace

TEST_CASE("features outside the set are drawn without replacement, and the list is put back in order") {
    SelectedFeatures selected(20, std::vector<std::uint32_t>{3, 5});
    std::vector<std::uint32_t> drawn, again;
    for (std::uint64_t key = 0; key < 50; ++key) {
        selected.draw_others(6, RandomStream(key), drawn);
        CHECK_EQ(std::set(drawn.begin(), drawn.end()).size(), std::size_t{6});
        CHECK(std::ranges::is_sorted(drawn));
        CHECK(std::ranges::none_of(drawn, [](std::uint32_t feature) { return feature == 3 || feature == 5; }));
        selected.draw_others(6, RandomStream(key), again);
        CHECK(drawn == again);
    }
    selected.draw_others(100, RandomStream(0), drawn);
    CHECK_EQ(drawn.size(), std::size_t{18});
    selected.enter({7, 0, 0, 0.5, 1.0});
    selected.enter({1, 0, 1, 0.5, 1.0});
    CHECK(selected.members() == (std::vector<std::uint32_t>{1, 3, 5, 7}));
    selected.forget_after(1);
    CHECK(selected.members() == (std::vector<std::uint32_t>{3, 5, 7}));
    selected.draw_others(100, RandomStream(0), drawn);
    CHECK(std::ranges::is_sorted(drawn));
    CHECK_EQ(drawn.size(), std::size_t{17});
}

TEST_CASE("regularized ensembles do not depend on the number of workers, and hold what entered") {
    Random random(1);
    for (const bool weighted : {false, true})
        for (const RegularizedScore score : {RegularizedScore::gain, RegularizedScore::uncentred_gini})
            for (const bool boosted : {false, true}) {
                // Large enough for the workers to share the features of the upper nodes.
                const Problem problem = random_problem(
                    random,
                    {.n_rows = 9000, .n_continuous = 10, .n_nominal = 3, .missing_share = 0.02, .weighted = weighted});
                const Dataset dataset = problem.dataset();
                RegularizedOptions options = options_of(dataset, 0.7, 2);
                options.score = score;
                options.forest.tree.max_features = 6;
                options.forest.tree.max_depth = 8;
                if (score == RegularizedScore::uncentred_gini) options.forest.tree.criterion = Criterion::gini;
                const auto make = [&](std::size_t n_workers) {
                    Budget budget;
                    Progress progress;
                    WorkerPool pool(n_workers);
                    return boosted
                               ? boost_regularized_trees(dataset, values_of(problem), options, budget, progress, pool)
                               : grow_regularized_forest(dataset, options, budget, progress, pool);
                };
                RegularizedEnsemble one = make(1), three = make(3);
                CHECK(one.forest.complete);
                CHECK(used_by(one) == entered(one));
                CHECK_EQ(one.entries.size(), three.entries.size());
                REQUIRE(one.forest.trees.size() == three.forest.trees.size());
                for (std::size_t i = 0; i < one.forest.trees.size(); ++i) {
                    problem.resolve(one.forest.trees[i], dataset);
                    problem.resolve(three.forest.trees[i], dataset);
                    CHECK(same_tree(one.forest.trees[i].flatten(dataset).arrays(),
                                    three.forest.trees[i].flatten(dataset).arrays()));
                }
                CHECK(problems::same_bits(one.votes, three.votes));
                CHECK(problems::same_bits(one.errors, three.errors));
            }
}

TEST_CASE("out of time, the first tree and nothing else is left") {
    Random random(2);
    const Problem problem = random_problem(random, {.n_rows = 400, .n_continuous = 5});
    const Dataset dataset = problem.dataset();
    for (const bool boosted : {false, true}) {
        Budget budget;
        budget.set_time_limit(0.0);
        Progress progress;
        WorkerPool pool(2);
        const RegularizedOptions options = options_of(dataset, 0.5, 50);
        const RegularizedEnsemble stopped =
            boosted ? boost_regularized_trees(dataset, values_of(problem), options, budget, progress, pool)
                    : grow_regularized_forest(dataset, options, budget, progress, pool);
        CHECK(!stopped.forest.complete);
        CHECK(budget.deadline_passed());
        REQUIRE(stopped.forest.trees.size() == 1);
        CHECK(used_by(stopped) == entered(stopped));
    }
}

TEST_CASE("options that do not fit the dataset are refused") {
    Random random(3);
    const Problem problem = random_problem(random, {.n_rows = 50});
    const Dataset dataset = problem.dataset();
    Budget budget;
    Progress progress;
    WorkerPool pool(1);
    const auto refused = [&](const RegularizedOptions& options) {
        try {
            grow_regularized_forest(dataset, options, budget, progress, pool);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    RegularizedOptions options = options_of(dataset, 0.5);
    options.new_feature_weights.pop_back();
    CHECK(refused(options));
    options = options_of(dataset, 1.5);
    CHECK(refused(options));
    options = options_of(dataset, std::numeric_limits<double>::quiet_NaN());
    CHECK(refused(options));
    options = options_of(dataset, 0.5);
    options.initial = {99};
    CHECK(refused(options));
    try {
        boost_regularized_trees(dataset, {}, options_of(dataset, 0.5), budget, progress, pool);
        CHECK(false);
    } catch (const std::invalid_argument&) {}
}

TEST_CASE("votes are weighed, and each tree has one") {
    Random random(4);
    const Problem problem = random_problem(random, {.n_rows = 1500, .n_classes = 3});
    const Dataset dataset = problem.dataset();
    Budget budget;
    Progress progress;
    WorkerPool pool(2);
    RegularizedEnsemble boosted =
        boost_regularized_trees(dataset, values_of(problem), options_of(dataset, 0.8, 5), budget, progress, pool);
    std::vector<Tree> trees;
    for (const GrownTree& tree : boosted.forest.trees) trees.push_back(tree.flatten(dataset));
    std::vector<const Tree*> pointers;
    for (const Tree& tree : trees) pointers.push_back(&tree);
    const auto columns = problem.to_predict_from();
    const std::vector<double> shares = predict_votes(pointers, boosted.votes, columns, 1500, budget, pool);
    bool sums_to_one = true;
    for (std::size_t row = 0; row < 1500; ++row) {
        const double sum = shares[3 * row] + shares[3 * row + 1] + shares[3 * row + 2];
        sums_to_one = sums_to_one && std::abs(sum - 1) < 1e-12;
    }
    CHECK(sums_to_one);
    for (const std::vector<double>& wrong : {std::vector<double>{}, std::vector<double>(pointers.size(), 0.0)}) {
        try {
            predict_votes(pointers, wrong, columns, 1500, budget, pool);
            CHECK(false);
        } catch (const std::invalid_argument&) {}
    }
}
