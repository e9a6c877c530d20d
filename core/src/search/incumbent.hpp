// Incumbent: the best subset so far, shared by the workers, and the goal of finding a better one.
//
// The answer is the minimum of (objective, number of features, features in ascending order): a total order, so it does
// not depend on who finds what first.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "goal.hpp"
#include "palmette/search/settings.hpp"

namespace palmette {

/// True if the features of `a` come before those of `b`, both ascending and equally many.
template <std::size_t Words>
[[nodiscard]] bool features_before(const SearchProblem& problem, const FeatureSet<Words>& a,
                                   const FeatureSet<Words>& b) {
    // The smallest feature that only one of them holds decides; units may be numbered in another order.
    std::uint32_t first_of_a = ~std::uint32_t{0}, first_of_b = first_of_a;
    (a - b).for_each([&](std::size_t unit) { first_of_a = std::min(first_of_a, problem.features_of(unit)[0]); });
    (b - a).for_each([&](std::size_t unit) { first_of_b = std::min(first_of_b, problem.features_of(unit)[0]); });
    return first_of_a < first_of_b;
}

template <std::size_t Words>
[[nodiscard]] std::vector<std::uint32_t> units_in(const FeatureSet<Words>& set) {
    std::vector<std::uint32_t> units;
    set.for_each([&](std::size_t unit) { units.push_back(static_cast<std::uint32_t>(unit)); });
    return units;
}

template <std::size_t Words>
class Incumbent {
  public:
    struct Best {
        FeatureSet<Words> units;
        ErrorWeight error = no_error_limit;
        ErrorWeight objective = no_error_limit;
        std::size_t size = 0;
    };

    Incumbent(const SearchProblem& problem, const SearchSettings& settings)
        : problem_(problem),
          penalty_(problem.dataset().scale().from_double(settings.feature_penalty)),
          max_features_(settings.max_features),
          started_(Clock::now()) {}

    [[nodiscard]] ErrorWeight penalty() const noexcept { return penalty_; }
    [[nodiscard]] std::size_t max_features() const noexcept { return max_features_; }
    [[nodiscard]] const SearchProblem& problem() const noexcept { return problem_; }
    [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
    [[nodiscard]] Best best() const {
        const std::lock_guard lock(mutex_);
        return best_;
    }
    [[nodiscard]] ErrorWeight bound() const {
        const std::lock_guard lock(mutex_);
        return std::min(bound_, best_.objective);
    }
    [[nodiscard]] std::vector<SearchEvent> history() const {
        const std::lock_guard lock(mutex_);
        return history_;
    }
    [[nodiscard]] double seconds() const {
        return earlier_seconds_ + std::chrono::duration<double>(Clock::now() - started_).count();
    }

    /// Keeps the subset if it is better.
    bool offer(const FeatureSet<Words>& units, ErrorWeight error, std::size_t size) {
        if (size > max_features_) return false;
        const ErrorWeight objective = error + penalty_ * static_cast<ErrorWeight>(size);
        const std::lock_guard lock(mutex_);
        const bool better = objective != best_.objective ? objective < best_.objective
                            : size != best_.size         ? size < best_.size
                                                         : features_before(problem_, units, best_.units);
        if (!better) return false;
        best_ = {units, error, objective, size};
        version_.fetch_add(1, std::memory_order_release);
        note();
        return true;
    }
    /// No subset has a smaller objective than this.
    void raise_bound(ErrorWeight bound) {
        const std::lock_guard lock(mutex_);
        if (std::min(bound, best_.objective) <= std::min(bound_, best_.objective)) return;
        bound_ = bound;
        note();
    }

    void restore(const Best& best, ErrorWeight bound, double seconds, std::vector<SearchEvent> history) {
        const std::lock_guard lock(mutex_);
        best_ = best;
        bound_ = bound;
        earlier_seconds_ = seconds;
        history_ = std::move(history);
        version_.fetch_add(1, std::memory_order_release);
    }

  private:
    using Clock = std::chrono::steady_clock;

    void note() {
        history_.push_back({seconds(), best_.objective, std::min(bound_, best_.objective), units_in(best_.units)});
    }

    const SearchProblem& problem_;
    ErrorWeight penalty_;
    std::size_t max_features_;
    Clock::time_point started_;
    double earlier_seconds_ = 0;
    mutable std::mutex mutex_;
    std::atomic<std::uint64_t> version_{0};
    Best best_;
    ErrorWeight bound_ = 0;
    std::vector<SearchEvent> history_;
};

/// One worker's view of the incumbent: a copy that is renewed when there is a better one.
template <std::size_t Words>
class BestGoal final : public Goal<Words> {
  public:
    BestGoal(Incumbent<Words>& incumbent, const SearchSettings& settings)
        : incumbent_(incumbent),
          gap_(incumbent.problem().dataset().scale().from_double(settings.error_gap)),
          smallest_(settings.smallest && gap_ == 0) {}

    /// Also closes what cannot come below this objective: a run with an artificial limit that finds nothing proves it
    /// as a lower bound.
    void set_cap(ErrorWeight cap) noexcept { cap_ = cap; }

    [[nodiscard]] ErrorWeight limit(const Sublattice<Words>& at) const override {
        if (at.size > incumbent_.max_features()) return 0;
        if (incumbent_.version() != version_) {
            version_ = incumbent_.version();
            best_ = incumbent_.best();
        }
        ErrorWeight limit = best_.objective - gap_;
        // Every tree below holds at least these features, and only that of `included` itself no more.
        if (smallest_ && (at.size < best_.size ||
                          (at.size == best_.size && features_before(incumbent_.problem(), at.included, best_.units))))
            ++limit;
        return std::max<ErrorWeight>(0,
                                     std::min(limit, cap_) - incumbent_.penalty() * static_cast<ErrorWeight>(at.size));
    }
    /// Where nothing can be better than the incumbent, only what is equally good with no more features counts.
    [[nodiscard]] std::size_t features_to_spare(const Sublattice<Words>& at, ErrorWeight bound) const override {
        const ErrorWeight objective = bound + incumbent_.penalty() * static_cast<ErrorWeight>(at.size);
        if (!smallest_ || objective < best_.objective || at.size > best_.size) return SearchSettings::no_limit;
        return best_.size - at.size;
    }
    [[nodiscard]] bool only_compares() const noexcept override { return true; }
    void record(const Sublattice<Words>& at, ErrorWeight error) override {
        incumbent_.offer(at.included, error, at.size);
    }

  private:
    Incumbent<Words>& incumbent_;
    ErrorWeight gap_;
    bool smallest_;
    ErrorWeight cap_ = no_error_limit;
    mutable std::uint64_t version_ = ~std::uint64_t{0};
    mutable typename Incumbent<Words>::Best best_;
};

}  // namespace palmette
