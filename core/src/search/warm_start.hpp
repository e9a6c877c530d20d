// WarmStart: a good subset to begin with, by backward elimination, forward selection and local search on the trie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "incumbent.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/random.hpp"
#include "walk.hpp"

namespace palmette {

template <std::size_t Words>
class WarmStart {
  public:
    using Set = FeatureSet<Words>;

    WarmStart(Trie<Words>& trie, Incumbent<Words>& incumbent, const Set& keep, std::size_t memory_limit,
              const Budget& budget)
        : trie_(trie),
          incumbent_(incumbent),
          walk_(trie),
          keep_(keep),
          room_(memory_limit / 5 * 4),
          budget_(budget),
          n_units_(trie.problem().n_units()) {}

    /// Tells of every tree that is looked at: the units that it may use, those that it uses, and its error.
    std::function<void(const Set& allowed, const Set& used, ErrorWeight error)> on_tree;

    /// From all units down: the removal that leaves the least objective, as long as it is no worse, or as long as there
    /// are too many features. Only units that the current tree uses are tried; the others go with the first step. (Kept,
    /// they lead to better subsets of some small tables, but to worse ones of spambase and optdigits, and madelon takes
    /// much longer.)
    void eliminate() {
        Set all;
        for (std::size_t unit = 0; unit < n_units_; ++unit) all.insert(unit);
        std::optional<Candidate> current = evaluate(all);
        while (current) {
            const std::optional<Step> best =
                best_of(current->units - keep_, [&](Set& set, std::size_t unit) { set.erase(unit); }, current->units);
            if (!best) return;
            if (best->to.objective > current->objective && current->size <= incumbent_.max_features()) return;
            current = best->to;
        }
    }

    /// From the units to keep up: the addition that leaves the least objective, as long as that is better and `go_on`.
    void select_forward(const std::function<bool()>& go_on) {
        Set chosen = keep_;
        std::optional<Candidate> current = evaluate(chosen);
        while (current && current->size < incumbent_.max_features() && go_on()) {
            Set others;
            for (std::size_t unit = 0; unit < n_units_; ++unit)
                if (!chosen.contains(unit)) others.insert(unit);
            const std::optional<Step> best =
                best_of(others, [&](Set& set, std::size_t unit) { set.insert(unit); }, chosen, go_on);
            if (!best || best->to.objective >= current->objective) return;
            chosen.insert(best->unit);
            current = best->to;
        }
    }

    /// Random flips from the incumbent, accepted when no worse; after a while without success, from the incumbent again
    /// with a few units flipped.
    void search_locally(RandomStream random, const std::function<bool()>& go_on) {
        Set at = incumbent_.best().units;
        std::optional<Candidate> current = evaluate(at);
        std::size_t idle = 0;
        while (current && go_on()) {
            Set next = at;
            flip(next, current->units, random);
            const std::optional<Candidate> candidate = evaluate(next);
            if (!candidate) return;
            if (candidate->objective <= current->objective) {
                if (candidate->objective < current->objective) idle = 0;
                at = next;
                current = candidate;
            }
            if (++idle > 20 * n_units_) {
                idle = 0;
                at = incumbent_.best().units;
                for (std::uint64_t i = 1 + random.below(4); i > 0; --i) toggle(at, random.below(n_units_));
                current = evaluate(at);
            }
        }
    }

    /// How many trees were looked at.
    [[nodiscard]] std::uint64_t n_trees() const noexcept { return n_trees_; }

  private:
    struct Candidate {
        Set units;  // used, and those to keep
        ErrorWeight objective;
        std::size_t size;
    };

    struct Step {
        std::size_t unit;
        Candidate to;
    };

    /// The unit whose change of `from` leaves the least objective, the first of several; none where the budget, or
    /// `go_on`, ended the look at them.
    template <class Change>
    std::optional<Step> best_of(
        const Set& units, Change change, const Set& from, const std::function<bool()>& go_on = [] { return true; }) {
        std::optional<Step> best;
        bool stopped = false;
        units.for_each([&](std::size_t unit) {
            if (stopped) return;
            Set changed = from;
            change(changed, unit);
            const std::optional<Candidate> candidate = go_on() ? evaluate(changed) : std::nullopt;
            stopped = !candidate;
            if (candidate && (!best || candidate->objective < best->to.objective)) best = Step{unit, *candidate};
        });
        return stopped ? std::nullopt : best;
    }

    std::optional<Candidate> evaluate(const Set& allowed) {
        if (trie_.bytes_in_use() > room_) {
            trie_.new_epoch();
            trie_.evict(room_ / 4 * 5);  // the limit, of which the room is four fifths
        }
        const auto found = walk_(allowed | keep_);
        if (!found || budget_.spent()) return std::nullopt;
        ++n_trees_;
        Candidate candidate{found->used | keep_, 0, 0};
        candidate.size = n_features_in(trie_.problem(), candidate.units);
        candidate.objective = found->error + incumbent_.penalty() * static_cast<ErrorWeight>(candidate.size);
        incumbent_.offer(candidate.units, found->error, candidate.size);
        if (on_tree) on_tree(allowed | keep_, candidate.units, found->error);
        return candidate;
    }

    void toggle(Set& set, std::size_t unit) const {
        if (keep_.contains(unit)) return;
        if (set.contains(unit))
            set.erase(unit);
        else
            set.insert(unit);
    }

    void flip(Set& set, const Set& used, RandomStream& random) const {
        if (random.below(3) == 0 && !used.empty()) {  // one that matters, and sometimes another instead
            std::uint64_t skip = random.below(used.size());
            used.for_each([&](std::size_t unit) {
                if (skip-- == 0 && !keep_.contains(unit)) set.erase(unit);
            });
            if (random.below(2) == 0) set.insert(random.below(n_units_));
        } else {
            const std::size_t unit = random.below(n_units_);
            // Removing what the tree does not use would change nothing.
            if (set.contains(unit) && !used.contains(unit)) set.erase(unit);
            toggle(set, unit);
        }
    }

    Trie<Words>& trie_;
    Incumbent<Words>& incumbent_;
    Walk<Words> walk_;
    Set keep_;
    std::size_t room_;
    const Budget& budget_;
    std::size_t n_units_;
    std::uint64_t n_trees_ = 0;
};

}  // namespace palmette
