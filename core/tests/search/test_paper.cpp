// The algorithms of Ruggieri (2019) against brute force: the library's own growing and predicting, subset by subset.

#include "palmette/search/paper.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "check.hpp"
#include "palmette/search/paper_bound.hpp"
#include "palmette/search/paper_grower.hpp"
#include "palmette/search/paper_lattice.hpp"
#include "palmette/search/paper_subsets.hpp"
#include "palmette/tree/grower.hpp"
#include "palmette/tree/prediction.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;

namespace {

using Units = std::vector<std::uint32_t>;

constexpr PaperOrder all_orders[] = {PaperOrder::frontier_2019, PaperOrder::cases_2017, PaperOrder::reversed,
                                     PaperOrder::fixed};
constexpr PaperAlgorithm all_algorithms[] = {PaperAlgorithm::accept, PaperAlgorithm::exhaustive, PaperAlgorithm::cache};

/// A search problem with all that can be varied, drawn from a seed.
struct Case {
    Problem raw;
    Dataset dataset;
    GrowthOptions growth;
    ThresholdRule rule;
    std::vector<Fold> folds;
    std::vector<std::uint32_t> unit_of;
    SearchProblem problem;
    PaperSettings settings;

    explicit Case(Random& random)
        : raw(draw(random)),
          dataset(raw.dataset()),
          growth(draw_growth(random)),
          rule(random.chance(0.5) ? ThresholdRule::c45 : ThresholdRule::midpoint),
          problem(dataset, growth, rule) {
        for (std::uint32_t f = 0; f < dataset.n_features(); ++f)
            if (raw.columns[f].n_categories == 0)
                problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
        const std::size_t n_folds = random.chance(0.3) ? 2 : 1;
        for (std::size_t fold = 0; fold < n_folds; ++fold) {
            Fold rows;
            for (std::uint32_t row = 0; row < dataset.n_rows(); ++row)
                (random.chance(0.6) ? rows.building : rows.search).push_back(row);
            if (rows.building.empty() || rows.search.empty()) rows = {{0, 1}, {1, 2}};
            problem.add_fold(rows.building, rows.search);
            folds.push_back(rows);
        }
        for (std::uint32_t f = 0; f < dataset.n_features(); ++f) unit_of.push_back(f);
        if (random.chance(0.3)) {
            // Features go to units at random; units without one are closed up.
            std::map<std::uint32_t, std::uint32_t> number;
            for (std::uint32_t& unit : unit_of) {
                unit = static_cast<std::uint32_t>(random.integer(0, static_cast<int>(unit_of.size()) - 1));
                unit = number.try_emplace(unit, static_cast<std::uint32_t>(number.size())).first->second;
            }
            problem.set_units(unit_of);
        }
        if (random.chance(0.3))
            for (std::uint32_t unit = 0; unit < problem.n_units(); ++unit)
                if (random.chance(0.25)) settings.keep.push_back(unit);
        if (random.chance(0.3)) settings.feature_penalty = random.integer(1, 12) / 8.0;
        if (random.chance(0.3))
            settings.max_features = static_cast<std::size_t>(random.integer(1, static_cast<int>(unit_of.size())));
    }

    static Problem draw(Random& random) {
        problems::Shape shape;
        shape.n_rows = static_cast<std::size_t>(random.integer(20, 90));
        shape.n_continuous = static_cast<std::size_t>(random.integer(0, 4));
        shape.n_nominal = static_cast<std::size_t>(random.integer(shape.n_continuous == 0 ? 2 : 0, 3));
        shape.n_values = random.chance(0.3) ? 0 : random.integer(2, 9);  // few values: ties
        shape.n_categories = random.integer(2, 9);                       // many: branches without samples
        shape.n_classes = static_cast<std::size_t>(random.integer(2, 4));
        shape.missing_share = random.chance(0.5) ? 0.0 : 0.25 * random.real();
        shape.weighted = random.chance(0.3);
        Problem problem = random_problem(random, shape);
        if (problem.columns.size() > 1 && random.chance(0.3)) problem.columns.back() = problem.columns.front();
        return problem;
    }

    static GrowthOptions draw_growth(Random& random) {
        GrowthOptions growth;
        growth.growth = random.chance(0.5) ? Growth::literal : Growth::c45;
        growth.criterion = static_cast<Criterion>(random.integer(0, 2));
        growth.min_samples = random.integer(1, 3);
        if (random.chance(0.2)) growth.max_depth = static_cast<std::uint32_t>(random.integer(0, 4));
        return growth;
    }

    [[nodiscard]] std::size_t size(std::set<std::uint32_t> units) const {
        units.insert(settings.keep.begin(), settings.keep.end());
        std::size_t count = 0;
        for (const std::uint32_t unit : unit_of) count += units.contains(unit);
        return count;
    }
};

/// What growing and predicting say of a subset: the slow, obvious way, without any code of the search.
struct Truth {
    double error = 0.0;
    std::set<std::uint32_t> used;
    std::vector<TreeArrays> trees;

    bool operator==(const Truth& other) const { return std::ranges::equal(trees, other.trees, problems::same_tree); }
};

Truth truth_of(const Case& at, std::uint64_t subset) {
    Truth truth;
    std::vector<std::uint32_t> features;
    for (std::uint32_t f = 0; f < at.unit_of.size(); ++f)
        if ((subset >> at.unit_of[f] & 1U) != 0) features.push_back(f);

    const auto part = [&](const std::vector<std::uint32_t>& rows) {
        Problem some;
        some.n_classes = at.raw.n_classes;
        for (const std::uint32_t f : features) {
            problems::RawColumn column;
            column.n_categories = at.raw.columns[f].n_categories;
            for (const std::uint32_t row : rows)
                if (column.n_categories > 0)
                    column.categories.push_back(at.raw.columns[f].categories[row]);
                else
                    column.values.push_back(at.raw.columns[f].values[row]);
            some.columns.push_back(std::move(column));
        }
        for (const std::uint32_t row : rows) {
            some.labels.push_back(at.raw.labels[row]);
            if (!at.raw.weights.empty()) some.weights.push_back(at.raw.weights[row]);
        }
        return some;
    };
    for (const Fold& fold : at.folds) {
        const Problem building = part(fold.building), search = part(fold.search);
        const Dataset dataset = building.dataset();
        Budget budget;
        Progress progress;
        WorkerPool pool(1);
        GrownTree grown = grow_tree(dataset, at.growth, budget, progress, pool);
        for (const std::uint32_t f : grown.used_features()) truth.used.insert(at.unit_of[features[f]]);
        building.resolve(grown, dataset, at.rule);
        const Tree tree = grown.flatten(dataset);
        truth.trees.push_back(tree.arrays());
        for (std::int32_t& f : truth.trees.back().feature)
            if (f >= 0) f = static_cast<std::int32_t>(features[static_cast<std::size_t>(f)]);
        const Tree* const trees[] = {&tree};
        const std::vector<double> probabilities =
            predict_probabilities(trees, search.to_predict_from(), search.labels.size(), budget, pool);
        for (std::size_t i = 0; i < search.labels.size(); ++i) {
            const auto* first = probabilities.data() + i * search.n_classes;
            if (std::max_element(first, first + search.n_classes) - first != search.labels[i])
                truth.error += search.weights.empty() ? 1.0 : search.weights[i];
        }
    }
    return truth;
}

/// The truth of every subset that holds `keep`.
std::map<std::uint64_t, Truth> all_truths(const Case& at) {
    std::uint64_t keep = 0;
    for (const std::uint32_t unit : at.settings.keep) keep |= std::uint64_t{1} << unit;
    std::map<std::uint64_t, Truth> truths;
    for (std::uint64_t subset = 0; subset < std::uint64_t{1} << at.problem.n_units(); ++subset)
        if ((subset & keep) == keep) truths.emplace(subset, truth_of(at, subset));
    return truths;
}

Units with_keep(const Case& at, std::set<std::uint32_t> units) {
    units.insert(at.settings.keep.begin(), at.settings.keep.end());
    return {units.begin(), units.end()};
}

FeatureSet<1> set_of(std::uint64_t bits) {
    FeatureSet<1> set;
    set.words()[0] = bits;
    return set;
}

}  // namespace

TEST_CASE("Algorithm 1 enumerates all subsets in reverse counting order") {
    // The output for n = 3 of Section 3, a1 being the highest digit: element i is a(3 - i) here.
    std::vector<std::uint64_t> seen;
    auto visit = [&](const FeatureSet<1>& subset) {
        seen.push_back(subset.words()[0]);
        return true;
    };
    // Positional order, the last removed first: {a1, a2, a3}, {a1, a2}, {a1, a3}, {a1}, {a2, a3}, {a2}, {a3}, {}.
    CHECK(paper::enumerate_subsets(paper::Sublattice<1>{{}, set_of(0b111)}, visit));
    const std::vector<std::uint64_t> expected{0b111, 0b011, 0b101, 0b001, 0b110, 0b010, 0b100, 0b000};
    CHECK(seen == expected);

    seen.clear();
    CHECK(paper::enumerate_subsets(paper::Sublattice<1>{set_of(0b1000), set_of(0b110101)}, visit));
    CHECK_EQ(seen.size(), std::size_t{16});
    CHECK_EQ(std::set(seen.begin(), seen.end()).size(), std::size_t{16});
    for (const std::uint64_t subset : seen) CHECK((subset & 0b1000) != 0 && (subset & ~std::uint64_t{0b111101}) == 0);
}

TEST_CASE("a tree of the paper, grown or re-grown, errs as the library's tree of the subset does") {
    Random random(11);
    for (int round = 0; round < 120; ++round) {
        const Case at(random);
        const auto truths = all_truths(at);
        const double one = at.dataset.scale().factor();
        Budget budget;
        Progress progress;
        paper::PaperGrower<1> grower(at.problem, budget, progress);
        const std::uint64_t all = (std::uint64_t{1} << at.problem.n_units()) - 1;
        const auto check = [&](const paper::PaperTree<1>& tree, std::uint64_t subset) {
            const Truth& truth = truths.at(subset);
            CHECK_EQ(static_cast<double>(tree.error()) / one, truth.error);
            std::set<std::uint32_t> used;
            tree.used().for_each([&](std::size_t unit) { used.insert(static_cast<std::uint32_t>(unit)); });
            CHECK(used == truth.used);
        };
        paper::PaperTree<1> tree;
        for (const auto& [subset, truth] : truths) {
            REQUIRE(grower.grow(set_of(subset), tree));
            check(tree, subset);
        }
        // Units go one by one, in any order, down to the smallest subset.
        for (int walk = 0; walk < 6; ++walk) {
            std::vector<std::unique_ptr<paper::PaperTree<1>>> trees;
            trees.push_back(std::make_unique<paper::PaperTree<1>>());
            std::uint64_t subset = all;
            REQUIRE(grower.grow(set_of(subset), *trees.back()));
            for (;;) {
                std::vector<std::uint32_t> left;
                for (std::uint32_t unit = 0; unit < at.problem.n_units(); ++unit)
                    if (truths.contains(subset & ~(std::uint64_t{1} << unit)) && (subset >> unit & 1U) != 0)
                        left.push_back(unit);
                if (left.empty()) break;
                const std::uint32_t unit =
                    left[static_cast<std::size_t>(random.integer(0, static_cast<int>(left.size()) - 1))];
                subset &= ~(std::uint64_t{1} << unit);
                auto next = std::make_unique<paper::PaperTree<1>>();
                REQUIRE(grower.grow_without(unit, set_of(subset), *trees.back(), *next));
                check(*next, subset);
                trees.push_back(std::move(next));
            }
        }
    }
}

TEST_CASE("Theorem 7: in every order each distinct tree is reported exactly once") {
    Random random(12);
    std::uint64_t n_duplicates = 0;
    for (int round = 0; round < 150; ++round) {
        Case at(random);
        const auto truths = all_truths(at);
        std::vector<const Truth*> distinct;
        std::set<Units> expected;
        for (const auto& [subset, truth] : truths) {
            if (std::ranges::any_of(distinct, [&](const Truth* known) { return *known == truth; })) continue;
            distinct.push_back(&truth);
            if (at.size(truth.used) <= at.settings.max_features) expected.insert(with_keep(at, truth.used));
        }
        for (const PaperOrder order : all_orders) {
            at.settings.order = order;
            Budget budget;
            Progress progress;
            const PaperEnumeration found = enumerate_as_paper(at.problem, at.settings, true, budget, progress);
            CHECK(found.finished);
            CHECK_EQ(found.subsets.size(), expected.size());
            CHECK(std::set(found.subsets.begin(), found.subsets.end()) == expected);
            CHECK_EQ(found.counts.n_reported, expected.size());
            CHECK(found.counts.n_built >= found.counts.n_reported + found.counts.n_duplicates);
            CHECK_EQ(progress.trees_built.load(), found.counts.n_built);
            CHECK_EQ(progress.nodes_expanded.load(), found.counts.n_expansions);
            CHECK(progress.share() > 0.999999);
            std::vector<std::uint64_t> by_size(at.dataset.n_features() + 1, 0);
            for (const Units& units : expected) ++by_size[at.size({units.begin(), units.end()})];
            CHECK(found.trees_by_size == by_size);
            if (at.settings.max_features == PaperSettings::no_limit) {
                CHECK_EQ(expected.size(), distinct.size());
                CHECK_EQ(found.counts.n_built, found.counts.n_reported + found.counts.n_duplicates);
            }
            n_duplicates += found.counts.n_duplicates;
        }
    }
    CHECK(n_duplicates > 0);  // else the test never met the R ⊆ U of Algorithm 2
}

TEST_CASE("DTaccept, exhaustive and cached search agree on the best objective") {
    Random random(13);
    for (int round = 0; round < 400; ++round) {
        Case at(random);
        const auto truths = all_truths(at);
        std::optional<double> best;
        const auto objective_of = [&](const Truth& truth) {
            return truth.error + at.settings.feature_penalty * static_cast<double>(at.size(truth.used));
        };
        for (const auto& [subset, truth] : truths)
            if (at.size(truth.used) <= at.settings.max_features)
                best = std::min(best.value_or(objective_of(truth)), objective_of(truth));

        for (const PaperAlgorithm algorithm : all_algorithms)
            for (const PaperOrder order : all_orders) {
                if (algorithm != PaperAlgorithm::accept && order != PaperOrder::frontier_2019) continue;
                at.settings.algorithm = algorithm;
                at.settings.order = order;
                Budget budget;
                Progress progress;
                const PaperResult result = search_as_paper(at.problem, at.settings, budget, progress);
                CHECK(result.proved);
                CHECK_EQ(result.found, best.has_value());
                if (!best || !result.found) continue;
                CHECK_EQ(result.objective, *best);
                std::uint64_t subset = 0;
                for (const std::uint32_t unit : result.units) subset |= std::uint64_t{1} << unit;
                CHECK_EQ(result.error, truths.at(subset).error);
                CHECK(result.units == with_keep(at, truths.at(subset).used));
                CHECK(progress.share() > 0.999999);
                CHECK_EQ(result.counts.n_built, progress.trees_built.load());
                if (algorithm != PaperAlgorithm::accept) continue;

                // Theorem 11 with a gap, and a start from a known error.
                PaperSettings loose = at.settings;
                loose.error_gap = random.integer(0, 24) / 8.0;
                const PaperResult accepted = search_as_paper(at.problem, loose, budget, progress);
                CHECK(accepted.found && accepted.proved);
                CHECK(accepted.objective <= *best + loose.error_gap);
                PaperSettings warm = at.settings;
                warm.initial_error = *best + random.integer(0, 8) / 8.0;
                const PaperResult warmed = search_as_paper(at.problem, warm, budget, progress);
                CHECK(warmed.proved);
                CHECK(warmed.found ? warmed.objective == *best : warm.initial_error == *best);
                CHECK(warmed.counts.n_built <= result.counts.n_built);
                warm.initial_error = *best - 0.125;
                if (warm.initial_error < 0) continue;
                const PaperResult none = search_as_paper(at.problem, warm, budget, progress);
                CHECK(none.proved && !none.found);
                CHECK_EQ(none.objective, warm.initial_error);
            }
    }
}

TEST_CASE("lberr is a lower bound for every subset between the kept units and the tree's") {
    Random random(14);
    std::uint64_t n_positive = 0;
    for (int round = 0; round < 120; ++round) {
        const Case at(random);
        const auto truths = all_truths(at);
        Budget budget;
        Progress progress;
        paper::PaperGrower<1> grower(at.problem, budget, progress);
        paper::ErrorBound<1> bound(at.problem);
        const auto& scale = at.dataset.scale();
        paper::PaperTree<1> tree;
        for (const auto& [larger, unused] : truths) {
            REQUIRE(grower.grow(set_of(larger), tree));
            for (const auto& [kept, also_unused] : truths) {
                if ((kept & larger) != kept) continue;
                double least = std::numeric_limits<double>::infinity();
                for (const auto& [subset, truth] : truths)
                    if ((subset & kept) == kept && (subset & larger) == subset) least = std::min(least, truth.error);
                const ErrorWeight value = bound(tree, set_of(kept));
                CHECK(scale.to_double(value) <= least);
                CHECK(bound.reaches(tree, set_of(kept), value));
                CHECK(!bound.reaches(tree, set_of(kept), value + 1));
                if (kept == larger) CHECK_EQ(value, tree.error());
                n_positive += kept != larger && value > 0;
            }
        }
    }
    CHECK(n_positive > 1000);
}

TEST_CASE("the cache saves trees, incremental growing saves expansions, and the frontier order saves duplicates") {
    Random random(15);
    std::uint64_t exhaustive = 0, cached = 0, from_scratch = 0, incremental = 0;
    std::map<PaperOrder, std::uint64_t> duplicates;
    for (int round = 0; round < 40; ++round) {
        Case at(random);
        at.settings = {};
        Budget budget;
        Progress progress;
        for (const PaperOrder order : all_orders) {
            at.settings.order = order;
            const auto counts = enumerate_as_paper(at.problem, at.settings, false, budget, progress).counts;
            duplicates[order] += counts.n_duplicates;
            if (order == PaperOrder::frontier_2019) incremental += counts.n_expansions;
        }
        at.settings.algorithm = PaperAlgorithm::exhaustive;
        const auto all = search_as_paper(at.problem, at.settings, budget, progress).counts;
        CHECK_EQ(all.n_built, std::uint64_t{1} << at.problem.n_units());
        exhaustive += all.n_built;
        from_scratch += all.n_expansions;
        at.settings.algorithm = PaperAlgorithm::cache;
        const auto known = search_as_paper(at.problem, at.settings, budget, progress).counts;
        cached += known.n_built;
        // What exhaustive search and the cache call distinct is what Algorithm 2 reports.
        CHECK_EQ(known.n_reported, all.n_reported);
        CHECK_EQ(enumerate_as_paper(at.problem, at.settings, false, budget, progress).counts.n_reported,
                 all.n_reported);
    }
    CHECK(cached < exhaustive);
    CHECK(incremental < from_scratch);                                             // Examples 7 and 8
    CHECK(duplicates[PaperOrder::frontier_2019] < duplicates[PaperOrder::fixed]);  // Example 6
    CHECK(duplicates[PaperOrder::fixed] < duplicates[PaperOrder::reversed]);
    CHECK(duplicates[PaperOrder::frontier_2019] < duplicates[PaperOrder::cases_2017]);
}

TEST_CASE("a spent budget leaves the best so far, without a proof") {
    Random random(16);
    Problem raw = random_problem(random, {.n_rows = 600, .n_continuous = 24, .n_nominal = 0, .n_values = 0});
    const Dataset dataset = raw.dataset();
    SearchProblem problem(dataset, {.growth = Growth::literal}, ThresholdRule::c45);
    Units building, search;
    for (std::uint32_t row = 0; row < 600; ++row) (row % 3 == 0 ? search : building).push_back(row);
    for (std::uint32_t f = 0; f < 24; ++f)
        problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
    problem.add_fold(building, search);
    for (const PaperAlgorithm algorithm : all_algorithms) {
        PaperSettings settings;
        settings.algorithm = algorithm;
        Budget budget;
        Progress progress;
        budget.set_time_limit(0.05);
        const auto start = Budget::Clock::now();
        const PaperResult result = search_as_paper(problem, settings, budget, progress);
        CHECK(std::chrono::duration<double>(Budget::Clock::now() - start).count() < 1.0);
        CHECK(result.found && !result.proved);
        CHECK(result.error < 200.0);
        CHECK(budget.deadline_passed());
        CHECK(progress.share() < 1.0);

        Budget stopped;
        stopped.request_stop();
        const PaperResult none = search_as_paper(problem, settings, stopped, progress);
        CHECK(!none.found && !none.proved);
    }
    Budget budget;
    Progress progress;
    budget.set_time_limit(0.05);
    CHECK(!enumerate_as_paper(problem, {}, false, budget, progress).finished);

    PaperSettings cache;
    cache.algorithm = PaperAlgorithm::cache;
    Budget small;
    small.set_memory_limit(10000);
    const PaperResult out_of_memory = search_as_paper(problem, cache, small, progress);
    CHECK(out_of_memory.found && !out_of_memory.proved);
}

TEST_CASE("settings that make no sense are refused") {
    Random random(17);
    Case at(random);
    Budget budget;
    Progress progress;
    const auto refused = [&](auto change) {
        PaperSettings settings;
        change(settings);
        CHECK_THROWS_AS(search_as_paper(at.problem, settings, budget, progress), std::invalid_argument);
    };
    refused([&](PaperSettings& settings) { settings.keep = {99}; });
    refused([&](PaperSettings& settings) { settings.error_gap = -1; });
    refused([&](PaperSettings& settings) { settings.feature_penalty = std::numeric_limits<double>::quiet_NaN(); });
    refused([&](PaperSettings& settings) { settings.initial_error = std::numeric_limits<double>::quiet_NaN(); });
    const SearchProblem empty(at.dataset, {}, ThresholdRule::c45);
    CHECK_THROWS_AS(search_as_paper(empty, {}, budget, progress), std::invalid_argument);
    // A penalty beyond all errors leaves the empty subset.
    PaperSettings dear;
    dear.feature_penalty = 1e300;
    CHECK(search_as_paper(at.problem, dear, budget, progress).units.empty());
}
