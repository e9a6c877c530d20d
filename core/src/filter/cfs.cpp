#include "palmette/filter/cfs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "palmette/filter/correlations.hpp"

namespace palmette {
namespace {

/// Weka's: a merit that is better by less is not better.
constexpr double least_improvement = 1e-5;

/// Of more subsets waiting than this the worse half is dropped: it would be reached after as many expansions.
constexpr std::size_t most_waiting = std::size_t{1} << 20;

constexpr std::uint32_t no_subset = std::numeric_limits<std::uint32_t>::max();

/// A subset in sums of uncertainties, exact in units of 2^-31.
struct Subset {
    std::vector<std::uint32_t> features;  // in the order in which they were added
    std::int64_t relevance = 0;           // k·r_cf
    std::int64_t redundancy = 0;          // k + k(k - 1)·r_ff
};

double merit_of(std::int64_t relevance, std::int64_t redundancy) {
    if (redundancy == 0) return 0.0;
    return static_cast<double>(relevance) / std::sqrt(static_cast<double>(redundancy) * full_uncertainty);
}

/// A subset that waits to be expanded: an expanded one and one feature more.
struct Waiting {
    double merit;
    std::uint32_t parent;
    std::uint32_t feature;
    std::uint64_t number;  // in order of appearance
};

/// The order of expansion: the higher merit first, the earlier of equals.
bool comes_after(const Waiting& one, const Waiting& other) {
    return one.merit != other.merit ? one.merit < other.merit : one.number > other.number;
}

class BestFirst {
  public:
    BestFirst(Correlations& correlations, std::uint32_t max_stale, Budget& budget, Progress& progress)
        : correlations_(correlations), max_stale_(max_stale), budget_(budget), progress_(progress) {}

    void run(CfsResult& result) {
        expanded_.push_back({});
        std::uint32_t stale = expand(0, result) ? 0 : 1;
        while (stale < max_stale_ && !waiting_.empty() && !budget_.check_deadline()) {
            const Waiting next = pop();
            Subset subset = grown(next);
            if (!seen_.insert(sorted(subset.features)).second) continue;
            expanded_.push_back(std::move(subset));
            stale = expand(static_cast<std::uint32_t>(expanded_.size() - 1), result) ? 0 : stale + 1;
        }
        if (best_.parent != no_subset) result.selected = grown(best_).features;
        result.merit = best_.merit;
        result.n_subsets = n_seen_;
    }

  private:
    static std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> features) {
        std::ranges::sort(features);
        return features;
    }

    Waiting pop() {
        std::ranges::pop_heap(waiting_, comes_after);
        const Waiting next = waiting_.back();
        waiting_.pop_back();
        return next;
    }

    /// The sums over the features of the subset, for every feature; empty once the budget is spent.
    std::vector<std::int64_t> shared_with(const Subset& subset) {
        std::vector<std::int64_t> sums(correlations_.with_class().size(), 0);
        for (const std::uint32_t member : subset.features) {
            const auto column = correlations_.column(member);
            if (column.empty()) return {};
            for (std::size_t feature = 0; feature < sums.size(); ++feature) sums[feature] += column[feature];
        }
        return sums;
    }

    Subset grown(const Waiting& by) {
        Subset subset = expanded_[by.parent];
        std::int64_t shared = 0;
        for (const std::uint32_t member : subset.features) shared += correlations_.between(member, by.feature);
        subset.features.push_back(by.feature);
        subset.relevance += correlations_.with_class()[by.feature];
        subset.redundancy += full_uncertainty + 2 * shared;
        return subset;
    }

    /// Whether a better subset was found.
    bool expand(std::uint32_t number, CfsResult& result) {
        const Subset& subset = expanded_[number];
        const std::vector<std::int64_t> shared = shared_with(subset);
        if (shared.empty()) return false;
        std::vector<bool> inside(shared.size(), false);
        for (const std::uint32_t member : subset.features) inside[member] = true;
        bool improved = false;
        for (const std::uint32_t feature : correlations_.relevant()) {
            if (inside[feature]) continue;
            const double merit = merit_of(subset.relevance + correlations_.with_class()[feature],
                                          subset.redundancy + full_uncertainty + 2 * shared[feature]);
            const Waiting child{merit, number, feature, n_seen_++};
            if (merit - best_.merit > least_improvement) {
                best_ = child;
                improved = true;
            }
            waiting_.push_back(child);
            std::ranges::push_heap(waiting_, comes_after);
        }
        if (waiting_.size() > most_waiting) {
            const auto middle = waiting_.begin() + most_waiting / 2;
            std::nth_element(waiting_.begin(), middle, waiting_.end(),
                             [](const Waiting& one, const Waiting& other) { return comes_after(other, one); });
            waiting_.erase(middle, waiting_.end());
            std::ranges::make_heap(waiting_, comes_after);
        }
        result.history.push_back({subset.features, merit_of(subset.relevance, subset.redundancy), best_.merit});
        progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);
        return improved;
    }

    Correlations& correlations_;
    std::uint32_t max_stale_;
    Budget& budget_;
    Progress& progress_;
    std::vector<Subset> expanded_;
    std::vector<Waiting> waiting_;  // a heap
    std::set<std::vector<std::uint32_t>> seen_;
    Waiting best_{0.0, no_subset, 0, 0};
    std::uint64_t n_seen_ = 0;
};

/// Adds, from the one that tells most of the class on, each feature that tells more of the class than any selected one
/// tells of it.
void add_locally_predictive(Correlations& correlations, Budget& budget, CfsResult& result) {
    const auto with_class = correlations.with_class();
    std::vector<std::uint32_t> others;
    for (const std::uint32_t feature : correlations.relevant())
        if (std::ranges::find(result.selected, feature) == result.selected.end()) others.push_back(feature);
    std::ranges::stable_sort(others, std::greater<>{}, [&](std::uint32_t feature) { return with_class[feature]; });
    for (const std::uint32_t feature : others) {
        if (budget.check_deadline()) return;
        const bool redundant = std::ranges::any_of(result.selected, [&](std::uint32_t member) {
            return correlations.between(member, feature) > with_class[feature];
        });
        if (redundant) continue;
        result.selected.push_back(feature);
        ++result.n_locally_predictive;
    }
}

}  // namespace

CfsResult select_by_cfs(const Dataset& dataset, const CfsOptions& options, Budget& budget, Progress& progress,
                        WorkerPool& pool) {
    // Features are cut, correlated with the class, and searched; how long the search takes nobody knows.
    progress.work_total.store(3 * dataset.n_features(), std::memory_order_relaxed);
    const DiscreteTable table(dataset, options.cut_cost, budget, progress, pool);
    Correlations correlations(table, budget, progress, pool);
    CfsResult result;
    result.with_class.assign(correlations.with_class().begin(), correlations.with_class().end());
    BestFirst(correlations, options.max_stale, budget, progress).run(result);
    if (options.locally_predictive) add_locally_predictive(correlations, budget, result);
    result.n_correlations = correlations.n_computed();
    result.complete = !budget.spent();
    return result;
}

}  // namespace palmette
