// The sequential searches: which subset comes next, when to stop, and what is told about it.
//
// Ties. Backward: among removals with the same error the lowest unit goes, which is the order of (error, ascending
// tuple of the units left out); so beam search, which compares subsets of different parents, uses that tuple, and with
// width 1 it is backward elimination. Forward: (error, ascending tuple of the units chosen).

#include "palmette/search/elimination.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "elimination_engine.hpp"

namespace palmette {
namespace elimination {
namespace {

class SequentialSearch {
  public:
    SequentialSearch(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget,
                     EliminationProgress& progress)
        : problem_(problem), settings_(settings), budget_(budget), progress_(progress), keep_(problem.n_units()) {
        for (const std::uint32_t unit : settings.keep) keep_.insert(unit);
        progress.work_total.store(problem.n_units(), std::memory_order_relaxed);
    }

    EliminationResult operator()() {
        switch (settings_.strategy) {
            case EliminationStrategy::backward:
                go_backward();
                break;
            case EliminationStrategy::beam:
                with_assessor([&](Assessor& assessor) { go_along_beam(assessor); });
                break;
            case EliminationStrategy::forward:
            case EliminationStrategy::floating_forward:
                with_assessor([&](Assessor& assessor) { go_forward(assessor); });
                break;
            case EliminationStrategy::floating_backward:
                with_assessor([&](Assessor& assessor) { go_floating_backward(assessor); });
                break;
        }
        if (result_.status == EliminationStatus::complete && budget_.spent())
            result_.status = budget_.deadline_passed() ? EliminationStatus::time_limit : EliminationStatus::interrupted;
        return std::move(result_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// A subset with its trees.
    struct State {
        UnitSet units;
        std::size_t size = 0;  // features
        Assessment trees;
    };
    /// A subset one unit away from another.
    struct Move {
        UnitSet units;
        std::uint32_t unit;
        std::size_t parent = 0;
        Assessment trees;
    };

    [[nodiscard]] std::size_t n_features(std::uint32_t unit) const { return problem_.features_of(unit).size(); }
    [[nodiscard]] std::size_t size_of(const UnitSet& units) const {
        std::size_t size = 0;
        units.for_each([&](std::uint32_t unit) { size += n_features(unit); });
        return size;
    }
    [[nodiscard]] UnitSet all_units() const {
        UnitSet all(problem_.n_units());
        for (std::size_t unit = 0; unit < problem_.n_units(); ++unit) all.insert(unit);
        return all;
    }
    [[nodiscard]] bool may_go(const UnitSet& units, std::size_t size, std::uint32_t unit) const {
        return units.contains(unit) && !keep_.contains(unit) && size >= settings_.min_features + n_features(unit);
    }
    [[nodiscard]] bool may_come(const UnitSet& units, std::size_t size, std::uint32_t unit) const {
        return !units.contains(unit) && n_features(unit) <= settings_.max_features &&
               size <= settings_.max_features - n_features(unit);
    }
    /// The greatest error with which a step is taken.
    [[nodiscard]] ErrorWeight limit_after(ErrorWeight error, bool forced) const {
        if (forced) return no_error_limit;
        return settings_.accept_ties ? error : error - 1;
    }

    void start_with(const UnitSet& units) { result_.start = units.list(); }

    void tell(const State& state, std::int64_t removed, std::int64_t added, std::uint64_t trees_built,
              std::optional<std::vector<std::uint32_t>> units = std::nullopt) {
        EliminationStep& step = result_.steps.emplace_back();
        step.removed = removed;
        step.added = added;
        step.error = state.trees.error;
        step.size = state.size;
        step.used = state.trees.used;
        step.trees_built = trees_built;
        step.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        step.units = std::move(units);
        progress_.error.store(step.error, std::memory_order_relaxed);
        progress_.size.store(step.size, std::memory_order_relaxed);
        progress_.work_done.store(result_.steps.size() - 1, std::memory_order_relaxed);
    }
    void answer(const State& state) {
        result_.units = state.units.list();
        result_.error = state.trees.error;
    }
    void take_counts(const Counters& counters) {
        result_.n_trees = counters.n_trees;
        result_.n_scans = counters.n_scans;
        result_.n_expansions = counters.n_expansions;
        result_.peak_bytes = counters.peak_bytes;
    }

    void go_backward() {
        const auto eliminator = settings_.algorithm == EliminationAlgorithm::white_box
                                    ? make_trie_eliminator(problem_, settings_, budget_, progress_)
                                    : make_plain_eliminator(problem_, settings_, budget_, progress_);
        State state{all_units(), problem_.dataset().n_features(), {}};
        start_with(state.units);
        // The start is told even if the time is up.
        state.trees = *eliminator->assess(true);
        std::uint64_t n_trees = eliminator->counters().n_trees;
        tell(state, -1, -1, n_trees);

        std::size_t largest = 0;
        UnitSet removable(problem_.n_units());
        for (std::uint32_t unit = 0; unit < problem_.n_units(); ++unit) {
            largest = std::max(largest, n_features(unit));
            if (may_go(state.units, state.size, unit)) removable.insert(unit);
        }
        while (!budget_.check_deadline()) {
            if (eliminator->out_of_memory()) {
                result_.status = EliminationStatus::memory_limit;
                break;
            }
            if (state.size < settings_.min_features + largest)
                for (const std::uint32_t unit : removable.list())
                    if (!may_go(state.units, state.size, unit)) removable.erase(unit);
            const std::vector<std::uint32_t> leaving = settings_.unused_together
                                                           ? used_first(state, removable, *eliminator)
                                                           : best_first(state, removable, *eliminator);
            if (leaving.empty()) break;
            for (const std::uint32_t unit : leaving) eliminator->remove(unit);
            std::optional<Assessment> trees = eliminator->assess(false);
            if (!trees) break;
            state.trees = std::move(*trees);
            for (const std::uint32_t unit : leaving) {
                state.units.erase(unit);
                removable.erase(unit);
                state.size -= n_features(unit);
                tell(state, unit, -1, eliminator->counters().n_trees - n_trees);
                n_trees = eliminator->counters().n_trees;
            }
        }
        // Once max_features is reached no step is worse than the one before: the last subset is the best of the path
        // that is small enough.
        answer(state);
        take_counts(eliminator->counters());
    }

    /// The unit whose removal errs least, if that is accepted.
    std::vector<std::uint32_t> best_first(const State& state, const UnitSet& removable, Eliminator& eliminator) const {
        const bool forced = state.size > settings_.max_features;
        const auto removal = eliminator.best_removal(removable, limit_after(state.trees.error, forced));
        return removal ? std::vector{removal->unit} : std::vector<std::uint32_t>{};
    }

    /// Of the units that the trees use, the one whose removal errs least, if that is accepted; else all that they do not
    /// use, without which they are the same (Lemma 6); else, down to `max_features`, the least harmful.
    std::vector<std::uint32_t> used_first(const State& state, const UnitSet& removable, Eliminator& eliminator) const {
        UnitSet used(problem_.n_units());
        for (const std::uint32_t unit : state.trees.used)
            if (removable.contains(unit)) used.insert(unit);
        if (const auto removal = eliminator.best_removal(used, limit_after(state.trees.error, false)))
            return {removal->unit};
        std::vector<std::uint32_t> leaving;
        if (budget_.spent()) return leaving;
        std::size_t size = state.size;
        removable.for_each([&](std::uint32_t unit) {
            const bool accepted = settings_.accept_ties || size > settings_.max_features;
            if (used.contains(unit) || !accepted || size < settings_.min_features + n_features(unit)) return;
            leaving.push_back(unit);
            size -= n_features(unit);
        });
        if (leaving.empty() && state.size > settings_.max_features)
            if (const auto removal = eliminator.best_removal(used, no_error_limit)) leaving.push_back(removal->unit);
        return leaving;
    }

    template <class Go>
    void with_assessor(Go go) {
        const auto assessor = settings_.algorithm == EliminationAlgorithm::white_box
                                  ? make_trie_assessor(problem_, settings_, budget_, progress_)
                                  : make_plain_assessor(problem_, settings_, budget_, progress_);
        go(*assessor);
        take_counts(assessor->counters());
    }

    State start_at(const UnitSet& units, Assessor& assessor) {
        State state{units, size_of(units), {}};
        start_with(units);
        state.trees = *assessor.assess(std::span(&units, 1), true)[0];
        n_trees_told_ = 0;
        return state;
    }
    std::uint64_t trees_since_last(Assessor& assessor) {
        const std::uint64_t n_trees = assessor.counters().n_trees;
        return n_trees - std::exchange(n_trees_told_, n_trees);
    }

    /// The trees of all moves; false if the budget is spent. Those of a unit that is not used are those before it goes.
    bool assess(std::vector<Move>& moves, std::span<const State> parents, bool removals, Assessor& assessor) {
        const bool reuses = removals && settings_.algorithm == EliminationAlgorithm::white_box;
        std::vector<UnitSet> subsets;
        std::vector<std::size_t> asked;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const Assessment& before = parents[moves[i].parent].trees;
            if (reuses && !std::ranges::binary_search(before.used, moves[i].unit)) {
                moves[i].trees = before;
                continue;
            }
            asked.push_back(i);
            subsets.push_back(moves[i].units);
        }
        std::vector<std::optional<Assessment>> found = assessor.assess(subsets, false);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (!found[i]) return false;
            moves[asked[i]].trees = std::move(*found[i]);
        }
        return true;
    }

    [[nodiscard]] std::vector<Move> removals_from(const State& state, std::size_t parent) const {
        std::vector<Move> moves;
        state.units.for_each([&](std::uint32_t unit) {
            if (!may_go(state.units, state.size, unit)) return;
            moves.push_back({state.units, unit, parent, {}});
            moves.back().units.erase(unit);
        });
        return moves;
    }
    [[nodiscard]] std::vector<Move> additions_to(const State& state) const {
        std::vector<Move> moves;
        for (std::uint32_t unit = 0; unit < problem_.n_units(); ++unit) {
            if (!may_come(state.units, state.size, unit)) continue;
            moves.push_back({state.units, unit, 0, {}});
            moves.back().units.insert(unit);
        }
        return moves;
    }
    /// The best move, ties to the lowest unit; null if there is none, or if the budget is spent.
    const Move* best_of(std::vector<Move>& moves, const State& from, bool removals, Assessor& assessor) {
        if (moves.empty() || !assess(moves, std::span(&from, 1), removals, assessor)) return nullptr;
        return &*std::ranges::min_element(moves, {}, [](const Move& move) { return move.trees.error; });
    }
    void take(State& state, const Move& move) { state = {move.units, size_of(move.units), move.trees}; }

    /// Keeps the best subset of the path: the least error, then the fewest features, then the first met.
    class BestOfPath {
      public:
        BestOfPath(std::size_t least, std::size_t most) : least_(least), most_(most) {}
        void meet(const State& state) {
            const auto key = std::tuple(state.size < least_ || state.size > most_, state.trees.error, state.size);
            if (best_ && key_ <= key) return;
            key_ = key;
            best_ = state;
        }
        [[nodiscard]] const State& best() const { return *best_; }

      private:
        std::size_t least_, most_;
        std::tuple<bool, ErrorWeight, std::size_t> key_{};
        std::optional<State> best_;
    };

    /// The least error known for each number of units, for floating searches.
    class LeastErrors {
      public:
        void meet(const State& state) {
            const auto [at, fresh] = of_count_.try_emplace(state.units.list().size(), state.trees.error);
            if (!fresh) at->second = std::min(at->second, state.trees.error);
        }
        [[nodiscard]] bool is_beaten_by(const Move& move) const {
            const auto at = of_count_.find(move.units.list().size());
            return at == of_count_.end() || move.trees.error < at->second;
        }

      private:
        std::map<std::size_t, ErrorWeight> of_count_;
    };

    void go_forward(Assessor& assessor) {
        const bool floats = settings_.strategy == EliminationStrategy::floating_forward;
        State state = start_at(keep_, assessor);
        tell(state, -1, -1, trees_since_last(assessor));
        BestOfPath path(settings_.min_features, settings_.max_features);
        LeastErrors least;
        path.meet(state);
        least.meet(state);
        while (!budget_.check_deadline()) {
            std::vector<Move> moves = additions_to(state);
            const Move* best = best_of(moves, state, false, assessor);
            const bool forced = state.size < settings_.min_features;
            if (best == nullptr || best->trees.error > limit_after(state.trees.error, forced)) break;
            const std::uint32_t added = best->unit;
            take(state, *best);
            tell(state, -1, added, trees_since_last(assessor));
            path.meet(state);
            least.meet(state);
            while (floats) {
                moves = removals_from(state, 0);
                best = best_of(moves, state, true, assessor);
                if (best == nullptr || !least.is_beaten_by(*best)) break;
                const std::uint32_t removed = best->unit;
                take(state, *best);
                tell(state, removed, -1, trees_since_last(assessor));
                path.meet(state);
                least.meet(state);
            }
        }
        answer(path.best());
    }

    void go_floating_backward(Assessor& assessor) {
        State state = start_at(all_units(), assessor);
        tell(state, -1, -1, trees_since_last(assessor));
        BestOfPath path(settings_.min_features, settings_.max_features);
        LeastErrors least;
        path.meet(state);
        least.meet(state);
        while (!budget_.check_deadline()) {
            std::vector<Move> moves = removals_from(state, 0);
            const Move* best = best_of(moves, state, true, assessor);
            const bool forced = state.size > settings_.max_features;
            if (best == nullptr || best->trees.error > limit_after(state.trees.error, forced)) break;
            const std::uint32_t removed = best->unit;
            take(state, *best);
            tell(state, removed, -1, trees_since_last(assessor));
            path.meet(state);
            least.meet(state);
            for (;;) {
                moves.clear();
                for (std::uint32_t unit = 0; unit < problem_.n_units(); ++unit) {
                    if (state.units.contains(unit)) continue;
                    moves.push_back({state.units, unit, 0, {}});
                    moves.back().units.insert(unit);
                }
                best = best_of(moves, state, false, assessor);
                if (best == nullptr || !least.is_beaten_by(*best)) break;
                const std::uint32_t added = best->unit;
                take(state, *best);
                tell(state, -1, added, trees_since_last(assessor));
                path.meet(state);
                least.meet(state);
            }
        }
        answer(path.best());
    }

    void go_along_beam(Assessor& assessor) {
        std::vector<State> beam;
        beam.push_back(start_at(all_units(), assessor));
        tell(beam[0], -1, -1, trees_since_last(assessor), result_.start);
        while (!budget_.check_deadline()) {
            std::vector<Move> moves;
            std::size_t largest = 0;
            for (std::size_t parent = 0; parent < beam.size(); ++parent) {
                largest = std::max(largest, beam[parent].size);
                for (Move& move : removals_from(beam[parent], parent)) moves.push_back(std::move(move));
            }
            // A subset that several parents lead to is that of the first of them.
            std::ranges::stable_sort(moves,
                                     [](const Move& a, const Move& b) { return left_out_before(a.units, b.units); });
            moves.erase(std::unique(moves.begin(), moves.end(),
                                    [](const Move& a, const Move& b) { return a.units == b.units; }),
                        moves.end());
            if (moves.empty() || !assess(moves, beam, true, assessor)) break;
            std::ranges::stable_sort(moves, {}, [](const Move& move) { return move.trees.error; });
            const bool forced = beam[0].size > settings_.max_features;
            if (moves[0].trees.error > limit_after(beam[0].trees.error, forced)) break;
            moves.resize(std::min(moves.size(), std::max<std::size_t>(1, settings_.beam_width)));
            const std::uint32_t removed = moves[0].unit;
            beam.clear();
            for (const Move& move : moves) beam.push_back({move.units, size_of(move.units), move.trees});
            tell(beam[0], removed, -1, trees_since_last(assessor), beam[0].units.list());
        }
        answer(beam[0]);
    }

    /// Order of the ascending tuples of the units left out; the subsets have left out equally many.
    static bool left_out_before(const UnitSet& a, const UnitSet& b) {
        for (std::size_t i = 0; i < a.words().size(); ++i)
            if (const std::uint64_t differs = a.words()[i] ^ b.words()[i]; differs != 0)
                return (b.words()[i] >> std::countr_zero(differs) & 1U) !=
                       0;  // the lowest unit that only a has left out
        return false;
    }

    const SearchProblem& problem_;
    const EliminationSettings& settings_;
    Budget& budget_;
    EliminationProgress& progress_;
    UnitSet keep_;
    EliminationResult result_;
    std::uint64_t n_trees_told_ = 0;
    Clock::time_point start_ = Clock::now();
};

void check(const SearchProblem& problem, const EliminationSettings& settings) {
    problem.check_complete();
    std::size_t n_kept = 0;
    UnitSet kept(problem.n_units());
    for (const std::uint32_t unit : settings.keep) {
        if (unit >= problem.n_units())
            throw std::invalid_argument("unit " + std::to_string(unit) + " is to be kept, but there are only " +
                                        std::to_string(problem.n_units()));
        if (!kept.contains(unit)) n_kept += problem.features_of(unit).size();
        kept.insert(unit);
    }
    if (settings.max_features < n_kept)
        throw std::invalid_argument("at most " + std::to_string(settings.max_features) + " features are wanted, but " +
                                    std::to_string(n_kept) + " are to be kept");
    if (settings.min_features > settings.max_features)
        throw std::invalid_argument("at least " + std::to_string(settings.min_features) + " and at most " +
                                    std::to_string(settings.max_features) + " features are wanted");
    if (settings.beam_width == 0) throw std::invalid_argument("the beam must be at least one subset wide");
    if (settings.algorithm == EliminationAlgorithm::paper && settings.strategy != EliminationStrategy::backward)
        throw std::invalid_argument("the paper's algorithm eliminates backward only");
    if (settings.unused_together && settings.strategy != EliminationStrategy::backward)
        throw std::invalid_argument("unused units leave together in backward elimination only");
}

}  // namespace
}  // namespace elimination

EliminationResult eliminate(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget,
                            EliminationProgress& progress) {
    elimination::check(problem, settings);
    return elimination::SequentialSearch(problem, settings, budget, progress)();
}

std::vector<std::uint32_t> units_of_step(const EliminationResult& result, std::size_t step) {
    if (result.steps.at(step).units) return *result.steps[step].units;
    const std::uint32_t highest = result.start.empty() ? 0 : result.start.back();
    std::vector<bool> present(std::size_t{highest} + 1, false);
    for (const std::uint32_t unit : result.start) present[unit] = true;
    for (std::size_t i = 0; i <= step; ++i) {
        const EliminationStep& at = result.steps[i];
        if (at.removed >= 0) present[static_cast<std::size_t>(at.removed)] = false;
        if (at.added >= 0) {
            const auto unit = static_cast<std::size_t>(at.added);
            if (unit >= present.size()) present.resize(unit + 1, false);
            present[unit] = true;
        }
    }
    std::vector<std::uint32_t> units;
    for (std::uint32_t unit = 0; unit < present.size(); ++unit)
        if (present[unit]) units.push_back(unit);
    return units;
}

}  // namespace palmette
