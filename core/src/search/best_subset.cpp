// The order of the search. First elimination and forward selection give an incumbent and the search begins; most problems
// end there. Larger ones get some local search. Those that are still not through take turns between three: the search
// itself, runs with an artificial limit below the incumbent, which raise the proved lower bound long before the search is
// through, and more local search, which finds better incumbents long before it too.

#include "palmette/search/best_subset.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "frontier.hpp"
#include "incumbent.hpp"
#include "palmette/support/random.hpp"
#include "palmette/support/worker_pool.hpp"
#include "search_state.hpp"
#include "warm_start.hpp"

namespace palmette {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t steps_between_looks = 16;
constexpr std::uint64_t sublattices_before_local_search = 2000;
constexpr double share_of_local_search = 0.5;  // of the time that the search has taken before it
constexpr double most_seconds_of_local_search = 0.25;
constexpr double share_of_later_local_search = 0.25;  // once the bound is being raised
constexpr double seconds_of_first_stretch = 3.0;
constexpr double seconds_of_longest_stretch = 30.0;
// Runs with an artificial limit raise the bound. A search that ends soon does without: they begin after some seconds, or
// after a share of the time that there is. From then on they get a quarter of the time of the search itself, and as much
// once it has taken a minute: by then the bound is likely to be all that it can prove.
constexpr double seconds_before_bounding = 20.0;
constexpr double share_before_bounding = 0.2;
constexpr double share_of_bounding = 0.25;
constexpr double seconds_before_even_shares = 60.0;
// The closer to the incumbent, the more such a run is a repetition of the search.
constexpr double greatest_cap = 0.75;

}  // namespace

class BestSubsetSearch::Impl {
  public:
    virtual ~Impl() = default;
    virtual SearchResult run() = 0;
    [[nodiscard]] virtual View view() const = 0;
    virtual void request_save() = 0;
    [[nodiscard]] virtual std::vector<std::byte> take_saved() = 0;
    [[nodiscard]] virtual std::vector<std::byte> final_state() const = 0;
};

namespace {

template <std::size_t Words>
class Search final : public BestSubsetSearch::Impl {
  public:
    Search(const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
           std::span<const std::byte> saved)
        : problem_(problem),
          settings_(settings),
          budget_(budget),
          incumbent_(problem, settings),
          samples_(search_sets<SearchSamples>(problem)),
          n_jobs_(std::max<std::size_t>(1, settings.n_jobs)) {
        keep_ = kept_units<Words>(problem, settings);
        keep_size_ = n_features_in(problem, keep_);
        if (!saved.empty()) {
            SearchState<Words> state = SearchState<Words>::read(saved, problem.n_units());
            incumbent_.restore(state.best, state.bound, state.seconds, std::move(state.history));
            main_tasks_ = std::move(state.main_tasks);
            bounding_tasks_ = std::move(state.bounding_tasks);
            cap_ = state.cap;
            n_trees_ = state.n_trees;
            n_first_trees_ = state.n_first_trees;
            n_sublattices_ = state.n_sublattices;
            n_expansions_ = state.n_expansions;
            closed_share_ = state.closed_share;
            resumed_ = true;
        }
    }

    SearchResult run() override {
        WorkerPool pool(n_jobs_);
        n_jobs_ = pool.size();  // the system may have refused a thread
        workers_.resize(n_jobs_);
        // Each worker builds its own: what a thread uses lies near it.
        pool.run(n_jobs_, [&](std::size_t, std::size_t i) { workers_[i] = std::make_unique<Worker>(*this); });
        if (!resumed_) {
            incumbent_.offer(keep_, error_of_kept(*workers_[0]), keep_size_);
            find_incumbent(pool);
            main_tasks_ = {Task<Words>{keep_, {}, 0, 1.0}};
        }
        search(pool);
        return result();
    }

    [[nodiscard]] BestSubsetSearch::View view() const override {
        const auto best = incumbent_.best();
        return {closed_share_.load(), n_trees_.load(),    n_expansions_.load(),
                best.objective,       incumbent_.bound(), best.size};
    }

    void request_save() override { frontier_.request_save(); }
    [[nodiscard]] std::vector<std::byte> take_saved() override {
        const std::lock_guard lock(saved_mutex_);
        return std::exchange(saved_, {});
    }
    [[nodiscard]] std::vector<std::byte> final_state() const override {
        return state(main_tasks_, bounding_tasks_).write();
    }

  private:
    struct Worker {
        explicit Worker(Search& search)
            : trie(search.problem_, search.samples_, false, search.budget_),
              goal(search.incumbent_, search.settings_),
              explorer(trie, goal, search.memory_of_one()) {}

        Trie<Words> trie;
        BestGoal<Words> goal;
        Explorer<Words> explorer;
        std::uint64_t seen_trees = 0, seen_sublattices = 0, seen_expansions = 0;
    };
    using Tasks = std::vector<Task<Words>>;

    [[nodiscard]] std::size_t memory_of_one() const { return settings_.memory_limit / n_jobs_; }
    [[nodiscard]] bool stopped() const { return budget_.spent() || out_of_memory_.load(); }

    ErrorWeight error_of_kept(Worker& worker) {
        const auto found = Walk<Words>(worker.trie)(keep_);
        if (found) return found->error;
        // Stopped before the first tree. There is no answer without one, so it is grown all the same.
        const Budget unlimited;
        Trie<Words> trie(problem_, samples_, false, unlimited);
        return Walk<Words>(trie)(keep_)->error;
    }

    /// Backward elimination, and forward selection for as much work: which of them finds the better subset, nobody knows.
    void find_incumbent(WorkerPool& pool) {
        std::atomic<std::uint64_t> work_of_elimination{0};
        const auto eliminate = [&](Trie<Words>& trie, WarmStart<Words>& start) {
            start.eliminate();
            work_of_elimination.store(trie.work());
        };
        const auto select_forward = [&](Trie<Words>& trie, WarmStart<Words>& start) {
            start.select_forward([&, first = trie.work()] {
                const std::uint64_t most = work_of_elimination.load(std::memory_order_relaxed);
                return (most == 0 || trie.work() - first < most) && !budget_.check_deadline();
            });
        };
        pool.run(2, [&](std::size_t worker, std::size_t way) {
            Trie<Words>& trie = workers_[worker]->trie;
            WarmStart<Words> start(trie, incumbent_, keep_, memory_of_one(), budget_);
            if (way == 0)
                eliminate(trie, start);
            else
                select_forward(trie, start);
            n_first_trees_.fetch_add(start.n_trees(), std::memory_order_relaxed);
        });
    }

    void search(WorkerPool& pool) {
        const double begin_of_bounding =
            std::min(seconds_before_bounding, share_before_bounding * budget_.seconds_left());
        if (!resumed_) {
            const double seconds =
                explore(pool, main_tasks_, no_error_limit, seconds_of_first_stretch, sublattices_before_local_search);
            if (main_tasks_.empty() || stopped()) return;
            search_locally_early(pool, seconds);
        }
        double seconds_of_search = 0, seconds_of_bounding = 0, stretch = seconds_of_first_stretch;
        while (!main_tasks_.empty() && !stopped()) {
            const double seconds = explore(pool, main_tasks_, no_error_limit, stretch, ~std::uint64_t{0});
            seconds_of_search += seconds;
            if (main_tasks_.empty() || stopped()) break;
            if (stretch == seconds_of_first_stretch) search_locally_early(pool, seconds);
            stretch = std::min(1.5 * stretch, seconds_of_longest_stretch);
            if (seconds_of_search < begin_of_bounding) continue;
            search_locally(pool, share_of_later_local_search * seconds);
            const double share = seconds_of_search < seconds_before_even_shares ? share_of_bounding : 1.0;
            const double most_of_bounding = share * (seconds_of_search - begin_of_bounding);
            while (seconds_of_bounding < most_of_bounding && !stopped()) {
                if (bounding_tasks_.empty() && !choose_cap()) break;
                const double allowed = std::max(most_of_bounding - seconds_of_bounding, 0.1);
                seconds_of_bounding += explore(pool, bounding_tasks_, cap_, allowed, ~std::uint64_t{0});
                if (!bounding_tasks_.empty() || stopped()) break;
                if (incumbent_.best().objective < cap_) {  // all trees below the limit were seen: this one is the best
                    main_tasks_.clear();
                    break;
                }
                incumbent_.raise_bound(cap_);
            }
        }
    }

    /// The next artificial limit: 1, 2, 3, 4, 5, 6, 8, 10, 13, ... samples. False if it is too close to the incumbent.
    bool choose_cap() {
        const ErrorWeight bound = incumbent_.bound();
        const ErrorWeight one = problem_.dataset().scale().one();
        const ErrorWeight cap = bound + std::max(one, bound / 3 / one * one);
        if (static_cast<double>(cap) > greatest_cap * static_cast<double>(incumbent_.best().objective)) return false;
        cap_ = cap;
        bounding_tasks_ = {Task<Words>{keep_, {}, 0, 1.0}};
        return true;
    }

    void search_locally_early(WorkerPool& pool, double seconds_of_search) {
        search_locally(pool, std::min(share_of_local_search * seconds_of_search, most_seconds_of_local_search));
    }
    void search_locally(WorkerPool& pool, double seconds) {
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        const RandomStream random = RandomStream(settings_.seed).child(n_local_searches_++);
        pool.run(n_jobs_, [&](std::size_t, std::size_t i) {
            WarmStart<Words> start(workers_[i]->trie, incumbent_, keep_, memory_of_one(), budget_);
            start.search_locally(random.child(i), [&] { return Clock::now() < end && !budget_.check_deadline(); });
            n_first_trees_.fetch_add(start.n_trees(), std::memory_order_relaxed);
        });
    }

    /// Works on the tasks with all workers until they are done, or the time or the number of sublattices is used up;
    /// what is left is in `tasks` again. Returns the seconds.
    double explore(WorkerPool& pool, Tasks& tasks, ErrorWeight cap, double seconds, std::uint64_t n_sublattices) {
        const auto begin = Clock::now();
        const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        const std::uint64_t last_sublattice = n_sublattices < ~std::uint64_t{0} - n_sublattices_.load()
                                                  ? n_sublattices_.load() + n_sublattices
                                                  : ~std::uint64_t{0};
        const bool bounding = cap != no_error_limit;
        frontier_.open(std::exchange(tasks, {}), n_jobs_);
        pool.run(n_jobs_, [&](std::size_t, std::size_t i) {
            Worker& worker = *workers_[i];
            worker.goal.set_cap(cap);
            try {
                while (auto task = frontier_.take()) {
                    worker.explorer.start(*task);
                    work_on(worker, bounding, end, last_sublattice);
                }
            } catch (...) {
                // The others must not wait for this one.
                frontier_.leave(worker.explorer.pending());
                frontier_.drain();
                while (frontier_.take()) {}
                throw;
            }
        });
        tasks = frontier_.close();
        if (!bounding) raise_bound_by(tasks);
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    void work_on(Worker& worker, bool bounding, Clock::time_point end, std::uint64_t last_sublattice) {
        using Outcome = typename Explorer<Words>::Outcome;
        Outcome outcome = Outcome::going_on;
        while (outcome == Outcome::going_on) {
            outcome = worker.explorer.run(steps_between_looks);
            account(worker, bounding);
            if (outcome == Outcome::finished) return;
            if (outcome == Outcome::out_of_memory) out_of_memory_.store(true);
            budget_.check_deadline();
            if (stopped() || outcome != Outcome::going_on || n_sublattices_.load() > last_sublattice ||
                Clock::now() > end)
                frontier_.drain();
            if (frontier_.draining()) {
                frontier_.leave(worker.explorer.pending());
                return;
            }
            if (frontier_.save_requested())
                frontier_.report(worker.explorer.pending(), [this, bounding](Tasks all) {
                    save(bounding ? state(main_tasks_, all) : state(all, bounding_tasks_));
                });
            if (frontier_.wanted())
                if (auto task = worker.explorer.give_away()) frontier_.give(std::move(*task));
        }
    }

    void account(Worker& worker, bool bounding) {
        const auto add = [](std::atomic<std::uint64_t>& total, std::uint64_t& seen, std::uint64_t now) {
            total.fetch_add(now - std::exchange(seen, now), std::memory_order_relaxed);
        };
        add(n_trees_, worker.seen_trees, worker.explorer.n_trees());
        add(n_sublattices_, worker.seen_sublattices, worker.explorer.n_sublattices());
        add(n_expansions_, worker.seen_expansions, worker.trie.n_expansions());
        const double closed = worker.explorer.take_closed_share();
        if (!bounding) closed_share_.fetch_add(closed, std::memory_order_relaxed);
    }

    void raise_bound_by(const Tasks& left) {
        ErrorWeight bound = no_error_limit;
        for (const Task<Words>& task : left) {
            const auto size = static_cast<ErrorWeight>(n_features_in(problem_, task.included));
            bound = std::min(bound, task.bound + incumbent_.penalty() * size);
        }
        const ErrorWeight gap = problem_.dataset().scale().from_double(settings_.error_gap);
        incumbent_.raise_bound(std::min(bound, incumbent_.best().objective - gap));
    }

    [[nodiscard]] SearchState<Words> state(const Tasks& main_tasks, const Tasks& bounding_tasks) const {
        SearchState<Words> state;
        state.best = incumbent_.best();
        state.bound = incumbent_.bound();
        state.seconds = incumbent_.seconds();
        state.history = incumbent_.history();
        state.main_tasks = main_tasks;
        state.bounding_tasks = bounding_tasks;
        state.cap = cap_;
        state.n_trees = n_trees_;
        state.n_first_trees = n_first_trees_;
        state.n_sublattices = n_sublattices_;
        state.n_expansions = n_expansions_;
        state.closed_share = closed_share_;
        return state;
    }
    void save(const SearchState<Words>& state) {
        std::vector<std::byte> bytes = state.write();
        const std::lock_guard lock(saved_mutex_);
        saved_ = std::move(bytes);
    }

    SearchResult result() {
        SearchResult result;
        const auto best = incumbent_.best();
        result.best = {units_in(best.units), best.error, best.size, {}};
        result.objective = best.objective;
        if (main_tasks_.empty()) {
            const ErrorWeight gap = problem_.dataset().scale().from_double(settings_.error_gap);
            incumbent_.raise_bound(std::max<ErrorWeight>(0, best.objective - gap));
            result.status = incumbent_.bound() == best.objective ? SearchStatus::optimal : SearchStatus::within_gap;
        } else {
            result.status = out_of_memory_.load()       ? SearchStatus::memory_limit
                            : budget_.deadline_passed() ? SearchStatus::time_limit
                                                        : SearchStatus::interrupted;
        }
        result.bound = incumbent_.bound();
        result.n_trees = n_trees_;
        result.n_first_trees = n_first_trees_;
        result.n_sublattices = n_sublattices_;
        result.n_expansions = n_expansions_;
        for (const auto& worker : workers_) result.peak_bytes += worker->trie.peak_bytes();
        result.history = incumbent_.history();
        return result;
    }

    const SearchProblem& problem_;
    SearchSettings settings_;
    Budget& budget_;
    Incumbent<Words> incumbent_;
    std::vector<SearchSamples> samples_;
    std::size_t n_jobs_;
    FeatureSet<Words> keep_;
    std::size_t keep_size_ = 0;
    std::vector<std::unique_ptr<Worker>> workers_;
    Frontier<Words> frontier_;
    Tasks main_tasks_;
    Tasks bounding_tasks_;
    ErrorWeight cap_ = no_error_limit;
    std::size_t n_local_searches_ = 0;
    bool resumed_ = false;
    std::atomic<bool> out_of_memory_{false};
    std::atomic<std::uint64_t> n_trees_{0}, n_first_trees_{0}, n_sublattices_{0}, n_expansions_{0};
    std::atomic<double> closed_share_{0};
    std::mutex saved_mutex_;
    std::vector<std::byte> saved_;
};

}  // namespace

BestSubsetSearch::BestSubsetSearch(const SearchProblem& problem, const SearchSettings& settings, Budget& budget,
                                   std::span<const std::byte> saved)
    : impl_(with_feature_set(problem.n_units(), [&]<std::size_t Words>() -> std::unique_ptr<Impl> {
          return std::make_unique<Search<Words>>(problem, settings, budget, saved);
      })) {}
BestSubsetSearch::~BestSubsetSearch() = default;

SearchResult BestSubsetSearch::run() {
    return impl_->run();
}
BestSubsetSearch::View BestSubsetSearch::view() const {
    return impl_->view();
}
void BestSubsetSearch::request_save() {
    impl_->request_save();
}
std::vector<std::byte> BestSubsetSearch::take_saved() {
    return impl_->take_saved();
}
std::vector<std::byte> BestSubsetSearch::final_state() const {
    return impl_->final_state();
}

FoundSubset error_of_subset(const SearchProblem& problem, std::span<const std::uint32_t> units) {
    problem.check_complete();
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        FeatureSet<Words> allowed;
        for (const std::uint32_t unit : units) {
            if (unit >= problem.n_units())
                throw std::invalid_argument("unit " + std::to_string(unit) + " is not one of the " +
                                            std::to_string(problem.n_units()));
            allowed.insert(unit);
        }
        const std::vector<SearchSamples> samples = search_sets<SearchSamples>(problem);
        const Budget unlimited;
        Trie<Words> trie(problem, samples, true, unlimited);
        const auto found = Walk<Words>(trie)(allowed);
        return FoundSubset{units_in(found->used), found->error, n_features_in(problem, found->used), {}};
    });
}

}  // namespace palmette
