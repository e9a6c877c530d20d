#include "palmette/oblivious/focus.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "conflicts.hpp"
#include "hitting_set.hpp"

namespace palmette {
namespace {

using oblivious::Conflicts;
using oblivious::HittingSetProblem;
using Features = std::vector<std::uint32_t>;

class Focus {
  public:
    Focus(const Dataset& dataset, const Features& keep, Budget& budget, FocusProgress& progress)
        : conflicts_(dataset), keep_(keep), budget_(budget), progress_(progress), known_(dataset.n_features()) {}

    FocusResult operator()() {
        result_.features.resize(conflicts_.n_features());
        std::iota(result_.features.begin(), result_.features.end(), 0U);
        show_size();
        raise_bound(keep_.size());
        const bool complete = search();
        result_.n_inseparable = conflicts_.n_inseparable();
        result_.n_conflicts = known_.sets().size();
        result_.n_nodes = known_.n_nodes();
        if (!complete) result_.status = budget_.deadline_passed() ? FocusStatus::time_limit : FocusStatus::interrupted;
        return std::move(result_);
    }

  private:
    /// False if the budget ended it.
    bool search() {
        for (const std::uint32_t feature : conflicts_.forced())
            if (!std::ranges::binary_search(keep_, feature)) known_.add({feature});
        // Sizes upwards: a size for which the known conflicts have no hitting set is ruled out for good.
        const std::vector<bool> all_allowed(conflicts_.n_features(), false);
        std::size_t size = 0;
        while (keep_.size() + size < result_.features.size()) {
            const auto hitting = known_.find(size, {}, all_allowed, budget_);
            if (budget_.check_deadline()) return false;
            if (hitting)
                try_out(*hitting);
            else
                raise_bound(keep_.size() + ++size);
        }
        raise_bound(result_.features.size());
        // The size is proved; now the first of that size.
        for (;;) {
            const auto hitting = known_.find_first(size, budget_);
            if (budget_.check_deadline() || !hitting) return false;
            if (try_out(*hitting)) {
                result_.features = with_kept(*hitting);
                return true;
            }
        }
    }

    /// True if the features are consistent. If not, conflicts that they leave become known; features that resolve them
    /// are added until nothing is left, which makes further conflicts known and a consistent set.
    bool try_out(const Features& hitting) {
        Features features = with_kept(hitting);
        for (bool first = true;; first = false) {
            const auto left = conflicts_.left_by(features);
            if (left.empty()) {
                if (!first) drop_redundant(features);
                offer(features);
                return first;
            }
            if (budget_.check_deadline()) return false;
            std::vector<std::uint32_t> covers(conflicts_.n_features(), 0);
            for (const Features& conflict : left) {
                known_.add(conflict);
                for (const std::uint32_t feature : conflict) ++covers[feature];
            }
            features.push_back(static_cast<std::uint32_t>(std::ranges::max_element(covers) - covers.begin()));
        }
    }

    void drop_redundant(Features& features) const {
        // Of features that can go for each other the one with the lower index is kept.
        std::ranges::sort(features);
        for (std::size_t i = features.size(); i-- > 0;) {
            if (std::ranges::binary_search(keep_, features[i])) continue;
            Features fewer = features;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (conflicts_.is_consistent(fewer)) features = std::move(fewer);
        }
    }

    [[nodiscard]] Features with_kept(const Features& hitting) const {
        Features features;
        std::ranges::set_union(keep_, hitting, std::back_inserter(features));
        return features;
    }

    void offer(const Features& features) {
        if (features.size() >= result_.features.size()) return;
        result_.features = features;
        show_size();
    }

    void show_size() {
        progress_.size.store(result_.features.size(), std::memory_order_relaxed);
        progress_.work_total.store(result_.features.size(), std::memory_order_relaxed);
    }

    void raise_bound(std::size_t bound) {
        result_.lower_bound = bound;
        progress_.lower_bound.store(bound, std::memory_order_relaxed);
        progress_.work_done.store(bound, std::memory_order_relaxed);
    }

    Conflicts conflicts_;
    const Features& keep_;
    Budget& budget_;
    FocusProgress& progress_;
    HittingSetProblem known_;
    FocusResult result_;
};

}  // namespace

FocusResult find_smallest_consistent(const Dataset& dataset, const std::vector<std::uint32_t>& keep, Budget& budget,
                                     FocusProgress& progress) {
    if (!std::ranges::is_sorted(keep) || (!keep.empty() && keep.back() >= dataset.n_features()))
        throw std::invalid_argument("the features to keep must be ascending numbers of features");
    return Focus(dataset, keep, budget, progress)();
}

}  // namespace palmette
