// The white box of the elimination against the black box, and what every history must say.

#include "palmette/search/elimination.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "check.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;

namespace {

/// A problem with all that can be varied, drawn from a seed.
struct Case {
    Problem raw;
    Dataset dataset;
    SearchProblem problem;
    EliminationSettings settings;

    explicit Case(Random& random)
        : raw(draw(random)),
          dataset(raw.dataset()),
          problem(dataset, draw_growth(random), random.chance(0.5) ? ThresholdRule::c45 : ThresholdRule::midpoint) {
        for (std::uint32_t f = 0; f < dataset.n_features(); ++f)
            if (raw.columns[f].n_categories == 0)
                problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
        const std::size_t n_folds = random.chance(0.3) ? 2 : 1;
        for (std::size_t fold = 0; fold < n_folds; ++fold) {
            Fold rows;
            for (std::uint32_t row = 0; row < dataset.n_rows(); ++row)
                (random.chance(0.6) ? rows.building : rows.search).push_back(row);
            if (random.chance(0.1)) rows.search = rows.building;
            if (rows.building.empty() || rows.search.empty()) rows = {{0, 1}, {1, 2}};
            if (random.chance(0.1)) rows.search.push_back(rows.search.front());
            problem.add_fold(rows.building, rows.search);
        }
        if (random.chance(0.3)) {
            // Features go to units at random; units without one are closed up.
            std::map<std::uint32_t, std::uint32_t> number;
            std::vector<std::uint32_t> unit_of(dataset.n_features());
            for (std::uint32_t& unit : unit_of) {
                unit = static_cast<std::uint32_t>(random.integer(0, static_cast<int>(unit_of.size()) - 1));
                unit = number.try_emplace(unit, static_cast<std::uint32_t>(number.size())).first->second;
            }
            problem.set_units(unit_of);
        }
        std::size_t n_kept = 0;
        if (random.chance(0.3))
            for (std::uint32_t unit = 0; unit < problem.n_units(); ++unit)
                if (random.chance(0.25)) {
                    settings.keep.push_back(unit);
                    n_kept += problem.features_of(unit).size();
                }
        const auto n_features = static_cast<int>(dataset.n_features());
        if (random.chance(0.3))
            settings.max_features = static_cast<std::size_t>(random.integer(static_cast<int>(n_kept), n_features));
        if (random.chance(0.3))
            settings.min_features =
                std::min(settings.max_features, static_cast<std::size_t>(random.integer(0, n_features)));
        settings.accept_ties = random.chance(0.6);
        settings.unused_together = random.chance(0.3);
    }

    static Problem draw(Random& random) {
        problems::Shape shape;
        shape.n_rows = static_cast<std::size_t>(random.integer(20, 120));
        shape.n_continuous = static_cast<std::size_t>(random.integer(0, random.chance(0.1) ? 80 : 5));
        shape.n_nominal = static_cast<std::size_t>(random.integer(shape.n_continuous == 0 ? 2 : 0, 4));
        shape.n_values = random.chance(0.3) ? 0 : random.integer(2, 9);  // few values: ties
        shape.n_categories = random.integer(2, 9);                       // many: branches without samples
        shape.n_classes = static_cast<std::size_t>(random.integer(2, 4));
        shape.missing_share = random.chance(0.5) ? 0.0 : 0.3 * random.real();
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

    [[nodiscard]] EliminationResult run(EliminationSettings changed) const {
        Budget budget;
        EliminationProgress progress;
        if (changed.strategy != EliminationStrategy::backward) changed.unused_together = false;
        return eliminate(problem, changed, budget, progress);
    }
    [[nodiscard]] EliminationResult run(EliminationAlgorithm algorithm, std::size_t n_jobs = 1,
                                        std::size_t memory_limit = std::size_t{1} << 30) const {
        EliminationSettings changed = settings;
        changed.algorithm = algorithm;
        changed.n_jobs = n_jobs;
        changed.memory_limit = memory_limit;
        return run(changed);
    }
};

std::string describe(const EliminationResult& result) {
    std::ostringstream text;
    const auto list = [&](const std::vector<std::uint32_t>& units) {
        for (const std::uint32_t unit : units) text << unit << ' ';
    };
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
        const EliminationStep& step = result.steps[i];
        text << step.removed << '/' << step.added << " error " << step.error << " size " << step.size << " used ";
        list(step.used);
        text << "units ";
        list(units_of_step(result, i));
        text << '\n';
    }
    text << "answer ";
    list(result.units);
    text << "error " << result.error << " status " << static_cast<int>(result.status);
    return text.str();
}

bool same(const char* what, std::uint64_t seed, const EliminationResult& expected, const EliminationResult& found) {
    if (describe(expected) == describe(found)) return true;
    std::cerr << what << " differs, seed " << seed << "\nexpected\n"
              << describe(expected) << "\nfound\n"
              << describe(found) << '\n';
    return false;
}

constexpr std::size_t tiny = std::size_t{1} << 12;

}  // namespace

TEST_CASE("backward elimination: white box, paper and black box take the same steps") {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        Random random(seed);
        const Case at(random);
        const EliminationResult expected = at.run(EliminationAlgorithm::black_box);
        const EliminationResult white = at.run(EliminationAlgorithm::white_box);
        REQUIRE(same("white box", seed, expected, white));
        REQUIRE(same("white box, 2 threads", seed, expected, at.run(EliminationAlgorithm::white_box, 2)));
        REQUIRE(same("white box, tiny memory", seed, expected, at.run(EliminationAlgorithm::white_box, 1, tiny)));
        REQUIRE(same("white box, 2 threads, tiny memory", seed, expected,
                     at.run(EliminationAlgorithm::white_box, 2, tiny)));
        REQUIRE(same("paper", seed, expected, at.run(EliminationAlgorithm::paper)));
        REQUIRE(same("black box, 2 threads", seed, expected, at.run(EliminationAlgorithm::black_box, 2)));
        CHECK(white.n_trees <= expected.n_trees);
    }
}

TEST_CASE("backward elimination on columns of many values: cuts found by sorting are those of the ranking") {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Random random(seed);
        problems::Shape shape;
        shape.n_rows = 1200;
        shape.n_continuous = 5;
        shape.n_values = seed % 3 == 0 ? 40 : 0;
        shape.n_classes = 2 + seed % 4;
        const Problem raw = random_problem(random, shape);
        const Dataset dataset = raw.dataset();
        SearchProblem problem(dataset, Case::draw_growth(random), ThresholdRule::c45);
        for (std::uint32_t f = 0; f < dataset.n_features(); ++f)
            if (raw.columns[f].n_categories == 0)
                problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
        std::vector<std::uint32_t> building, search;
        for (std::uint32_t row = 0; row < dataset.n_rows(); ++row) (row % 3 == 0 ? search : building).push_back(row);
        problem.add_fold(building, search);
        EliminationSettings settings;
        settings.max_features = 2;
        settings.algorithm = EliminationAlgorithm::black_box;
        Budget budget;
        EliminationProgress progress;
        const EliminationResult expected = eliminate(problem, settings, budget, progress);
        settings.algorithm = EliminationAlgorithm::white_box;
        REQUIRE(same("white box", seed, expected, eliminate(problem, settings, budget, progress)));
    }
}

TEST_CASE("backward elimination of a long table: the order of the rows does not matter") {
    Random random(7);
    problems::Shape shape;
    shape.n_rows = 70'000;  // enough for the white box to put them into an order of its own
    shape.n_continuous = 3;
    shape.n_nominal = 2;
    shape.missing_share = 0.02;
    const Problem raw = random_problem(random, shape);
    const Dataset dataset = raw.dataset();
    GrowthOptions growth;
    growth.max_depth = 5;
    SearchProblem problem(dataset, growth, ThresholdRule::c45);
    for (std::uint32_t f = 0; f < shape.n_continuous; ++f)
        problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
    for (std::uint32_t fold = 0; fold < 2; ++fold) {
        std::vector<std::uint32_t> building, search;
        for (std::uint32_t row = 0; row < dataset.n_rows(); ++row) (row % 4 == fold ? search : building).push_back(row);
        search.push_back(search.front());  // counts twice
        problem.add_fold(building, search);
    }
    EliminationSettings settings;
    settings.max_features = 1;
    settings.algorithm = EliminationAlgorithm::black_box;
    Budget budget;
    EliminationProgress progress;
    const EliminationResult expected = eliminate(problem, settings, budget, progress);
    settings.algorithm = EliminationAlgorithm::white_box;
    REQUIRE(same("white box", 7, expected, eliminate(problem, settings, budget, progress)));
    settings.n_jobs = 2;
    REQUIRE(same("white box, 2 threads", 7, expected, eliminate(problem, settings, budget, progress)));
}

TEST_CASE("what the white box counts does not depend on the number of threads") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const Case at(random);
        const EliminationResult one = at.run(EliminationAlgorithm::white_box),
                                two = at.run(EliminationAlgorithm::white_box, 2);
        CHECK_EQ(one.n_trees, two.n_trees);
        CHECK_EQ(one.n_scans, two.n_scans);
        CHECK_EQ(one.n_expansions, two.n_expansions);
        REQUIRE(one.steps.size() == two.steps.size());
        for (std::size_t i = 0; i < one.steps.size(); ++i) CHECK_EQ(one.steps[i].trees_built, two.steps[i].trees_built);
    }
}

TEST_CASE("forward, floating and beam search: tries and trees from scratch take the same steps") {
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
        Random random(seed);
        Case at(random);
        if (at.problem.n_units() > 12) continue;
        for (const EliminationStrategy strategy : {EliminationStrategy::forward, EliminationStrategy::floating_forward,
                                                   EliminationStrategy::floating_backward, EliminationStrategy::beam}) {
            at.settings.strategy = strategy;
            at.settings.beam_width = static_cast<std::size_t>(random.integer(1, 4));
            const EliminationResult expected = at.run(EliminationAlgorithm::black_box);
            REQUIRE(same("white box", seed, expected, at.run(EliminationAlgorithm::white_box)));
            REQUIRE(same("white box, 2 threads, tiny memory", seed, expected,
                         at.run(EliminationAlgorithm::white_box, 2, tiny)));
        }
    }
}

TEST_CASE("a beam of width 1 is backward elimination") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        Case at(random);
        at.settings.unused_together = false;
        const EliminationResult backward = at.run(EliminationAlgorithm::white_box);
        at.settings.strategy = EliminationStrategy::beam;
        REQUIRE(same("beam", seed, backward, at.run(EliminationAlgorithm::white_box)));
    }
}

TEST_CASE("limits on the number of features hold, and what is to be kept is kept") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const Case at(random);
        const EliminationResult result = at.run(EliminationAlgorithm::white_box);
        std::size_t size = 0;
        for (const std::uint32_t unit : result.units) size += at.problem.features_of(unit).size();
        CHECK_EQ(size, result.steps.back().size);
        CHECK(size >= at.settings.min_features || result.steps.size() == 1);
        for (const std::uint32_t unit : at.settings.keep) CHECK(std::ranges::binary_search(result.units, unit));
        if (at.settings.keep.empty() && at.settings.min_features == 0 &&
            at.problem.n_units() == at.dataset.n_features())
            CHECK(size <= at.settings.max_features);
    }
}

TEST_CASE("a spent budget leaves the start, a short one a part of the same path") {
    Random random(3);
    problems::Shape shape;
    shape.n_rows = 300;
    shape.n_continuous = 80;
    shape.n_values = 0;
    const Problem raw = random_problem(random, shape);
    const Dataset dataset = raw.dataset();
    SearchProblem problem(dataset, GrowthOptions{}, ThresholdRule::c45);
    for (std::uint32_t f = 0; f < dataset.n_features(); ++f)
        if (raw.columns[f].n_categories == 0)
            problem.set_values(f, decode_values(dataset.column(f), problems::view_of(raw.columns[f].values), {}));
    std::vector<std::uint32_t> building, search;
    for (std::uint32_t row = 0; row < dataset.n_rows(); ++row) (row % 3 == 0 ? search : building).push_back(row);
    problem.add_fold(building, search);
    for (const std::size_t n_jobs : {1, 2}) {
        EliminationSettings settings;
        settings.n_jobs = n_jobs;
        Budget unlimited;
        EliminationProgress progress;
        const EliminationResult whole = eliminate(problem, settings, unlimited, progress);
        CHECK(whole.status == EliminationStatus::complete);
        for (int i = 0; i < 20; ++i) {
            Budget budget;
            EliminationProgress watched;
            std::thread stopper([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(500 * i));
                budget.request_stop();
            });
            const EliminationResult part = eliminate(problem, settings, budget, watched);
            stopper.join();
            REQUIRE(!part.steps.empty() && part.steps.size() <= whole.steps.size());
            if (part.steps.size() < whole.steps.size()) CHECK(part.status == EliminationStatus::interrupted);
            for (std::size_t step = 0; step < part.steps.size(); ++step) {
                CHECK_EQ(part.steps[step].removed, whole.steps[step].removed);
                CHECK_EQ(part.steps[step].error, whole.steps[step].error);
            }
            CHECK(part.units == units_of_step(part, part.steps.size() - 1));
        }
    }
}

TEST_CASE("settings that do not fit are refused") {
    Random random(1);
    const Case at(random);
    EliminationSettings settings;
    settings.keep = {static_cast<std::uint32_t>(at.problem.n_units())};
    CHECK_THROWS_AS(at.run(settings), std::invalid_argument);
    settings = {};
    settings.beam_width = 0;
    CHECK_THROWS_AS(at.run(settings), std::invalid_argument);
    settings = {};
    settings.max_features = 1;
    settings.min_features = 2;
    CHECK_THROWS_AS(at.run(settings), std::invalid_argument);
    settings = {};
    settings.algorithm = EliminationAlgorithm::paper;
    settings.strategy = EliminationStrategy::forward;
    CHECK_THROWS_AS(at.run(settings), std::invalid_argument);
}
