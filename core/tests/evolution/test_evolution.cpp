// Both evolutions: the same for any number of workers and any cache, never worse from generation to generation, within
// their limits; and the tree that is handed out is the one that was judged.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "palmette/evolution/evolution.hpp"
#include "palmette/tree/prediction.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;
using problems::random_problem;
using problems::same_tree;

namespace {

struct Case {
    Problem problem;
    Problem fresh;
    Dataset dataset;
    std::vector<PredictionColumn> columns;
    std::vector<PredictionColumn> fresh_columns;

    Case(Random& random, const problems::Shape& shape)
        : problem(random_problem(random, shape)),
          fresh(random_problem(random, shape)),
          dataset(problem.dataset()),
          columns(problem.to_predict_from()),
          fresh_columns(fresh.to_predict_from()) {}

    [[nodiscard]] EvolutionProblem evolution(WorkerPool& pool) const {
        EvolutionProblem made{dataset, {}, {}, true};
        made.read_values(columns, pool);
        WatchedSet& set = made.watched.emplace_back();
        set.columns = fresh_columns;
        set.labels.assign(fresh.labels.begin(), fresh.labels.end());
        set.weights.assign(fresh.labels.size(), dataset.scale().one());
        made.check_watched();
        return made;
    }
};

EvolutionOptions small_evolution(std::uint64_t seed) {
    EvolutionOptions options;
    options.population_size = 40;
    options.n_elite = 20;
    options.max_generations = 12;
    options.max_height = 6;
    options.seed = seed;
    return options;
}

BreedingOptions small_breeding(std::uint64_t seed) {
    BreedingOptions options;
    options.population_size = 40;
    options.n_elite = 4;
    options.max_generations = 12;
    options.max_height = 7;
    options.seed = seed;
    return options;
}

struct Run {
    EvolvedTree evolved;
    TreeArrays tree;
};

template <class Options, class Evolve>
Run run(const Case& at, const Options& options, Evolve evolve, std::size_t n_workers) {
    WorkerPool pool(n_workers);
    const EvolutionProblem problem = at.evolution(pool);
    Budget budget;
    Progress progress;
    Run result{evolve(problem, options, budget, progress, pool), {}};
    at.problem.resolve(result.evolved.tree, at.dataset, ThresholdRule::midpoint);
    result.tree = result.evolved.tree.flatten(at.dataset).arrays();
    return result;
}

/// The weight of the rows whose class is the most probable one; for tables where nothing is missing.
double right_weight(const TreeArrays& arrays, const Case& at, const std::vector<PredictionColumn>& columns,
                    const std::vector<Label>& labels, const std::vector<double>& weights) {
    std::vector<std::uint32_t> n_categories;
    for (std::size_t f = 0; f < at.dataset.n_features(); ++f)
        n_categories.push_back(at.dataset.column(f).kind == FeatureKind::nominal ? at.dataset.column(f).n_values : 0);
    const Tree tree(arrays, n_categories);
    WorkerPool pool(1);
    Budget budget;
    const auto leaves = find_leaves(tree, columns, labels.size(), budget, pool);
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (arrays.label[static_cast<std::size_t>(leaves[i])] == labels[i]) sum += weights.empty() ? 1.0 : weights[i];
    return sum;
}

void check_run(const Case& at, const Run& result, std::uint32_t max_height, bool complete) {
    const Judgement& judged = result.evolved.judgement;
    CHECK_EQ(judged.n_nodes, result.tree.feature.size());
    CHECK_EQ(judged.height, problems::depth_of(result.tree) + 1);
    CHECK(judged.height <= max_height);
    const auto& generations = result.evolved.generations;
    for (std::size_t g = 1; g < generations.size(); ++g)
        CHECK(generations[g].accuracy.best >= generations[g - 1].accuracy.best);
    if (!complete) return;
    const double one = at.dataset.scale().factor();
    const double training = right_weight(result.tree, at, at.columns, at.problem.labels, at.problem.weights);
    CHECK(std::abs(static_cast<double>(judged.right) / one - training) < 1e-6);
    const double validation = right_weight(result.tree, at, at.fresh_columns, at.fresh.labels, {});
    CHECK(std::abs(static_cast<double>(judged.watched[0]) / one - validation) < 1e-6);
}

bool same_run(const Run& a, const Run& b) {
    if (!same_tree(a.tree, b.tree) || a.evolved.generations.size() != b.evolved.generations.size()) return false;
    if (a.evolved.population.size() != b.evolved.population.size()) return false;
    for (std::size_t i = 0; i < a.evolved.population.size(); ++i)
        if (a.evolved.population[i].genes != b.evolved.population[i].genes) return false;
    return a.evolved.end == b.evolved.end;
}

constexpr problems::Shape shapes[] = {
    {.n_rows = 200, .n_continuous = 4, .n_nominal = 0, .n_classes = 3},
    {.n_rows = 200, .n_continuous = 3, .n_nominal = 2, .n_values = 0, .n_classes = 2, .weighted = true},
    {.n_rows = 150, .n_continuous = 3, .n_nominal = 2, .n_classes = 4, .missing_share = 0.15},
    {.n_rows = 60, .n_continuous = 0, .n_nominal = 4, .n_categories = 6, .n_classes = 3},
};

}  // namespace

TEST_CASE("an evolution does not depend on the number of workers or on the room for its cache") {
    Random random(1);
    for (const auto& shape : shapes) {
        const Case at(random, shape);
        EvolutionOptions options = small_evolution(random.next());
        const Run one = run(at, options, evolve_tree, 1);
        check_run(at, one, options.max_height, shape.missing_share == 0);
        CHECK(same_run(one, run(at, options, evolve_tree, 3)));
        options.memory_limit = 0;
        const Run without = run(at, options, evolve_tree, 1);
        CHECK(same_run(one, without));
        CHECK(without.evolved.n_splits > one.evolved.n_splits);
        CHECK(same_run(one, run(at, options, evolve_tree, 2)));
    }
}

TEST_CASE("breeding does not depend on the number of workers") {
    Random random(2);
    for (const auto& shape : shapes) {
        const Case at(random, shape);
        const BreedingOptions options = small_breeding(random.next());
        const Run one = run(at, options, breed_tree, 1);
        check_run(at, one, options.max_height, shape.missing_share == 0);
        CHECK(same_run(one, run(at, options, breed_tree, 3)));
    }
}

TEST_CASE("no individual splits without a gain, and only the root may keep leaves of one label under it") {
    Random random(3);
    const Case at(random, shapes[0]);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const TreeArrays tree = run(at, small_evolution(seed), evolve_tree, 1).tree;
        CHECK(tree.feature[0] >= 0);
        for (std::size_t node = 0; node < tree.feature.size(); ++node) {
            if (tree.feature[node] < 0) continue;
            CHECK(tree.gain[node] > 0);
            const auto start = static_cast<std::size_t>(tree.branch_start[node]);
            const auto left = static_cast<std::size_t>(tree.branches[start]);
            const auto right = static_cast<std::size_t>(tree.branches[start + 1]);
            const bool leaves = tree.feature[left] < 0 && tree.feature[right] < 0;
            CHECK(node == 0 || !leaves || tree.label[left] != tree.label[right]);
        }
    }
}

TEST_CASE("a table that nothing can split becomes a leaf") {
    Problem problem;
    problem.columns.resize(1);
    problem.columns[0].values = {1, 1, 1};
    problem.labels = {0, 1, 1};
    const Dataset dataset = problem.dataset();
    const auto columns = problem.to_predict_from();
    WorkerPool pool(1);
    EvolutionProblem made{dataset, {}, {}, false};
    made.read_values(columns, pool);
    Budget budget;
    Progress progress;
    const EvolvedTree evolved = evolve_tree(made, small_evolution(0), budget, progress, pool);
    CHECK_EQ(evolved.judgement.n_nodes, 1U);
    CHECK(evolved.end == EvolutionEnd::converged);
    const EvolvedTree bred = breed_tree(made, small_breeding(0), budget, progress, pool);
    CHECK_EQ(bred.judgement.n_nodes, 1U);
}

TEST_CASE("a spent budget leaves a usable tree of the first generation") {
    Random random(4);
    const Case at(random, shapes[0]);
    WorkerPool pool(2);
    const EvolutionProblem problem = at.evolution(pool);
    Budget budget;
    budget.request_stop();
    Progress progress;
    const EvolvedTree evolved = evolve_tree(problem, small_evolution(0), budget, progress, pool);
    CHECK(evolved.end == EvolutionEnd::stopped);
    CHECK_EQ(evolved.generations.size(), std::size_t{1});
    CHECK(!evolved.tree.root->is_leaf());
    const EvolvedTree bred = breed_tree(problem, small_breeding(0), budget, progress, pool);
    CHECK_EQ(bred.generations.size(), std::size_t{1});
    CHECK(bred.end == EvolutionEnd::stopped);
    CHECK(bred.tree.root != nullptr);
}

TEST_CASE("the distribution draws each label as often as its probability says") {
    std::vector<Individual> elite(4);
    elite[0].genes = {{0, 0, 1}, {1, 2, 2}, {2, -1, 2}};
    elite[1].genes = {{0, 0, 1}, {1, -1, 2}, {2, -1, 2}};
    elite[2].genes = {{0, 1, 1}, {1, 2, 2}, {2, 0, 2}};
    elite[3].genes = {{0, 0, 1}};
    const TreeDistribution distribution(3, elite, 5);
    const auto frequencies = [&](Position position) {
        std::vector<int> counts(4, 0);
        for (std::uint64_t i = 0; i < 12000; ++i)
            ++counts[static_cast<std::size_t>(distribution.draw(position, RandomStream(9).child(i)) + 1)];
        return counts;
    };
    const auto near = [](int count, double share) { return std::abs(count - 12000 * share) < 300; };
    const auto root = frequencies(0);  // class, then the features
    CHECK(root[0] == 0 && near(root[1], 0.75) && near(root[2], 0.25) && root[3] == 0);
    const auto left = frequencies(1);  // one of four lacks it: a twelfth for each feature
    CHECK(near(left[0], 0.25) && near(left[1], 1 / 12.0) && near(left[2], 1 / 12.0) && near(left[3], 0.5 + 1 / 12.0));
    const auto nobody = frequencies(5);
    CHECK(nobody[0] == 0 && near(nobody[1], 1 / 3.0) && near(nobody[2], 1 / 3.0) && near(nobody[3], 1 / 3.0));
    CHECK_EQ(distribution.cells().size(), std::size_t{6});
}

TEST_CASE("models are kept within their limit, spread over the evolution, and always the last") {
    Random random(6);
    const Case at(random, shapes[0]);
    EvolutionOptions options = small_evolution(1);
    const Run all = run(at, options, evolve_tree, 1);
    const auto& generations = all.evolved.generations;
    REQUIRE(generations.size() > 8);
    std::size_t n_cells = 0;
    for (const Generation& generation : generations) {
        CHECK(generation.has_model);
        n_cells += generation.model.size();
    }
    CHECK(generations.front().model.empty());
    options.most_cells = n_cells / 3;
    const Run some = run(at, options, evolve_tree, 1);
    std::size_t kept = 0, n_kept = 0;
    for (std::size_t g = 0; g < generations.size(); ++g) {
        const Generation& generation = some.evolved.generations[g];
        if (!generation.has_model) continue;
        ++n_kept;
        kept += generation.model.size();
        CHECK_EQ(generation.model.size(), generations[g].model.size());
    }
    CHECK(kept <= options.most_cells);
    CHECK(n_kept >= 3);
    CHECK(some.evolved.generations.back().has_model && some.evolved.generations.front().has_model);
    options.record_distribution = false;
    for (const Generation& generation : run(at, options, evolve_tree, 1).evolved.generations)
        CHECK(!generation.has_model && generation.model.empty());
}

TEST_CASE("positions: the branches of a binary tree are counted, further ones hashed") {
    CHECK_EQ(position_of_branch(0, 0), Position{1});
    CHECK_EQ(position_of_branch(2, 1), Position{6});
    CHECK(position_of_branch(0, 2) >= first_hashed);
    CHECK(position_of_branch(position_of_branch(0, 2), 0) >= first_hashed);
    CHECK(position_of_branch(0, 2) != position_of_branch(0, 3));
}

TEST_CASE("the order: accuracy, then height, then nodes, with a tolerance in steps") {
    const Judgement good{10, 5, 9, {}}, small{10, 5, 7, {}}, low{10, 4, 11, {}}, worse{9, 2, 3, {}};
    const Order exact;
    CHECK(exact.before(small, good) && exact.before(low, small) && exact.before(good, worse));
    CHECK(!exact.before(good, good) && exact.tie(good, good) && !exact.tie(good, small));
    const Order rough(6);
    CHECK(rough.before(worse, good));
    const Order without_nodes(1, false);
    CHECK(without_nodes.tie(good, small));
}

TEST_CASE("a problem whose parts do not fit together is refused") {
    Random random(5);
    const Case at(random, shapes[1]);
    WorkerPool pool(1);
    EvolutionProblem short_of_a_label = at.evolution(pool);
    short_of_a_label.watched[0].labels.pop_back();
    CHECK_THROWS_AS(short_of_a_label.check_watched(), std::invalid_argument);
    const EvolutionProblem without_validation{at.dataset, {}, {}, true};
    CHECK_THROWS_AS(without_validation.check_watched(), std::invalid_argument);
    EvolutionProblem short_of_a_column = at.evolution(pool);
    short_of_a_column.watched[0].columns.pop_back();
    CHECK_THROWS_AS(short_of_a_column.check_watched(), std::invalid_argument);
    CHECK_THROWS_AS(short_of_a_column.read_values({}, pool), std::invalid_argument);
}
