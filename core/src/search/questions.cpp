#include "palmette/search/questions.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "exploration.hpp"
#include "incumbent.hpp"
#include "palmette/search/best_subset.hpp"

namespace palmette {
namespace {

/// Every tree, or every tree up to an error.
template <std::size_t Words>
class TreesGoal : public Goal<Words> {
  public:
    TreesGoal(ErrorWeight greatest_error, std::size_t max_features)
        : greatest_error_(greatest_error), max_features_(max_features) {}

    [[nodiscard]] ErrorWeight limit(const Sublattice<Words>& at) const override {
        if (at.size > max_features_) return 0;
        return greatest_error_ < 0 ? no_error_limit : greatest_error_ + 1;
    }
    void record(const Sublattice<Words>& at, ErrorWeight error) override {
        if (greatest_error_ < 0 || error <= greatest_error_) found(at, error);
    }
    virtual void found(const Sublattice<Words>& at, ErrorWeight error) = 0;

  private:
    ErrorWeight greatest_error_;
    std::size_t max_features_;
};

template <std::size_t Words>
FeatureSet<Words> undecided(const SearchProblem& problem, const Sublattice<Words>& at) {
    FeatureSet<Words> units;
    for (std::size_t unit = 0; unit < problem.n_units(); ++unit)
        if (!at.included.contains(unit) && !at.excluded.contains(unit)) units.insert(unit);
    return units;
}

/// The units that a node of the subset's trees ranks before its own: with one of them the trees would be others.
template <std::size_t Words>
FeatureSet<Words> passed_over(Trie<Words>& trie, const FeatureSet<Words>& allowed) {
    FeatureSet<Words> passed;
    std::vector<TrieNode<Words>*> stack;
    for (TrieNode<Words>& root : trie.roots()) stack.push_back(&root);
    while (!stack.empty()) {
        TrieNode<Words>& node = *stack.back();
        stack.pop_back();
        trie.expand(node);
        for (std::uint32_t rank = 0; rank < node.n_ranked; ++rank) {
            if (!allowed.contains(node.ranking[rank].unit)) {
                passed.insert(node.ranking[rank].unit);
                continue;
            }
            const auto& split = trie.split(node, rank);
            for (std::uint32_t j = 0; j < split.n_children; ++j) stack.push_back(&split.children[j]);
            break;
        }
    }
    return passed;
}

template <std::size_t Words>
FoundSubset found_subset(const SearchProblem& problem, const Sublattice<Words>& at, ErrorWeight error) {
    return {units_in(at.included), error, at.size, units_in(undecided(problem, at))};
}

template <std::size_t Words>
class QueueGoal final : public TreesGoal<Words> {
  public:
    QueueGoal(const SearchProblem& problem, ErrorWeight greatest_error, std::size_t max_features)
        : TreesGoal<Words>(greatest_error, max_features), problem_(problem) {}
    void found(const Sublattice<Words>& at, ErrorWeight error) override {
        queue.push_back(found_subset(problem_, at, error));
    }
    std::deque<FoundSubset> queue;

  private:
    const SearchProblem& problem_;
};

/// Counts on its own and adds up when it goes.
template <std::size_t Words>
class CountGoal final : public TreesGoal<Words> {
  public:
    CountGoal(const SearchProblem& problem, ErrorWeight greatest_error, std::size_t max_features, TreeCounts& total,
              std::mutex& mutex)
        : TreesGoal<Words>(greatest_error, max_features), problem_(problem), total_(total), mutex_(mutex) {}
    CountGoal(const CountGoal&) = delete;
    CountGoal& operator=(const CountGoal&) = delete;
    ~CountGoal() override {
        const std::lock_guard lock(mutex_);
        for (const auto& [kind, count] : counts_) total_[kind] += count;
    }
    void found(const Sublattice<Words>& at, ErrorWeight) override {
        ++counts_[{at.size, problem_.n_units() - (at.included | at.excluded).size()}];
    }

  private:
    const SearchProblem& problem_;
    TreeCounts& total_;
    std::mutex& mutex_;
    TreeCounts counts_;
};

/// The best subset of each size, shared by the workers.
template <std::size_t Words>
class FrontGoal final : public Goal<Words> {
  public:
    struct Best {
        FeatureSet<Words> units;
        ErrorWeight error = no_error_limit;
    };
    struct Front {
        std::mutex mutex;
        std::vector<Best> of_size;                          // exactly this many features
        std::vector<std::atomic<ErrorWeight>> error_up_to;  // least error with at most this many
    };

    FrontGoal(const SearchProblem& problem, std::size_t max_features, Front& front)
        : problem_(problem), max_features_(max_features), front_(front) {}

    [[nodiscard]] ErrorWeight limit(const Sublattice<Words>& at) const override {
        if (at.size > max_features_) return 0;
        // Larger subsets have no greater errors to beat. A tree of this very size may also come before one of equal
        // error, in the order of the features.
        const ErrorWeight to_beat = front_.error_up_to[at.size].load(std::memory_order_relaxed);
        if (to_beat >= no_error_limit) return no_error_limit;
        const std::lock_guard lock(front_.mutex);
        const Best& best = front_.of_size[at.size];
        const bool may_tie = best.error == to_beat && features_before(problem_, at.included, best.units);
        return to_beat + (may_tie ? 1 : 0);
    }
    [[nodiscard]] bool only_compares() const noexcept override { return true; }
    void record(const Sublattice<Words>& at, ErrorWeight error) override {
        if (at.size > max_features_) return;
        const std::lock_guard lock(front_.mutex);
        Best& best = front_.of_size[at.size];
        if (error > best.error || (error == best.error && !features_before(problem_, at.included, best.units))) return;
        best = {at.included, error};
        for (std::size_t size = at.size; size < front_.error_up_to.size(); ++size)
            if (error < front_.error_up_to[size].load()) front_.error_up_to[size].store(error);
    }

  private:
    const SearchProblem& problem_;
    std::size_t max_features_;
    Front& front_;
};

/// The least error with and without each unit, shared by the workers.
template <std::size_t Words>
class CostsGoal final : public Goal<Words> {
  public:
    struct Costs {
        explicit Costs(std::size_t n_units) : with(n_units), without(n_units) {
            for (auto* side : {&with, &without})
                for (auto& entry : *side) entry.store(no_error_limit);
        }
        std::vector<std::atomic<ErrorWeight>> with, without;
    };

    CostsGoal(const SearchProblem& problem, std::size_t max_features, Costs& costs)
        : problem_(problem), max_features_(max_features), costs_(costs) {}

    /// The greatest of the numbers that a tree from here could lower.
    [[nodiscard]] ErrorWeight limit(const Sublattice<Words>& at) const override {
        if (at.size > max_features_) return 0;
        ErrorWeight greatest = 0;
        for (std::size_t unit = 0; unit < costs_.with.size(); ++unit) {
            if (!at.excluded.contains(unit) && fits(at, unit))
                greatest = std::max(greatest, costs_.with[unit].load(std::memory_order_relaxed));
            if (!at.included.contains(unit))
                greatest = std::max(greatest, costs_.without[unit].load(std::memory_order_relaxed));
        }
        return greatest;
    }
    [[nodiscard]] bool only_compares() const noexcept override { return true; }
    void record(const Sublattice<Words>& at, ErrorWeight error) override {
        if (at.size > max_features_) return;
        for (std::size_t unit = 0; unit < costs_.with.size(); ++unit) {
            // An undecided unit may join or stay away: the tree is the same.
            if (!at.excluded.contains(unit) && fits(at, unit)) lower(costs_.with[unit], error);
            if (!at.included.contains(unit)) lower(costs_.without[unit], error);
        }
    }

  private:
    [[nodiscard]] bool fits(const Sublattice<Words>& at, std::size_t unit) const {
        return at.included.contains(unit) || at.size + problem_.features_of(unit).size() <= max_features_;
    }
    static void lower(std::atomic<ErrorWeight>& entry, ErrorWeight error) {
        ErrorWeight old = entry.load();
        while (error < old && !entry.compare_exchange_weak(old, error)) {}
    }

    const SearchProblem& problem_;
    std::size_t max_features_;
    Costs& costs_;
};

}  // namespace

class TreeEnumerator::Impl {
  public:
    virtual ~Impl() = default;
    virtual std::vector<FoundSubset> next(std::size_t max_count, const Budget& budget) = 0;
    bool finished = false;
    bool out_of_memory = false;
};

namespace {

template <std::size_t Words>
class Enumeration final : public TreeEnumerator::Impl {
  public:
    Enumeration(const SearchProblem& problem, const SearchSettings& settings, ErrorWeight limit)
        : samples_(search_sets<SearchSamples>(problem)),
          goal_(problem, limit, settings.max_features),
          trie_(problem, samples_, true, unlimited_),
          explorer_(trie_, goal_, settings.memory_limit) {
        explorer_.start(Task<Words>{kept_units<Words>(problem, settings), {}, 0, 1.0});
    }

    std::vector<FoundSubset> next(std::size_t max_count, const Budget& budget) override {
        using Outcome = typename Explorer<Words>::Outcome;
        while (goal_.queue.size() < max_count && !done_ && !out_of_memory && !budget.spent()) {
            const Outcome outcome = explorer_.step();
            out_of_memory = outcome == Outcome::out_of_memory;
            done_ = outcome == Outcome::finished;
        }
        std::vector<FoundSubset> found;
        while (!goal_.queue.empty() && found.size() < max_count) {
            found.push_back(std::move(goal_.queue.front()));
            goal_.queue.pop_front();
        }
        finished = done_ && goal_.queue.empty();
        return found;
    }

  private:
    Budget unlimited_;
    std::vector<SearchSamples> samples_;
    QueueGoal<Words> goal_;
    Trie<Words> trie_;
    Explorer<Words> explorer_;
    bool done_ = false;
};

}  // namespace

TreeEnumerator::TreeEnumerator(const SearchProblem& problem, const SearchSettings& settings, ErrorWeight limit)
    : impl_(with_feature_set(problem.n_units(), [&]<std::size_t Words>() -> std::unique_ptr<Impl> {
          return std::make_unique<Enumeration<Words>>(problem, settings, limit);
      })) {}
TreeEnumerator::~TreeEnumerator() = default;

std::vector<FoundSubset> TreeEnumerator::next(std::size_t max_count, const Budget& budget) {
    return impl_->next(max_count, budget);
}
bool TreeEnumerator::finished() const {
    return impl_->finished;
}
bool TreeEnumerator::out_of_memory() const {
    return impl_->out_of_memory;
}

FoundSubset describe_subset(const SearchProblem& problem, const std::vector<std::uint32_t>& units) {
    const ErrorWeight error = error_of_subset(problem, units).error;  // refuses units that are not there
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        Sublattice<Words> at;
        for (const std::uint32_t unit : units) at.included.insert(unit);
        at.size = n_features_in(problem, at.included);
        const std::vector<SearchSamples> samples = search_sets<SearchSamples>(problem);
        const Budget unlimited;
        Trie<Words> trie(problem, samples, true, unlimited);
        at.excluded = passed_over(trie, at.included);
        return found_subset(problem, at, error);
    });
}

Answer<TreeCounts> count_distinct_trees(const SearchProblem& problem, const SearchSettings& settings, ErrorWeight limit,
                                        Budget& budget, Progress& progress) {
    TreeCounts total;
    std::mutex mutex;
    const bool enough_memory = with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        return explore_lattice<Words>(
            problem, settings, true,
            [&] { return std::make_unique<CountGoal<Words>>(problem, limit, settings.max_features, total, mutex); },
            budget, progress);
    });
    return {std::move(total), !enough_memory};
}

Answer<std::vector<FoundSubset>> pareto_front(const SearchProblem& problem, const SearchSettings& settings,
                                              Budget& budget, Progress& progress) {
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        using Goal = FrontGoal<Words>;
        const std::size_t n_features = problem.dataset().n_features();
        typename Goal::Front front;
        front.of_size.resize(n_features + 1);
        front.error_up_to = std::vector<std::atomic<ErrorWeight>>(n_features + 1);
        for (auto& error : front.error_up_to) error.store(no_error_limit);
        const auto make_goal = [&] { return std::make_unique<Goal>(problem, settings.max_features, front); };
        start_warm<Words>(problem, settings, *make_goal(), budget);
        const bool enough_memory = explore_lattice<Words>(problem, settings, false, make_goal, budget, progress);

        std::vector<FoundSubset> found;
        ErrorWeight least = no_error_limit;
        for (std::size_t size = 0; size <= n_features; ++size) {
            const typename Goal::Best& best = front.of_size[size];
            if (best.error >= least) continue;
            least = best.error;
            // The search saw the tree on a path of its own, where more was excluded than the tree forbids.
            found.push_back(describe_subset(problem, units_in(best.units)));
        }
        return Answer{std::move(found), !enough_memory};
    });
}

Answer<FeatureCosts> feature_costs(const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
                                   Progress& progress) {
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        using Goal = CostsGoal<Words>;
        typename Goal::Costs costs(problem.n_units());
        const auto make_goal = [&] { return std::make_unique<Goal>(problem, settings.max_features, costs); };
        start_warm<Words>(problem, settings, *make_goal(), budget);
        const bool enough_memory = explore_lattice<Words>(problem, settings, false, make_goal, budget, progress);
        FeatureCosts found;
        const auto read = [](const std::vector<std::atomic<ErrorWeight>>& from, std::vector<ErrorWeight>& to) {
            for (const auto& entry : from)
                to.push_back(entry.load() >= no_error_limit ? FeatureCosts::none : entry.load());
        };
        read(costs.with, found.with);
        read(costs.without, found.without);
        return Answer{std::move(found), !enough_memory};
    });
}

}  // namespace palmette
