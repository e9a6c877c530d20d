#include "palmette/oblivious/pruning.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "palmette/oblivious/cells.hpp"
#include "palmette/oblivious/decision_table.hpp"
#include "palmette/oblivious/folds.hpp"
#include "problems.hpp"

using namespace palmette;
using namespace palmette::problems;

namespace {

/// Boolean features; the class is the parity of the first three, or noise.
Problem boolean_problem(Random& random, std::size_t n_rows, std::size_t n_features, bool noise) {
    Problem problem;
    problem.columns.resize(n_features);
    for (std::size_t row = 0; row < n_rows; ++row) {
        int sum = 0;
        for (std::size_t f = 0; f < n_features; ++f) {
            const int value = random.integer(0, 1);
            problem.columns[f].categories.push_back(value);
            problem.columns[f].n_categories = 2;
            if (f < 3) sum += value;
        }
        problem.labels.push_back(static_cast<Label>(noise ? random.integer(0, 1) : sum % 2));
    }
    return problem;
}

TablePruningSettings one_by_one(const Problem& problem) {
    TablePruningSettings settings;
    for (std::uint32_t f = 0; f < problem.columns.size(); ++f) settings.units.push_back({f});
    return settings;
}

EliminationResult prune(const Problem& problem, const TablePruningSettings& settings) {
    const Dataset dataset = problem.dataset();
    Budget budget;
    EliminationProgress progress;
    return prune_table(dataset, settings, budget, progress);
}

/// Leave-one-out errors of a set of features, each sample compared with every other.
Weight errors_by_hand(const Dataset& dataset, const std::vector<std::uint32_t>& features) {
    const auto weight_of = [&](std::size_t row) {
        return dataset.weights().empty() ? dataset.scale().one() : dataset.weights()[row];
    };
    Weight errors = 0;
    for (std::size_t left_out = 0; left_out < dataset.n_rows(); ++left_out) {
        if (weight_of(left_out) == 0) continue;
        std::size_t nearest = features.size() + 1;
        std::vector<Weight> votes(dataset.n_classes());
        for (std::size_t other = 0; other < dataset.n_rows(); ++other) {
            if (other == left_out || weight_of(other) == 0) continue;
            const auto distance = static_cast<std::size_t>(std::ranges::count_if(features, [&](std::uint32_t f) {
                return dataset.column(f).codes[left_out] != dataset.column(f).codes[other];
            }));
            if (distance > nearest) continue;
            if (distance < nearest) std::ranges::fill(votes, 0);
            nearest = distance;
            votes[dataset.labels()[other]] += weight_of(other);
        }
        if (std::ranges::max_element(votes) - votes.begin() != dataset.labels()[left_out])
            errors += weight_of(left_out);
    }
    return errors;
}

}  // namespace

TEST_CASE("oblivious: parity among irrelevant features is found") {
    Random random(1);
    const Problem problem = boolean_problem(random, 150, 8, false);
    const EliminationResult result = prune(problem, one_by_one(problem));
    CHECK(result.units == std::vector<std::uint32_t>{0, 1, 2});
    CHECK_EQ(result.error, 0);
    CHECK(result.status == EliminationStatus::complete);
}

TEST_CASE("oblivious: every step has the errors of leave-one-out by hand, which never grow") {
    Random random(2);
    for (int round = 0; round < 30; ++round) {
        Shape shape;
        shape.n_rows = static_cast<std::size_t>(random.integer(5, 40));
        shape.n_continuous = 2;
        shape.n_nominal = 4;
        shape.n_values = 3;
        shape.n_categories = random.integer(2, 4);
        shape.n_classes = 3;
        shape.missing_share = round % 2 == 0 ? 0.0 : 0.2;
        shape.weighted = round % 3 == 0;
        const Problem problem = random_problem(random, shape);
        const Dataset dataset = problem.dataset();
        const EliminationResult result = prune(problem, one_by_one(problem));
        for (std::size_t i = 0; i < result.steps.size(); ++i) {
            CHECK_EQ(result.steps[i].error, errors_by_hand(dataset, units_of_step(result, i)));
            CHECK(i == 0 || result.steps[i].error <= result.steps[i - 1].error);
        }
    }
}

TEST_CASE("oblivious: threads, folds of one sample and a lack of memory change nothing") {
    Random random(3);
    for (int round = 0; round < 10; ++round) {
        const Problem problem = boolean_problem(random, 120, 9, round % 2 == 0);
        TablePruningSettings settings = one_by_one(problem);
        const EliminationResult expected = prune(problem, settings);
        const auto same = [&](const TablePruningSettings& others) {
            const EliminationResult result = prune(problem, others);
            CHECK(result.units == expected.units);
            CHECK_EQ(result.error, expected.error);
            CHECK_EQ(result.steps.size(), expected.steps.size());
        };
        settings.n_jobs = 3;
        same(settings);
        settings.memory_limit = 0;
        same(settings);
        settings.folds.resize(120);
        std::iota(settings.folds.begin(), settings.folds.end(), 0U);
        same(settings);
    }
}

TEST_CASE("oblivious: redrawn folds depend on the seed and the step, and find parity among many irrelevant features") {
    Random random(6);
    const Problem problem = boolean_problem(random, 200, 16, false);
    const Dataset dataset = problem.dataset();
    TablePruningSettings settings = one_by_one(problem);
    for (std::uint32_t row = 0; row < 200; ++row) settings.folds.push_back(row % 2);
    settings.redraw_folds = true;
    settings.seed = 3;
    const EliminationResult expected = prune(problem, settings);
    CHECK(expected.units == std::vector<std::uint32_t>{0, 1, 2});
    settings.n_jobs = 3;
    settings.memory_limit = 0;
    const EliminationResult again = prune(problem, settings);
    CHECK(again.units == expected.units);
    CHECK_EQ(again.steps.size(), expected.steps.size());
    for (std::size_t i = 0; i < expected.steps.size(); ++i) CHECK_EQ(again.steps[i].error, expected.steps[i].error);

    CHECK(redrawn_folds(dataset, settings.folds, 3, 0) == settings.folds);
    CHECK(redrawn_folds(dataset, settings.folds, 3, 1) == redrawn_folds(dataset, settings.folds, 3, 1));
    CHECK(redrawn_folds(dataset, settings.folds, 3, 1) != redrawn_folds(dataset, settings.folds, 3, 2));
    CHECK(redrawn_folds(dataset, settings.folds, 3, 1) != redrawn_folds(dataset, settings.folds, 4, 1));
}

TEST_CASE("oblivious: a stopped pruning answers with what is left then") {
    Random random(4);
    const Problem problem = boolean_problem(random, 100, 6, true);
    const Dataset dataset = problem.dataset();
    for (const bool late : {false, true}) {
        Budget budget;
        if (late)
            budget.set_time_limit(0);
        else
            budget.request_stop();
        EliminationProgress progress;
        const EliminationResult result = prune_table(dataset, one_by_one(problem), budget, progress);
        CHECK_EQ(result.units.size(), 6U);
        CHECK_EQ(result.error, -1);
        CHECK(result.status == (late ? EliminationStatus::time_limit : EliminationStatus::interrupted));
    }
}

TEST_CASE("oblivious: settings that do not fit are refused") {
    Random random(5);
    const Problem problem = boolean_problem(random, 10, 3, true);
    const auto refuses = [&](auto change) {
        TablePruningSettings settings = one_by_one(problem);
        change(settings);
        CHECK_THROWS_AS(prune(problem, settings), std::invalid_argument);
    };
    refuses([](TablePruningSettings& settings) { settings.units.pop_back(); });
    refuses([](TablePruningSettings& settings) { settings.units.push_back({0}); });
    refuses([](TablePruningSettings& settings) { settings.units[0] = {7}; });
    refuses([](TablePruningSettings& settings) { settings.keep = {3}; });
    refuses([](TablePruningSettings& settings) { settings.keep = {1, 0}; });
    refuses([](TablePruningSettings& settings) { settings.folds = {0, 1}; });
    refuses([](TablePruningSettings& settings) { settings.redraw_folds = true; });
}

TEST_CASE("oblivious: cells are numbered by their first rows, missing values are alike") {
    Problem problem;
    problem.columns.resize(2);
    problem.columns[0].categories = {1, -1, 1, -1, 0};
    problem.columns[1].categories = {0, 0, 0, 0, -1};
    for (RawColumn& column : problem.columns) column.n_categories = 2;
    problem.labels = {0, 1, 1, 1, 0};
    problem.weights = {1, 2, 4, 0.5, 0};
    const Dataset dataset = problem.dataset();
    const std::vector<std::uint32_t> rows = weighty_rows(dataset);
    CHECK(rows == std::vector<std::uint32_t>{0, 1, 2, 3});
    const CellDivision division = divide(dataset, rows, std::vector<std::uint32_t>{0, 1});
    CHECK(division.cell_of == std::vector<std::uint32_t>{0, 1, 0, 1});
    CHECK(division.first_row == std::vector<std::uint32_t>{0, 1});

    const DecisionTable table = fill_table(dataset, std::vector<std::uint32_t>{0, 1});
    CHECK(table.codes == std::vector<std::int32_t>{1, 0, -1, 0});
    CHECK(table.class_weights == std::vector<double>{1, 4, 0, 2.5});
    Budget budget;
    WorkerPool pool(2);
    // Alike with the second cell; as far from both; nearer to the first.
    const std::vector<std::int32_t> rows_to_predict{-1, 0, 0, 0, 1, -1};
    CHECK(nearest_class_weights(table, rows_to_predict, 3, budget, pool) == std::vector<double>{0, 2.5, 1, 6.5, 1, 4});
    CHECK_THROWS_AS(nearest_class_weights(table, rows_to_predict, 2, budget, pool), std::invalid_argument);
    CHECK_THROWS_AS(nearest_class_weights(DecisionTable{}, {}, 0, budget, pool), std::invalid_argument);
    CHECK_THROWS_AS(fill_table(dataset, std::vector<std::uint32_t>{2}), std::invalid_argument);
}
