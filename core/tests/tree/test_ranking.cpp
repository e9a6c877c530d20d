// The ranking against brute force: every cut of random small nodes is tried in the open, for every criterion and
// growth rule, with and without weights, in shapes that lead through every internal way to group the samples.

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <vector>

#include "check.hpp"
#include "palmette/tree/ranking.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;
using problems::random_problem;
using problems::Shape;

namespace {

/// What semantics.md §1 says of one feature, by trying everything.
struct Truth {
    std::int64_t quality = 0, gain = 0;
    std::uint32_t lower = 0;  // continuous: the greatest code of the dataset on the left of the best cut
};

using ClassWeights = std::vector<Weight>;

Weight total_of(const ClassWeights& weights) {
    return std::accumulate(weights.begin(), weights.end(), Weight{0});
}

class BruteForce {
  public:
    BruteForce(const Dataset& dataset, const GrowthOptions& options) : dataset_(dataset), options_(options) {}

    [[nodiscard]] Truth judge(std::uint32_t feature, const std::vector<std::uint32_t>& rows,
                              const std::vector<Weight>& weights) const {
        const Column& column = dataset_.column(feature);
        std::map<std::uint32_t, ClassWeights> groups;
        ClassWeights known(dataset_.n_classes(), 0);
        Weight total = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Weight weight = weights.empty() ? scale().one() : weights[i];
            total += weight;
            const std::uint32_t code = column.codes[rows[i]];
            if (code == 0) continue;
            auto& group = groups.try_emplace(code, ClassWeights(dataset_.n_classes(), 0)).first->second;
            group[dataset_.labels()[rows[i]]] += weight;
            known[dataset_.labels()[rows[i]]] += weight;
        }
        return column.kind == FeatureKind::nominal ? judge_branches(groups, known, total)
                                                   : judge_cuts(groups, known, total);
    }

  private:
    [[nodiscard]] const WeightScale& scale() const { return dataset_.scale(); }
    [[nodiscard]] bool c45() const { return options_.growth == Growth::c45; }

    [[nodiscard]] std::int64_t xlogx(Weight weight) const {
        if (weight <= 0) return 0;
        const double x = static_cast<double>(weight) / scale().factor();
        return std::llround(x * std::log2(x) * scale().factor());
    }
    /// Minus the impurity of a set.
    [[nodiscard]] std::int64_t score(const ClassWeights& weights) const {
        const Weight total = total_of(weights);
        if (options_.criterion == Criterion::gini) {
            double squares = 0;
            for (const Weight weight : weights) {
                const double x = static_cast<double>(weight) / scale().factor();
                squares += x * x;
            }
            const double x = static_cast<double>(total) / scale().factor();
            return total > 0 ? std::llround(squares / x * scale().factor()) : 0;
        }
        std::int64_t sum = -xlogx(total);
        for (const Weight weight : weights) sum += xlogx(weight);
        return sum;
    }

    [[nodiscard]] Truth judge_branches(const std::map<std::uint32_t, ClassWeights>& groups, const ClassWeights& known,
                                       Weight total) const {
        std::int64_t gain = -score(known);
        std::vector<Weight> branches;
        int n_large = 0;
        for (const auto& [code, weights] : groups) {
            gain += score(weights);
            branches.push_back(total_of(weights));
            if (scale().reaches(branches.back(), c45() ? options_.min_samples : 0.0)) ++n_large;
        }
        return n_large < 2 ? Truth{} : finish(gain, 1, branches, known, total);
    }

    [[nodiscard]] Truth judge_cuts(const std::map<std::uint32_t, ClassWeights>& groups, const ClassWeights& known,
                                   Weight total) const {
        const Weight known_total = total_of(known);
        if (c45() && !scale().reaches(known_total, 2 * options_.min_samples)) return {};
        double side = 0.1 * scale().to_double(known_total) / static_cast<double>(dataset_.n_classes());
        if (side <= options_.min_samples)
            side = options_.min_samples;
        else if (side > 25)
            side = 25;
        ClassWeights left(known.size(), 0), right = known;
        std::optional<std::int64_t> best;
        std::uint32_t lower = 0;
        Weight best_left = 0;
        std::uint64_t tried = 0;
        for (auto at = groups.begin(); at != groups.end() && std::next(at) != groups.end(); ++at) {
            for (std::size_t k = 0; k < left.size(); ++k) {
                left[k] += at->second[k];
                right[k] -= at->second[k];
            }
            if (c45() && !(scale().reaches(total_of(left), side) && scale().reaches(total_of(right), side))) continue;
            ++tried;
            const std::int64_t here = score(left) + score(right);
            if (best && here <= *best) continue;
            best = here;
            lower = at->first;
            best_left = total_of(left);
        }
        if (!best) return {};
        Truth truth = finish(*best - score(known), tried, {best_left, known_total - best_left}, known, total);
        truth.lower = lower;
        return truth;
    }

    [[nodiscard]] Truth finish(std::int64_t gain, std::uint64_t tried, const std::vector<Weight>& branches,
                               const ClassWeights& known, Weight total) const {
        std::int64_t corrected = gain;
        if (c45() && options_.criterion != Criterion::gini)
            corrected -= std::llround(std::log2(static_cast<double>(tried)) * scale().factor());
        const std::int64_t least = std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(total)),
                                                          std::int64_t{1} << (scale().fraction_bits() - 20));
        if (corrected <= least) return {};
        Truth truth{corrected, gain, 0};
        if (options_.criterion != Criterion::gain_ratio) return truth;
        std::int64_t information = xlogx(total) - xlogx(total - total_of(known));
        for (const Weight branch : branches) information -= xlogx(branch);
        const auto g = static_cast<double>(corrected), s = static_cast<double>(information);
        const double floor = 1e-3 * static_cast<double>(total);
        truth.quality = g > floor && s > floor ? std::bit_cast<std::int64_t>(g / s) : 0;
        return truth;
    }

    const Dataset& dataset_;
    GrowthOptions options_;
};

std::uint32_t block_code(const BlockColumn& column, std::size_t id) {
    return visit_codes(column.codes, column.width, [id](const auto* codes) { return std::uint32_t{codes[id]}; });
}

/// The greatest code of the dataset that goes left.
std::uint32_t lower_of(const Candidate& candidate, const Block& block, const NodeSamples& samples,
                       const Dataset& dataset) {
    std::uint32_t lower = 0;
    for (std::size_t i = 0; i < samples.size(block); ++i) {
        const std::uint32_t code = block_code(block.column(candidate.slot), samples.id(i));
        if (code != 0 && code <= candidate.cut)
            lower = std::max(lower, dataset.column(candidate.feature).codes[block.row(samples.id(i))]);
    }
    return lower;
}

std::vector<std::uint32_t> all_slots(const Block& block) {
    std::vector<std::uint32_t> slots(block.n_columns());
    std::iota(slots.begin(), slots.end(), 0U);
    return slots;
}

std::vector<GrowthOptions> all_options() {
    std::vector<GrowthOptions> all;
    for (const Criterion criterion : {Criterion::information_gain, Criterion::gain_ratio, Criterion::gini})
        for (const Growth growth : {Growth::c45, Growth::literal})
            for (const double min_samples : {1.0, 2.0, 3.5})
                all.push_back({.criterion = criterion, .growth = growth, .min_samples = min_samples});
    return all;
}

/// A node of the problem, judged in the dataset's block and in a block of its own, there by the classes that are present,
/// against brute force. The first `n_ones` samples weigh one and come class by class.
void check_node(const Dataset& dataset, const std::vector<std::uint32_t>& rows, const std::vector<Weight>& weights,
                std::size_t n_ones, const GrowthOptions& options, RankingScratch& scratch) {
    const Ranker ranker(dataset, options);
    const BruteForce truth(dataset, options);
    const Block whole(dataset);
    const Block own(whole, rows, all_slots(whole), nullptr);
    const std::vector<Weight> of_rest(weights.begin() + static_cast<std::ptrdiff_t>(n_ones), weights.end());
    const NodeSamples in_dataset{rows, of_rest, false, n_ones};
    const NodeSamples in_own{{}, of_rest, true, n_ones};
    NodeTotals totals;
    totals.by_class = n_ones > 0;
    for (const bool moved : {false, true}) {
        const Block& block = moved ? own : whole;
        const NodeSamples& samples = moved ? in_own : in_dataset;
        totals.compute(block, samples, dataset);
        if (moved) totals.number_present_classes();
        for (std::uint32_t slot = 0; slot < block.n_columns(); ++slot) {
            const Candidate candidate = ranker.evaluate(block, samples, totals, slot, scratch);
            const Truth expected = truth.judge(candidate.feature, rows, weights);
            CHECK_EQ(candidate.quality, expected.quality);
            if (!candidate.eligible()) continue;
            CHECK_EQ(candidate.gain, expected.gain);
            CHECK(!candidate.constant);
            if (dataset.column(candidate.feature).kind == FeatureKind::continuous)
                CHECK_EQ(lower_of(candidate, block, samples, dataset), expected.lower);
        }
    }
}

/// Nodes in random problems of a shape. One scratch for all: nothing may be left in it.
void check_shape(std::uint64_t seed, Shape shape, std::size_t n_at_node, int rounds, std::size_t n_ones = 0) {
    Random random(seed);
    RankingScratch scratch;
    const auto options = all_options();
    for (int round = 0; round < rounds; ++round) {
        const Dataset dataset = random_problem(random, shape).dataset();
        std::vector<std::uint32_t> rows;
        std::vector<Weight> weights;
        while (rows.size() < n_at_node) {
            rows.push_back(static_cast<std::uint32_t>(random.integer(0, static_cast<int>(shape.n_rows) - 1)));
            if (!shape.weighted) continue;
            // Whole weights, fractions, and next to nothing.
            const double weight = random.chance(0.1)   ? 1e-8 * random.real()
                                  : random.chance(0.5) ? random.integer(1, 3)
                                                       : 4 * random.real();
            weights.push_back(std::max<Weight>(1, dataset.scale().from_double(weight)));
        }
        const auto end_of_ones = rows.begin() + static_cast<std::ptrdiff_t>(n_ones);
        std::sort(rows.begin(), end_of_ones,
                  [&](std::uint32_t a, std::uint32_t b) { return dataset.labels()[a] < dataset.labels()[b]; });
        std::fill_n(weights.begin(), n_ones, dataset.scale().one());
        check_node(dataset, rows, weights, n_ones, options[static_cast<std::size_t>(round) % options.size()], scratch);
    }
}

}  // namespace

// Two classes and unit weights: packed bins. Codes at most twice as many as samples: a plain sweep, in four banks from
// 256 samples on; more: marked codes.
TEST_CASE("two classes, unit weights, few codes: as by brute force") {
    check_shape(1, {.n_rows = 100, .n_values = 12}, 40, 180);
    check_shape(2, {.n_rows = 100, .n_values = 12, .missing_share = 0.2}, 40, 180);
    check_shape(3, {.n_rows = 600, .n_values = 40, .missing_share = 0.1}, 500, 54);
}

TEST_CASE("two classes, unit weights, more codes than samples: as by brute force") {
    check_shape(4, {.n_rows = 300, .n_values = 0, .n_categories = 200}, 60, 180);
    check_shape(5, {.n_rows = 300, .n_values = 0, .n_categories = 200, .missing_share = 0.2}, 60, 180);
}

TEST_CASE("two classes, unit weights, very small nodes of a wide column: as by brute force") {
    for (std::size_t n = 1; n <= 24; ++n) check_shape(100 + n, {.n_rows = 400, .n_values = 0}, n, 18);
}

// More than 65 535 samples need the wider bins where codes are few, or where one of many comes as often.
TEST_CASE("two classes, unit weights, a large node: as by brute force") {
    check_shape(6, {.n_rows = 70000, .n_continuous = 1, .n_values = 50}, 70000, 2);
    check_shape(7, {.n_rows = 70000, .n_continuous = 1, .n_values = 0, .missing_share = 0.1}, 70000, 1);
}

TEST_CASE("two classes, unit weights, a code of 65 536 samples and more among many: as by brute force") {
    Random random(8);
    RankingScratch scratch;
    for (const int n_frequent : {65535, 65536, 70000, 140000}) {
        Problem problem;
        problem.columns.resize(2);
        problem.columns[1].n_categories = 2000;
        for (int i = 0; i < n_frequent + 3000; ++i) {
            problem.columns[0].values.push_back(i < n_frequent ? 0.5 : random.real());
            problem.columns[1].categories.push_back(i < n_frequent ? 7 : random.integer(0, 1999));
            problem.labels.push_back(static_cast<Label>(random.chance(i < n_frequent ? 0.3 : 0.6)));
        }
        const Dataset dataset = problem.dataset();
        std::vector<std::uint32_t> rows(dataset.n_rows());
        std::iota(rows.begin(), rows.end(), 0U);
        check_node(dataset, rows, {}, 0, {.criterion = Criterion::gain_ratio, .growth = Growth::literal}, scratch);
        check_node(dataset, {rows.begin(), rows.begin() + 40}, {}, 0, {}, scratch);  // nothing was left behind
    }
}

// Two classes and weights: bins for both classes, in one bank or two; marked codes; sorted keys from 64n + 64 codes on;
// cuts are judged 256 at a time.
TEST_CASE("two classes, weights, few codes: as by brute force") {
    check_shape(30, {.n_rows = 100, .n_values = 12, .weighted = true}, 40, 180);
    check_shape(31, {.n_rows = 200, .n_values = 12, .missing_share = 0.2, .weighted = true}, 150, 180);
    check_shape(32, {.n_rows = 200, .n_values = 12, .missing_share = 0.2, .weighted = true}, 150, 180, 100);
    check_shape(33, {.n_rows = 100, .n_values = 3, .n_categories = 2, .missing_share = 0.2, .weighted = true}, 60, 180,
                40);
    check_shape(34, {.n_rows = 100, .n_values = 3, .n_categories = 3, .missing_share = 0.2, .weighted = true}, 3, 360,
                2);
}

TEST_CASE("two classes, weights, more codes than samples: as by brute force") {
    check_shape(35, {.n_rows = 1500, .n_values = 0, .n_categories = 200, .missing_share = 0.1, .weighted = true}, 60,
                180, 30);
    check_shape(36, {.n_rows = 1500, .n_values = 0, .missing_share = 0.1, .weighted = true}, 1400, 36, 700);
    for (std::size_t n = 1; n <= 24; ++n)
        check_shape(200 + n, {.n_rows = 2000, .n_values = 0, .weighted = true}, n, 18, n / 2);
}

// Codes × classes at most 4n, at most 1024 samples, nothing missing: every cut is judged from a table of counts.
TEST_CASE("several classes, few codes: as by brute force") {
    check_shape(40, {.n_rows = 100, .n_values = 6, .n_classes = 3}, 60, 540);
    check_shape(41, {.n_rows = 300, .n_values = 16, .n_classes = 10}, 200, 180);
    check_shape(42, {.n_rows = 900, .n_values = 30, .n_classes = 31}, 800, 54);
    check_shape(43, {.n_rows = 1100, .n_values = 3, .n_classes = 33}, 1024, 54);
    for (std::size_t n = 2; n <= 24; ++n) check_shape(300 + n, {.n_rows = 200, .n_values = 4, .n_classes = 4}, n, 36);
}

// Codes × classes at most 4n + 64: a dense table.
TEST_CASE("several classes, a dense table: as by brute force") {
    check_shape(8, {.n_rows = 100, .n_values = 8, .n_classes = 4}, 60, 180);
    check_shape(9, {.n_rows = 100, .n_values = 8, .n_classes = 4, .missing_share = 0.2}, 60, 180);
    check_shape(10, {.n_rows = 100, .n_values = 8, .n_classes = 3, .missing_share = 0.2, .weighted = true}, 60, 180);
    check_shape(11, {.n_rows = 100, .n_values = 20, .weighted = true}, 60, 180);
}

// A larger table but at most 4n codes: a counting sort.
TEST_CASE("several classes, a counting sort: as by brute force") {
    check_shape(12, {.n_rows = 150, .n_values = 0, .n_categories = 100, .n_classes = 6}, 80, 180);
    check_shape(13, {.n_rows = 150, .n_values = 90, .n_categories = 100, .n_classes = 7, .missing_share = 0.2}, 80,
                180);
    check_shape(
        14, {.n_rows = 150, .n_values = 0, .n_categories = 100, .n_classes = 6, .missing_share = 0.2, .weighted = true},
        80, 180);
}

// More codes than that, or at most 24 samples: keys are sorted, by insertion or by radix.
TEST_CASE("several classes, sorted keys: as by brute force") {
    check_shape(15, {.n_rows = 3000, .n_values = 0, .n_categories = 2000, .n_classes = 5}, 20, 180);
    check_shape(16, {.n_rows = 3000, .n_values = 0, .n_categories = 2000, .n_classes = 5}, 200, 90);
    check_shape(17, {.n_rows = 3000, .n_values = 0, .n_categories = 2000, .missing_share = 0.2, .weighted = true}, 20,
                180);
    check_shape(
        18,
        {.n_rows = 3000, .n_values = 0, .n_categories = 2000, .n_classes = 3, .missing_share = 0.2, .weighted = true},
        200, 90);
}

TEST_CASE("columns that are constant at a node are said to be, and have no quality") {
    Problem problem;
    problem.columns.resize(3);
    problem.columns[1].n_categories = 3;
    for (int i = 0; i < 60; ++i) {
        problem.columns[0].values.push_back(i < 40 ? 7.0 : i);
        problem.columns[1].categories.push_back(i < 40 ? 2 : i % 3);
        problem.columns[2].values.push_back(i < 40 ? problems::missing : i);
        problem.labels.push_back(static_cast<Label>(i % 2));
    }
    const Dataset dataset = problem.dataset();
    const Block block(dataset);
    std::vector<std::uint32_t> rows(40);
    std::iota(rows.begin(), rows.end(), 0U);
    RankingScratch scratch;
    NodeTotals totals;
    for (const auto& options : all_options()) {
        const Ranker ranker(dataset, options);
        for (const bool weighted : {false, true}) {
            const NodeSamples samples{
                rows, weighted ? std::vector<Weight>(40, 3 * dataset.scale().one()) : std::vector<Weight>{}, false};
            totals.compute(block, samples, dataset);
            for (std::uint32_t slot = 0; slot < 2; ++slot) {
                const Candidate candidate = ranker.evaluate(block, samples, totals, slot, scratch);
                CHECK(candidate.constant);
                CHECK(!candidate.eligible());
            }
            CHECK(!ranker.evaluate(block, samples, totals, 2, scratch).eligible());
        }
    }
}

TEST_CASE("the totals of a node: counts, majority with the lowest index on ties, purity") {
    Problem problem;
    problem.n_classes = 4;
    problem.labels = {2, 1, 2, 1, 3};
    const Dataset dataset = problem.dataset();
    const Block block(dataset);
    NodeTotals totals;
    totals.compute(block, {{}, {}, true}, dataset);
    CHECK_EQ(totals.majority, Label{1});
    CHECK(!totals.pure);
    CHECK_EQ(totals.weight, 5 * dataset.scale().one());
    CHECK_EQ(totals.class_weights[2], 2 * dataset.scale().one());
    totals.compute(block, {{1, 3}, {}, false}, dataset);
    CHECK(totals.pure);
    totals.compute(block, {{0, 1}, {5, 4}, false}, dataset);
    CHECK_EQ(totals.majority, Label{2});
    CHECK_EQ(totals.weight, Weight{9});
}

TEST_CASE("the classes of a node can be numbered among themselves") {
    Problem problem;
    problem.n_classes = 6;
    problem.labels = {4, 1, 4, 1, 4, 5};
    const Dataset dataset = problem.dataset();
    const Block block(dataset);
    NodeTotals totals;
    totals.compute(block, {{}, {}, true}, dataset);
    totals.number_present_classes();
    const Weight one = dataset.scale().one();
    CHECK(totals.labels == std::vector<Label>({1, 0, 1, 0, 1, 2}));
    CHECK(totals.class_counts == std::vector<std::uint32_t>({2, 3, 1}));
    CHECK(totals.class_weights == std::vector<Weight>({2 * one, 3 * one, one}));
    CHECK_EQ(totals.majority, Label{1});
    CHECK_EQ(totals.weight, 6 * one);
    totals.compute(block, {{1, 5}, {7, 9}, false}, dataset);
    totals.number_present_classes();
    CHECK(totals.labels == std::vector<Label>({0, 1}));
    CHECK(totals.class_weights == std::vector<Weight>({7, 9}));
    CHECK_EQ(totals.majority, Label{1});
}

TEST_CASE("a node is a leaf if pure or too light") {
    Problem problem;
    problem.labels = {0, 0, 0, 1};
    const Dataset dataset = problem.dataset();
    const Block block(dataset);
    NodeTotals totals;
    totals.compute(block, {{}, {}, true}, dataset);
    CHECK(!Ranker(dataset, {.min_samples = 2}).is_leaf(totals));
    CHECK(Ranker(dataset, {.min_samples = 2.1}).is_leaf(totals));
    CHECK(!Ranker(dataset, {.growth = Growth::literal, .min_samples = 4}).is_leaf(totals));
    CHECK(Ranker(dataset, {.growth = Growth::literal, .min_samples = 5}).is_leaf(totals));
    totals.compute(block, {{0, 1, 2}, {}, false}, dataset);
    CHECK(Ranker(dataset, {.growth = Growth::literal, .min_samples = 1}).is_leaf(totals));
}

TEST_CASE("a ranking holds the eligible candidates, best first, the lowest index on ties") {
    Random random(20);
    RankingScratch scratch;
    for (int round = 0; round < 50; ++round) {
        Problem problem = random_problem(random, {.n_rows = 60, .n_continuous = 3, .n_nominal = 2});
        problem.columns.push_back(problem.columns[0]);  // two columns that always tie
        problem.columns.insert(problem.columns.begin(), problem.columns[4]);
        const Dataset dataset = problem.dataset();
        const Block block(dataset);
        const NodeSamples samples{{}, {}, true};
        NodeTotals totals;
        totals.compute(block, samples, dataset);
        for (const auto& options : all_options()) {
            const Ranker ranker(dataset, options);
            const auto ranking = ranker.rank(block, samples, totals, all_slots(block), scratch);
            std::size_t n_eligible = 0;
            for (std::uint32_t slot = 0; slot < block.n_columns(); ++slot)
                n_eligible += ranker.evaluate(block, samples, totals, slot, scratch).eligible();
            CHECK_EQ(ranking.size(), n_eligible);
            for (std::size_t i = 1; i < ranking.size(); ++i) {
                CHECK(ranking[i - 1].quality >= ranking[i].quality);
                if (ranking[i - 1].quality == ranking[i].quality) CHECK(ranking[i - 1].feature < ranking[i].feature);
            }
        }
    }
}

TEST_CASE("explicit weights of one at a node give the qualities of unit weights") {
    Random random(21);
    RankingScratch scratch;
    for (int round = 0; round < 100; ++round) {
        const Dataset dataset = random_problem(random, {.n_rows = 80,
                                                        .n_values = round % 2 == 0 ? 0 : 9,
                                                        .n_classes = round % 3 == 0 ? 2UL : 3UL,
                                                        .missing_share = 0.1})
                                    .dataset();
        const Block block(dataset);
        std::vector<std::uint32_t> rows;
        for (int i = 0; i < 50; ++i) rows.push_back(static_cast<std::uint32_t>(random.integer(0, 79)));
        const NodeSamples unit{rows, {}, false};
        const NodeSamples ones{rows, std::vector<Weight>(rows.size(), dataset.scale().one()), false};
        NodeTotals unit_totals, ones_totals;
        unit_totals.compute(block, unit, dataset);
        ones_totals.compute(block, ones, dataset);
        for (const auto& options : all_options()) {
            const Ranker ranker(dataset, options);
            for (std::uint32_t slot = 0; slot < block.n_columns(); ++slot) {
                const Candidate a = ranker.evaluate(block, unit, unit_totals, slot, scratch);
                const Candidate b = ranker.evaluate(block, ones, ones_totals, slot, scratch);
                CHECK_EQ(a.quality, b.quality);
                CHECK_EQ(a.gain, b.gain);
                if (a.eligible()) CHECK_EQ(a.cut, b.cut);
            }
        }
    }
}
