// The searches over the lattice of feature subsets as Python sees them. Weights are doubles here.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "palmette/data/encoding.hpp"
#include "palmette/search/best_subset.hpp"
#include "palmette/search/questions.hpp"
#include "waiting.hpp"

using namespace nb::literals;
using namespace palmette;
using namespace palmette::bindings;

namespace {

/// A found subset with its error as a number.
struct Found {
    FoundSubset subset;
    double error;
};

std::vector<Found> found_list(const SearchProblem& problem, std::vector<FoundSubset> subsets) {
    std::vector<Found> list;
    list.reserve(subsets.size());
    for (FoundSubset& subset : subsets) {
        const double error = problem.dataset().scale().to_double(subset.error);
        list.push_back({std::move(subset), error});
    }
    return list;
}

/// The greatest error within `limit`; a little is forgiven, so that 0.1 as a rate of 10 samples is one of them.
ErrorWeight error_limit(const SearchProblem& problem, std::optional<double> limit) {
    if (!limit) return -1;
    if (!(*limit >= 0)) throw std::invalid_argument("a limit on the error must not be negative");
    const WeightScale& scale = problem.dataset().scale();
    const double most = scale.to_double(problem.search_weight());
    return scale.from_double(std::min(*limit, most)) + scale.slack();
}

struct Result {
    SearchResult result;
    WeightScale scale;
    bool interrupted = false;

    [[nodiscard]] const char* status() const {
        switch (result.status) {
            case SearchStatus::optimal:
                return "optimal";
            case SearchStatus::within_gap:
                return "within_gap";
            case SearchStatus::time_limit:
                return "time_limit";
            case SearchStatus::memory_limit:
                return "memory_limit";
            default:
                return "interrupted";
        }
    }
    [[nodiscard]] auto history() const {
        std::vector<std::tuple<double, double, double, std::vector<std::uint32_t>>> events;
        for (const SearchEvent& event : result.history)
            events.emplace_back(event.seconds, scale.to_double(event.objective), scale.to_double(event.bound),
                                event.units);
        return events;
    }
};

nb::bytes as_bytes(const std::vector<std::byte>& bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

Result find_best_subset(const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
                        const nb::object& on_progress, const std::optional<nb::bytes>& resume_from,
                        double checkpoint_seconds, const nb::object& on_checkpoint) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::byte> saved;
    if (resume_from) {
        const auto* first = static_cast<const std::byte*>(resume_from->data());
        saved.assign(first, first + resume_from->size());
    }
    BestSubsetSearch search(problem, settings, budget, saved);
    const WeightScale& scale = problem.dataset().scale();
    auto last_save = Clock::now();
    const auto tick = [&] {
        if (!on_progress.is_none()) {
            const BestSubsetSearch::View view = search.view();
            on_progress(view.closed_share, view.n_trees, view.n_expansions, scale.to_double(view.objective),
                        scale.to_double(view.bound), view.size);
        }
        if (on_checkpoint.is_none()) return;
        if (const std::vector<std::byte> state = search.take_saved(); !state.empty()) {
            last_save = Clock::now();
            on_checkpoint(as_bytes(state));
        } else if (std::chrono::duration<double>(Clock::now() - last_save).count() >= checkpoint_seconds) {
            search.request_save();
        }
    };
    Result result;
    result.scale = scale;
    result.result = wait_ticking(budget, &result.interrupted, tick, [&] { return search.run(); });
    if (!on_checkpoint.is_none()) on_checkpoint(as_bytes(search.final_state()));
    return result;
}

/// Why a question was not answered in full, nullptr if it was.
const char* stopped_by(const Budget& budget, bool interrupted, bool out_of_memory) {
    if (out_of_memory) return "memory_limit";
    if (interrupted) return "interrupted";
    if (budget.deadline_passed()) return "time_limit";
    return budget.spent() ? "interrupted" : nullptr;
}

/// Asks, and ends with what was found on Ctrl-C: as(found), and why that is not all.
template <class Ask, class As>
auto answer(Budget& budget, const nb::object& on_progress, Ask ask, As as) {
    Progress progress;
    bool interrupted = false;
    auto given = wait_or_stop(budget, progress, on_progress, interrupted, [&] { return ask(progress); });
    return std::pair(as(std::move(given.found)), stopped_by(budget, interrupted, given.out_of_memory));
}

/// The enumerator and the problem that it reads.
struct Trees {
    Trees(nb::object of, const SearchSettings& settings, std::optional<double> limit)
        : problem(std::move(of)),
          trees(nb::cast<const SearchProblem&>(problem), settings,
                error_limit(nb::cast<const SearchProblem&>(problem), limit)) {}

    auto next(std::size_t max_count, Budget& budget) {
        Progress progress;
        auto found =
            wait_or_stop(budget, progress, nb::none(), interrupted, [&] { return trees.next(max_count, budget); });
        return found_list(nb::cast<const SearchProblem&>(problem), std::move(found));
    }
    [[nodiscard]] const char* why_not_finished(const Budget& budget) const {
        return trees.finished() ? nullptr : stopped_by(budget, interrupted, trees.out_of_memory());
    }

    nb::object problem;
    TreeEnumerator trees;
    bool interrupted = false;
};

std::vector<double> as_numbers(const WeightScale& scale, const std::vector<ErrorWeight>& weights) {
    std::vector<double> numbers;
    for (const ErrorWeight weight : weights)
        numbers.push_back(weight == FeatureCosts::none ? std::numeric_limits<double>::infinity()
                                                       : scale.to_double(weight));
    return numbers;
}

}  // namespace

void bind_search(nb::module_& module) {
    nb::class_<SearchProblem>(module, "SearchProblem", "Building and search sets of a search over feature subsets.")
        .def(nb::init<const Dataset&, const GrowthOptions&, ThresholdRule>(), "dataset"_a, "options"_a, "rule"_a,
             nb::keep_alive<1, 2>())
        .def(
            "set_values",
            [](SearchProblem& problem, std::uint32_t feature, const AnyColumn& values) {
                if (feature >= problem.dataset().n_features()) throw nb::index_error("no such feature");
                problem.set_values(feature, decode_values(problem.dataset().column(feature), value_view(values), {}));
            },
            "feature"_a, "values"_a, "The raw column of a continuous feature, all rows.")
        .def(
            "add_fold",
            [](SearchProblem& problem, const Vector<std::uint32_t>& building, const Vector<std::uint32_t>& search) {
                problem.add_fold(span_of(building), span_of(search));
            },
            "building"_a.noconvert(), "search"_a.noconvert())
        .def(
            "set_units",
            [](SearchProblem& problem, const Vector<std::uint32_t>& unit_of) {
                problem.set_units(vector_of<std::uint32_t>(unit_of));
            },
            "unit_of"_a.noconvert())
        .def_prop_ro("n_units", &SearchProblem::n_units)
        .def_prop_ro(
            "search_weight",
            [](const SearchProblem& problem) { return problem.dataset().scale().to_double(problem.search_weight()); })
        .def(
            "error_of",
            [](const SearchProblem& problem, const std::vector<std::uint32_t>& units) {
                const FoundSubset found = error_of_subset(problem, units);
                return std::pair(problem.dataset().scale().to_double(found.error), found.units);
            },
            "units"_a, "Error weight of the trees of these units, and the units that they use.")
        .def(
            "describe",
            [](const SearchProblem& problem, const std::vector<std::uint32_t>& units) {
                return found_list(problem, {describe_subset(problem, units)}).front();
            },
            "units"_a, "The subset of these units, as the questions tell it.");

    nb::class_<SearchSettings>(module, "SearchSettings", "What a search is asked for beyond its problem.")
        .def(nb::init<>())
        .def_rw("feature_penalty", &SearchSettings::feature_penalty)
        .def_rw("error_gap", &SearchSettings::error_gap)
        .def_rw("max_features", &SearchSettings::max_features)
        .def_rw("smallest", &SearchSettings::smallest)
        .def_rw("keep", &SearchSettings::keep)
        .def_rw("n_jobs", &SearchSettings::n_jobs)
        .def_rw("memory_limit", &SearchSettings::memory_limit)
        .def_rw("seed", &SearchSettings::seed)
        .def_ro_static("no_limit", &SearchSettings::no_limit);

    nb::class_<Found>(module, "FoundSubset", "A subset that a search has met.")
        .def_prop_ro("units", [](const Found& found) { return found.subset.units; })
        .def_ro("error", &Found::error)
        .def_prop_ro("size", [](const Found& found) { return found.subset.size; })
        .def_prop_ro("free", [](const Found& found) { return found.subset.free; })
        .def_prop_ro("n_free", [](const Found& found) { return found.subset.free.size(); });

    nb::class_<Result>(module, "SearchResult", "The best subset that a search has found, and what it has proved.")
        .def_prop_ro("units", [](const Result& self) { return self.result.best.units; })
        .def_prop_ro("error", [](const Result& self) { return self.scale.to_double(self.result.best.error); })
        .def_prop_ro("objective", [](const Result& self) { return self.scale.to_double(self.result.objective); })
        .def_prop_ro("bound", [](const Result& self) { return self.scale.to_double(self.result.bound); })
        .def_prop_ro("status", &Result::status)
        .def_prop_ro("n_trees", [](const Result& self) { return self.result.n_trees; })
        .def_prop_ro("n_first_trees", [](const Result& self) { return self.result.n_first_trees; })
        .def_prop_ro("n_search_nodes", [](const Result& self) { return self.result.n_sublattices; })
        .def_prop_ro("n_expansions", [](const Result& self) { return self.result.n_expansions; })
        .def_prop_ro("peak_bytes", [](const Result& self) { return self.result.peak_bytes; })
        .def_prop_ro("history", &Result::history);

    module.def("find_best_subset", &find_best_subset, "problem"_a, "settings"_a, "budget"_a,
               "on_progress"_a.none() = nb::none(), "resume_from"_a.none() = nb::none(), "checkpoint_seconds"_a = 0.0,
               "on_checkpoint"_a.none() = nb::none());

    nb::class_<Trees>(module, "TreeEnumerator", "The distinct trees of all subsets, a few at a time.")
        .def(nb::init<nb::object, const SearchSettings&, std::optional<double>>(), "problem"_a, "settings"_a,
             "limit"_a.none() = nb::none())
        .def("next", &Trees::next, "max_count"_a, "budget"_a)
        .def("stopped_by", &Trees::why_not_finished, "budget"_a,
             "What ends the walk before its end: time_limit, memory_limit, interrupted, or None.")
        .def_prop_ro("finished", [](const Trees& self) { return self.trees.finished(); });

    module.def(
        "count_distinct_trees",
        [](const SearchProblem& problem, const SearchSettings& settings, Budget& budget, std::optional<double> limit,
           const nb::object& on_progress) {
            const ErrorWeight most = error_limit(problem, limit);
            const auto ask = [&](Progress& progress) {
                return count_distinct_trees(problem, settings, most, budget, progress);
            };
            return answer(budget, on_progress, ask, [](TreeCounts counts) { return counts; });
        },
        "problem"_a, "settings"_a, "budget"_a, "limit"_a.none() = nb::none(), "on_progress"_a.none() = nb::none());
    module.def(
        "pareto_front",
        [](const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
           const nb::object& on_progress) {
            const auto ask = [&](Progress& progress) { return pareto_front(problem, settings, budget, progress); };
            return answer(budget, on_progress, ask,
                          [&](std::vector<FoundSubset> front) { return found_list(problem, std::move(front)); });
        },
        "problem"_a, "settings"_a, "budget"_a, "on_progress"_a.none() = nb::none());
    module.def(
        "feature_costs",
        [](const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
           const nb::object& on_progress) {
            const WeightScale& scale = problem.dataset().scale();
            const auto ask = [&](Progress& progress) { return feature_costs(problem, settings, budget, progress); };
            return answer(budget, on_progress, ask, [&](const FeatureCosts& costs) {
                return std::pair(as_numbers(scale, costs.with), as_numbers(scale, costs.without));
            });
        },
        "problem"_a, "settings"_a, "budget"_a, "on_progress"_a.none() = nb::none());
}
