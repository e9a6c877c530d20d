// Goal: the question that a search answers. It says which bounds close a sublattice, and is told every tree.
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "palmette/search/feature_set.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/search/settings.hpp"
#include "sublattice.hpp"

namespace palmette {

constexpr ErrorWeight no_error_limit = std::numeric_limits<ErrorWeight>::max() / 4;

/// Each worker has its own.
template <std::size_t Words>
class Goal {
  public:
    virtual ~Goal() = default;

    /// A sublattice none of whose trees has an error below this is of no interest; no_error_limit: all are.
    [[nodiscard]] virtual ErrorWeight limit(const Sublattice<Words>& at) const = 0;

    /// How many features beyond `included` a tree of interest can have, given a bound on the errors here.
    [[nodiscard]] virtual std::size_t features_to_spare(const Sublattice<Words>&, ErrorWeight) const {
        return SearchSettings::no_limit;
    }

    /// True if trees are only compared: the same tree may be recorded for several of its subsets.
    [[nodiscard]] virtual bool only_compares() const noexcept { return false; }

    /// A tree: that of `included`, and of every subset in the sublattice.
    virtual void record(const Sublattice<Words>& at, ErrorWeight error) = 0;
};

template <std::size_t Words>
[[nodiscard]] std::size_t n_features_in(const SearchProblem& problem, const FeatureSet<Words>& units) {
    std::size_t count = 0;
    units.for_each([&](std::size_t unit) { count += problem.features_of(unit).size(); });
    return count;
}

/// Throws std::invalid_argument unless penalty and gap are weights that sums of errors have room for.
void check_charges(const SearchProblem& problem, const SearchSettings& settings);

/// The units that every subset holds. Throws std::invalid_argument if the settings do not fit the problem.
template <std::size_t Words>
[[nodiscard]] FeatureSet<Words> kept_units(const SearchProblem& problem, const SearchSettings& settings) {
    problem.check_complete();
    check_charges(problem, settings);
    FeatureSet<Words> keep;
    for (const std::uint32_t unit : settings.keep) {
        if (unit >= problem.n_units())
            throw std::invalid_argument("unit " + std::to_string(unit) + " is to be kept, but there are " +
                                        std::to_string(problem.n_units()));
        keep.insert(unit);
    }
    if (n_features_in(problem, keep) > settings.max_features)
        throw std::invalid_argument(std::to_string(n_features_in(problem, keep)) +
                                    " features are to be kept, more than the " + std::to_string(settings.max_features) +
                                    " that a subset may have");
    return keep;
}

}  // namespace palmette
