// A search problem with all that can be varied, drawn from a seed, and the answers of brute force to its questions.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "palmette/search/best_subset.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/search/settings.hpp"
#include "problems.hpp"

namespace palmette::problems {

struct SearchCase {
    Problem raw;
    Dataset dataset;
    SearchProblem problem;
    SearchSettings settings;

    explicit SearchCase(Random& random, std::size_t n_continuous = 3, std::size_t n_nominal = 2)
        : raw(draw(random, n_continuous, n_nominal)),
          dataset(raw.dataset()),
          problem(dataset, draw_growth(random), random.chance(0.5) ? ThresholdRule::c45 : ThresholdRule::midpoint) {
        for (std::uint32_t f = 0; f < dataset.n_features(); ++f)
            if (raw.columns[f].n_categories == 0)
                problem.set_values(f, decode_values(dataset.column(f), view_of(raw.columns[f].values), {}));
        for (int fold = random.chance(0.3) ? 2 : 1; fold > 0; --fold) {
            std::vector<std::uint32_t> building{0, 1}, search{2};
            for (std::uint32_t row = 3; row < dataset.n_rows(); ++row)
                (random.chance(0.6) ? building : search).push_back(row);
            problem.add_fold(building, search);
        }
        if (random.chance(0.2)) problem.set_units(paired(dataset.n_features()));
        if (random.chance(0.2)) settings.keep.push_back(0);
        if (random.chance(0.2)) settings.feature_penalty = 0.5;
        if (random.chance(0.2)) settings.max_features = 3;
    }

    /// (objective, size, features) and the error of every admitted subset, by its units.
    struct Point {
        std::vector<std::uint32_t> units;  // of the subset itself
        FoundSubset found;                 // what its trees use, and those to keep
        ErrorWeight objective;
        std::vector<std::uint32_t> features;
    };
    [[nodiscard]] std::vector<Point> points() const {
        std::vector<Point> all;
        for (std::uint32_t bits = 0; bits < (1U << problem.n_units()); ++bits) {
            Point point;
            for (std::uint32_t unit = 0; unit < problem.n_units(); ++unit)
                if ((bits >> unit) & 1U) point.units.push_back(unit);
            if (!std::ranges::includes(point.units, settings.keep)) continue;
            point.found = error_of_subset(problem, point.units);
            for (const std::uint32_t unit : settings.keep)
                if (!std::ranges::binary_search(point.found.units, unit)) {
                    point.found.units.push_back(unit);
                    std::ranges::sort(point.found.units);
                }
            for (const std::uint32_t unit : point.found.units)
                for (const std::uint32_t feature : problem.features_of(unit)) point.features.push_back(feature);
            std::ranges::sort(point.features);
            point.found.size = point.features.size();
            if (point.found.size > settings.max_features) continue;
            point.objective = point.found.error + dataset.scale().from_double(settings.feature_penalty) *
                                                      static_cast<ErrorWeight>(point.found.size);
            all.push_back(std::move(point));
        }
        return all;
    }
    [[nodiscard]] static auto order(const Point& point) {
        return std::tuple(point.objective, point.found.size, point.features);
    }

  private:
    static Problem draw(Random& random, std::size_t n_continuous, std::size_t n_nominal) {
        Shape shape;
        shape.n_rows = static_cast<std::size_t>(random.integer(12, 50));
        shape.n_continuous = n_continuous;
        shape.n_nominal = n_nominal;
        shape.n_values = random.integer(2, 12);
        shape.n_categories = random.integer(2, 5);
        shape.n_classes = static_cast<std::size_t>(random.integer(2, 4));
        shape.missing_share = random.chance(0.5) ? 0.15 : 0.0;
        shape.weighted = random.chance(0.3);
        return random_problem(random, shape);
    }
    static GrowthOptions draw_growth(Random& random) {
        GrowthOptions growth;
        growth.criterion = std::vector{Criterion::information_gain, Criterion::gain_ratio,
                                       Criterion::gini}[static_cast<std::size_t>(random.integer(0, 2))];
        growth.growth = random.chance(0.5) ? Growth::c45 : Growth::literal;
        growth.min_samples = random.integer(1, 3);
        if (random.chance(0.2)) growth.max_depth = 2;
        return growth;
    }
    static std::vector<std::uint32_t> paired(std::size_t n_features) {
        std::vector<std::uint32_t> unit_of;
        for (std::uint32_t f = 0; f < n_features; ++f) unit_of.push_back(f / 2);
        return unit_of;
    }
};

}  // namespace palmette::problems
