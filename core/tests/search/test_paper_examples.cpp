// The worked examples of Ruggieri (2019) on datasets made for them. Feature i of the paper is feature i - 1 here.

#include <map>
#include <vector>

#include "check.hpp"
#include "palmette/search/paper.hpp"
#include "palmette/search/paper_acceptance.hpp"
#include "palmette/search/paper_bound.hpp"
#include "palmette/search/paper_grower.hpp"
#include "palmette/search/paper_order.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;

namespace {

using Units = std::vector<std::uint32_t>;

FeatureSet<1> set_of(std::initializer_list<std::size_t> units) {
    FeatureSet<1> set;
    for (const std::size_t unit : units) set.insert(unit);
    return set;
}

/// A problem of continuous features given by rows: the class, then the values.
struct Example {
    Problem raw;
    Dataset dataset;
    SearchProblem problem;

    Example(const std::vector<std::vector<int>>& rows, std::size_t n_classes, const Units& building,
            const Units& search)
        : raw(problem_of(rows, n_classes)),
          dataset(raw.dataset()),
          problem(dataset, {.growth = Growth::literal, .min_samples = 2}, ThresholdRule::midpoint) {
        for (std::uint32_t f = 0; f < dataset.n_features(); ++f)
            problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
        problem.add_fold(building, search);
    }

    static Problem problem_of(const std::vector<std::vector<int>>& rows, std::size_t n_classes) {
        Problem problem;
        problem.n_classes = n_classes;
        problem.columns.resize(rows[0].size() - 1);
        for (const auto& row : rows) {
            problem.labels.push_back(static_cast<Label>(row[0]));
            for (std::size_t f = 1; f < row.size(); ++f) problem.columns[f - 1].values.push_back(row[f]);
        }
        return problem;
    }
};

Units numbers(std::uint32_t begin, std::uint32_t end) {
    Units rows;
    for (std::uint32_t row = begin; row < end; ++row) rows.push_back(row);
    return rows;
}

/// Examples 1 and 2: a1 tells nothing of the class unless the data has been split by a3. `place[i]` is the column of
/// a(i + 1).
Example example_1(const std::vector<std::size_t>& place) {
    std::vector<std::vector<int>> rows;
    for (const int a1 : {-1, 1})
        for (const int a2 : {-1, 1})
            for (const int a3 : {-1, 1}) {
                const int n_positive = 20 + a3 * (4 + 4 * a1) + 2 * a2;  // of 40
                for (int i = 0; i < 40; ++i) {
                    std::vector<int> row(4);
                    row[0] = i < n_positive;
                    row[1 + place[0]] = a1;
                    row[1 + place[1]] = a2;
                    row[1 + place[2]] = a3;
                    rows.push_back(row);
                }
            }
    return Example(rows, 2, numbers(0, 320), numbers(0, 320));
}

PaperEnumeration enumerate(const Example& example, PaperOrder order) {
    PaperSettings settings;
    settings.order = order;
    Budget budget;
    Progress progress;
    return enumerate_as_paper(example.problem, settings, true, budget, progress);
}

/// The tree of Figure 3(a): a1 at the root; on its left a2, with a1 again below; on its right a3, with a4 below. The
/// rows from 16 on are a search set.
Example figure_3(const std::vector<std::vector<int>>& search) {
    // Class, a1, a2, a3, a4. Classes 0, 1, 2 have a1 <= 2, classes 3, 4, 5 have a1 = 3.
    std::vector<std::vector<int>> rows{
        {0, 1, 0, 0, 0}, {0, 1, 0, 1, 1}, {0, 2, 0, 0, 1}, {0, 2, 0, 1, 0},  // a2 = 0
        {1, 1, 1, 0, 0}, {1, 1, 1, 1, 1}, {2, 2, 1, 0, 1}, {2, 2, 1, 1, 0},  // a2 = 1: a1 tells 1 from 2
        {3, 3, 0, 0, 0}, {3, 3, 1, 0, 0}, {3, 3, 0, 0, 1}, {3, 3, 1, 0, 1},  // a3 = 0
        {4, 3, 0, 1, 0}, {4, 3, 1, 1, 0}, {5, 3, 0, 1, 1}, {5, 3, 1, 1, 1},  // a3 = 1: a4 tells 4 from 5
    };
    rows.insert(rows.end(), search.begin(), search.end());
    return Example(rows, 6, numbers(0, 16), numbers(16, static_cast<std::uint32_t>(rows.size())));
}

/// The features of a tree in preorder, -1 for a leaf.
std::vector<int> shape(const paper::PaperTree<1>& tree) {
    std::vector<int> features;
    for (const auto& entry : tree.entries()) features.push_back(entry.unit);
    return features;
}

}  // namespace

TEST_CASE("Example 1: by descending index, two trees of Figure 2 (left) are built twice") {
    const Example descending = example_1({2, 1, 0});  // so that ascending columns are a3, a2, a1
    const PaperEnumeration found = enumerate(descending, PaperOrder::fixed);
    CHECK_EQ(found.counts.n_built, 8U);
    CHECK_EQ(found.counts.n_duplicates, 2U);
    // DT(a1 a2 a3), DT(a1 a3), DT(a2 a3), DT(a2), DT(a3), DT(), in the order of the figure; DT(a1 a2) and DT(a1) are
    // not.
    const std::vector<Units> expected{{0, 1, 2}, {0, 2}, {0, 1}, {1}, {0}, {}};
    CHECK(found.subsets == expected);
    const std::vector<std::uint64_t> by_size{1, 2, 2, 1};
    CHECK(found.trees_by_size == by_size);
}

TEST_CASE("Example 2: with a3 removed last, Figure 2 (right), no tree is built twice") {
    const Example ascending = example_1({0, 1, 2});
    const PaperEnumeration found = enumerate(ascending, PaperOrder::fixed);
    CHECK_EQ(found.counts.n_built, 6U);
    CHECK_EQ(found.counts.n_duplicates, 0U);
    const std::vector<Units> expected{{0, 1, 2}, {1, 2}, {0, 2}, {2}, {1}, {}};
    CHECK(found.subsets == expected);
    // The frontier order finds that out by itself, wherever a3 stands. (That of 2017 cannot: all 320 samples meet each
    // of the three features.)
    for (const auto& place : std::vector<std::vector<std::size_t>>{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}})
        CHECK_EQ(enumerate(example_1(place), PaperOrder::frontier_2019).counts.n_built, 6U);
}

TEST_CASE("Examples 3 and 4: the frontier order of the tree of Figure 3(a) is a4, a2, a3, a1") {
    const Example example = figure_3({{0, 1, 0, 0, 0}});
    Budget budget;
    Progress progress;
    paper::PaperGrower<1> grower(example.problem, budget, progress);
    paper::PaperTree<1> tree;
    REQUIRE(grower.grow(set_of({0, 1, 2, 3}), tree));
    const std::vector<int> expected_shape{0, 1, -1, 0, -1, -1, 2, -1, 3, -1, -1};
    REQUIRE(shape(tree) == expected_shape);

    Units order;
    const auto order_by = [&](PaperOrder kind, const FeatureSet<1>& decided, const FeatureSet<1>& removable) {
        paper::RemovalOrder<1> removal_order(kind, 4);
        removal_order(tree, decided, removable, order);
        removal_order(tree, decided, removable, order);  // what the first call left behind does not matter
        return order;
    };
    const auto all = set_of({0, 1, 2, 3});
    CHECK(order_by(PaperOrder::frontier_2019, {}, all) == Units({3, 1, 2, 0}));
    CHECK(order_by(PaperOrder::reversed, {}, all) == Units({0, 2, 1, 3}));
    CHECK(order_by(PaperOrder::fixed, {}, all) == Units({0, 1, 2, 3}));
    // Samples at the splits: a1 16 + 4, a2 8, a3 8, a4 4.
    CHECK(order_by(PaperOrder::cases_2017, {}, all) == Units({3, 1, 2, 0}));
    // With a1 required: frontier(T, {a1}, a2) = 1 and frontier(T, {a1}, a3) = 2.
    CHECK(order_by(PaperOrder::frontier_2019, set_of({0}), set_of({1, 2, 3})) == Units({3, 1, 2}));
    CHECK(order_by(PaperOrder::frontier_2019, set_of({0, 2}), set_of({1, 3})) == Units({3, 1}));
}

TEST_CASE("Property 3: without a3, only the subtree at a3 is grown again") {
    const Example example = figure_3({{0, 1, 0, 0, 0}});
    Budget budget;
    Progress progress;
    paper::PaperGrower<1> grower(example.problem, budget, progress);
    paper::PaperTree<1> tree, without;
    REQUIRE(grower.grow(set_of({0, 1, 2, 3}), tree));
    const std::uint64_t before = grower.n_expansions();
    CHECK_EQ(before, 5U);
    REQUIRE(grower.grow_without(2, set_of({0, 1, 3}), tree, without));
    // The eight samples of the right side are split by a4; each half is mixed, and a2 does not help.
    const std::vector<int> expected{0, 1, -1, 0, -1, -1, 3, -1, -1};
    CHECK(shape(without) == expected);
    CHECK_EQ(grower.n_expansions() - before, 3U);
    CHECK(without.entries()[1].node == tree.entries()[1].node);
}

TEST_CASE("Example 9: greedy commits a4 and a3, and leaves a2 and a1 to be branched on") {
    // Two errors at a2's subtree, one at the leaf a3 = 0, one below a4.
    const Example example = figure_3(
        {{1, 1, 0, 0, 0}, {2, 1, 1, 0, 0}, {4, 3, 0, 0, 0}, {5, 3, 0, 1, 0}, {0, 2, 0, 0, 0}, {4, 3, 1, 1, 0}});
    PaperSettings settings;
    settings.initial_error = 2;
    Budget budget;
    Progress progress;
    paper::PaperGrower<1> grower(example.problem, budget, progress);
    paper::PaperTree<1> tree;
    REQUIRE(grower.grow(set_of({0, 1, 2, 3}), tree));
    const Weight one = example.dataset.scale().one();
    CHECK_EQ(tree.error(), 4 * one);

    paper::ErrorBound<1> bound(example.problem);
    CHECK_EQ(bound(tree, set_of({0, 1, 2})), 3 * one);  // Figure 3(b)
    CHECK_EQ(bound(tree, set_of({0, 2})), 1 * one);
    CHECK_EQ(bound(tree, set_of({0, 1})), 2 * one);  // Figure 3(c)
    CHECK_EQ(bound(tree, set_of({1})), 0);

    paper::AcceptableSubset<1> search(example.problem, settings, budget, progress);
    const Units order{3, 1, 2, 0};
    const paper::Sublattice<1> everything{{}, set_of({0, 1, 2, 3})};
    CHECK(search.worth_branching(tree, everything, order) == set_of({0, 1}));
    // With δ = 1 the second step is committed, too, and a3 is not.
    settings.error_gap = 1;
    paper::AcceptableSubset<1> loose(example.problem, settings, budget, progress);
    CHECK(loose.worth_branching(tree, everything, order) == set_of({0, 2}));
    // A penalty of 1 counts for the trial: 3 + 3, 1 + 2 and 0 + 1 (a2 and a4 gone, then a3, then a1).
    settings.error_gap = 0;
    settings.feature_penalty = 1;
    paper::AcceptableSubset<1> penalised(example.problem, settings, budget, progress);
    CHECK(penalised.worth_branching(tree, everything, order) == set_of({0, 2}));
}
