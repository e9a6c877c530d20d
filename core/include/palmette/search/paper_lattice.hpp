// The lattice as a run sees it: the settings in units and fixed-point weights, and the best tree so far (e_acc, S_acc).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "palmette/search/feature_set.hpp"
#include "palmette/search/paper.hpp"

namespace palmette::paper {

constexpr ErrorWeight beyond_all = std::numeric_limits<ErrorWeight>::max() / 4;

/// A weight of the settings in fixed point; what is too great for it is beyond all errors.
[[nodiscard]] inline ErrorWeight to_fixed(const WeightScale& scale, double weight, const char* name) {
    if (std::isnan(weight) || weight < 0)
        throw std::invalid_argument(std::string(name) + " is a weight, at least 0; got " + std::to_string(weight));
    return weight * scale.factor() < static_cast<double>(beyond_all) ? scale.from_double(weight) : beyond_all;
}

template <std::size_t Words>
class Lattice {
  public:
    Lattice(const SearchProblem& problem, const PaperSettings& settings)
        : problem_(problem),
          max_features_(settings.max_features),
          feature_penalty_(to_fixed(problem.dataset().scale(), settings.feature_penalty, "feature_penalty")) {
        if (problem.folds().empty()) throw std::invalid_argument("the problem has no fold: call add_fold first");
        for (const std::uint32_t unit : settings.keep) {
            if (unit >= problem.n_units())
                throw std::invalid_argument("keep names unit " + std::to_string(unit) + " of " +
                                            std::to_string(problem.n_units()));
            keep_.insert(unit);
        }
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit) all_.insert(unit);
    }

    [[nodiscard]] const SearchProblem& problem() const noexcept { return problem_; }
    [[nodiscard]] const FeatureSet<Words>& keep() const noexcept { return keep_; }
    /// The units that are to be decided on.
    [[nodiscard]] FeatureSet<Words> free() const noexcept { return all_ - keep_; }

    /// The number of features of these units.
    [[nodiscard]] std::size_t n_features(const FeatureSet<Words>& units) const noexcept {
        std::size_t count = 0;
        units.for_each([&](std::size_t unit) { count += problem_.features_of(unit).size(); });
        return count;
    }
    /// The size of a subset: the features of its units and of `keep`.
    [[nodiscard]] std::size_t size(const FeatureSet<Words>& units) const noexcept { return n_features(units | keep_); }
    [[nodiscard]] bool too_large(const FeatureSet<Words>& units) const noexcept {
        return max_features_ != PaperSettings::no_limit && size(units) > max_features_;
    }

    /// The penalty of so many features, cut off where no error can matter any more: the penalty of `keep`, which
    /// every subset pays, is left out, so the empty subset is always below the cut.
    [[nodiscard]] ErrorWeight penalty(std::size_t features) const noexcept {
        if (feature_penalty_ == 0) return 0;
        const auto most = static_cast<std::size_t>(beyond_all / feature_penalty_);
        return features <= most ? feature_penalty_ * static_cast<ErrorWeight>(features) : beyond_all;
    }

    [[nodiscard]] std::vector<std::uint32_t> subset(const FeatureSet<Words>& used) const {
        std::vector<std::uint32_t> units;
        (used | keep_).for_each([&](std::size_t unit) { units.push_back(static_cast<std::uint32_t>(unit)); });
        return units;
    }

  private:
    const SearchProblem& problem_;
    std::size_t max_features_;
    ErrorWeight feature_penalty_;
    FeatureSet<Words> keep_;
    FeatureSet<Words> all_;
};

/// Lines 4 to 7 of Algorithm 3, with ε and, as its footnote 4 says, ties in favour of the smaller subset.
template <std::size_t Words>
class Incumbent {
  public:
    Incumbent(const Lattice<Words>& lattice, const PaperSettings& settings)
        : lattice_(lattice), penalty_(settings.feature_penalty), start_(settings.initial_error) {
        if (std::isinf(start_) && start_ > 0) return;
        if (std::isnan(start_)) throw std::invalid_argument("initial_error is not a number");
        const WeightScale& scale = lattice.problem().dataset().scale();
        const double of_keep = penalty_ * static_cast<double>(lattice.n_features(lattice.keep()));
        objective_ = start_ < of_keep ? -1 : to_fixed(scale, start_ - of_keep, "initial_error");
    }

    /// Without the penalty of `keep`.
    [[nodiscard]] ErrorWeight objective() const noexcept { return objective_; }

    void consider(const FeatureSet<Words>& used, ErrorWeight error) {
        const ErrorWeight objective = error + lattice_.penalty(lattice_.n_features(used - lattice_.keep()));
        if (objective > objective_ || lattice_.too_large(used)) return;
        const std::size_t size = lattice_.size(used);
        if (found_ && objective == objective_ && size >= size_) return;
        found_ = true;
        objective_ = objective;
        error_ = error;
        used_ = used;
        size_ = size;
    }

    /// The answer, without verdict and counts.
    [[nodiscard]] PaperResult result() const {
        PaperResult result;
        result.found = found_;
        if (!found_) {
            result.error = std::numeric_limits<double>::infinity();
            result.objective = start_;
            return result;
        }
        result.units = lattice_.subset(used_);
        result.error = lattice_.problem().dataset().scale().to_double(error_);
        result.objective = result.error + penalty_ * static_cast<double>(size_);
        return result;
    }

  private:
    const Lattice<Words>& lattice_;
    double penalty_;
    double start_;
    bool found_ = false;
    ErrorWeight objective_ = std::numeric_limits<ErrorWeight>::max();
    ErrorWeight error_ = 0;
    FeatureSet<Words> used_;
    std::size_t size_ = 0;
};

}  // namespace palmette::paper
