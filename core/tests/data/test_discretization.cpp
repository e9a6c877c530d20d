// Discretization: where columns are cut, and the columns and numbers that come of the cuts.

#include <cmath>
#include <vector>

#include "check.hpp"
#include "palmette/data/discretization.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::missing;

namespace {

Dataset dataset_of(const std::vector<double>& values, std::vector<Label> labels, std::size_t n_classes = 2,
                   const std::vector<double>& weights = {}) {
    std::vector<Column> columns;
    columns.push_back(encode_continuous(problems::view_of(values)));
    return Dataset(std::move(columns), std::move(labels), n_classes, weights);
}

CodeCuts cuts_of(const Dataset& dataset, CutCost cost = CutCost::samples) {
    Budget budget;
    return mdl_cuts(dataset, 0, cost, budget);
}

}  // namespace

TEST_CASE("two pure halves are cut once, in the middle") {
    const Dataset dataset = dataset_of({1, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 0, 0, 1, 1, 1, 1});
    CHECK(cuts_of(dataset) == CodeCuts{4});
}

TEST_CASE("no cut for a constant label, a constant value, or noise") {
    CHECK(cuts_of(dataset_of({1, 2, 3, 4}, {1, 1, 1, 1})).empty());
    CHECK(cuts_of(dataset_of({1, 2, 3, 4}, {0, 0, 0, 0}, 1)).empty());
    CHECK(cuts_of(dataset_of({5, 5, 5, 5}, {0, 1, 0, 1})).empty());
    CHECK(cuts_of(dataset_of({1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 1, 0, 1, 0, 1})).empty());
    CHECK(cuts_of(dataset_of({missing, missing}, {0, 1})).empty());
}

TEST_CASE("missing values and samples without weight have no say") {
    const std::vector<double> values{1, 2, 3, 4, 4.5, 5, 6, 7, 8, missing, missing};
    const std::vector<Label> labels{0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
    const Dataset dataset = dataset_of(values, labels, 2, {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1});
    const CodeCuts cuts = cuts_of(dataset);
    CHECK(cuts == CodeCuts{4});
    const auto decoded = decode_values(dataset.column(0), problems::view_of(values), dataset.weights());
    CHECK(cut_points(cuts, decoded) == std::vector<double>{4.5});
    const Column cut = cut_column(dataset.column(0), cuts);
    CHECK_EQ(cut.n_values, 2U);
    CHECK(cut.kind == FeatureKind::nominal);
    const std::vector<std::uint32_t> expected{1, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK_EQ(cut.codes[i], expected[i]);
}

TEST_CASE("among few values a cut costs less than among many samples") {
    std::vector<double> values;
    std::vector<Label> labels;
    for (int i = 0; i < 60; ++i) {
        values.push_back(i % 2);
        labels.push_back(static_cast<Label>(i % 6 < 2 ? 1 - i % 2 : i % 2));
    }
    // Two thirds of each value have its class: 4.9 bits are gained, 4.5 pay for the sides, log2(59) more for the place.
    CHECK(cuts_of(dataset_of(values, labels), CutCost::values) == CodeCuts{1});
    CHECK(cuts_of(dataset_of(values, labels), CutCost::samples).empty());
}

TEST_CASE("a nominal column is not cut") {
    std::vector<Column> columns;
    columns.push_back(encode_nominal(problems::category_view(std::vector<std::int32_t>{0, 0, 1, 1}, 2)));
    const Dataset dataset(std::move(columns), {0, 0, 1, 1}, 2, {});
    CHECK(cuts_of(dataset).empty());
}

TEST_CASE("the cuts of all columns are those of each, for any number of threads") {
    problems::Random random(7);
    const Dataset dataset =
        problems::random_problem(random, {.n_rows = 500, .n_continuous = 9, .n_classes = 3, .missing_share = 0.1})
            .dataset();
    Budget budget;
    for (const std::size_t n_workers : {1U, 3U}) {
        WorkerPool pool(n_workers);
        Progress progress;
        progress.work_total = dataset.n_features();
        const auto cuts = mdl_cuts(dataset, CutCost::samples, budget, progress, pool);
        CHECK_EQ(progress.share(), 1.0);
        for (std::size_t feature = 0; feature < dataset.n_features(); ++feature)
            CHECK(cuts[feature] == mdl_cuts(dataset, feature, CutCost::samples, budget));
        CHECK(!cuts[0].empty());
    }
}

TEST_CASE("a spent budget leaves the rest whole") {
    Budget budget;
    budget.request_stop();
    CHECK(
        mdl_cuts(dataset_of({1, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 0, 0, 1, 1, 1, 1}), 0, CutCost::samples, budget).empty());
}

TEST_CASE("many classes, of which 3^k is beyond the floats") {
    std::vector<double> values;
    std::vector<Label> labels;
    for (int k = 0; k < 3000; ++k)
        for (int copy = 0; copy < 2; ++copy) {
            values.push_back(k % 2 == 0 ? k : 10000 + k);
            labels.push_back(static_cast<Label>(k));
        }
    CHECK(!cuts_of(dataset_of(values, labels, 3000)).empty());
}

TEST_CASE("a cut that the values do not have is refused") {
    CHECK_THROWS_AS(cut_points(CodeCuts{0}, std::vector<double>{1, 2}), std::invalid_argument);
    CHECK_THROWS_AS(cut_points(CodeCuts{2}, std::vector<double>{1, 2}), std::invalid_argument);
}
