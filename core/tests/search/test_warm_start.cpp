// WarmStart: elimination and forward selection against the same walks over the errors of all subsets, said plainly.

#include "../../src/search/warm_start.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "check.hpp"
#include "search_case.hpp"

using namespace palmette;
using problems::Random;
using problems::SearchCase;

namespace {

using Set = FeatureSet<1>;

struct Tree {
    Set units;  // that it uses, and those to keep
    ErrorWeight objective;
    std::size_t size;
};

/// The trees of all subsets of a problem, grown one by one.
class AllTrees {
  public:
    AllTrees(const SearchCase& one, const Set& keep) : one_(one), keep_(keep) {}

    const Tree& of(Set allowed) {
        allowed |= keep_;
        if (const auto known = trees_.find(allowed.words()[0]); known != trees_.end()) return known->second;
        const auto samples = search_sets<SearchSamples>(one_.problem);
        const Budget unlimited;
        Trie<1> trie(one_.problem, samples, false, unlimited);
        const auto found = Walk<1>(trie)(allowed);
        Tree tree{found->used | keep_, found->error, 0};
        tree.size = n_features_in(one_.problem, tree.units);
        tree.objective +=
            one_.dataset.scale().from_double(one_.settings.feature_penalty) * static_cast<ErrorWeight>(tree.size);
        return trees_.emplace(allowed.words()[0], tree).first->second;
    }

  private:
    const SearchCase& one_;
    Set keep_;
    std::map<std::uint64_t, Tree> trees_;
};

/// What both ways have in common: the best objective of an admitted tree among those that were looked at.
struct Seen {
    std::size_t max_features;
    ErrorWeight best = no_error_limit;
    const Tree& operator()(const Tree& tree) {
        if (tree.size <= max_features) best = std::min(best, tree.objective);
        return tree;
    }
};

ErrorWeight best_of_elimination(const SearchCase& one, const Set& keep) {
    AllTrees trees(one, keep);
    Seen seen{one.settings.max_features};
    Set all;
    for (std::size_t unit = 0; unit < one.problem.n_units(); ++unit) all.insert(unit);
    for (Tree current = seen(trees.of(all));;) {
        std::optional<Tree> best;
        (current.units - keep).for_each([&](std::size_t unit) {
            Set without = current.units;
            without.erase(unit);
            const Tree& tree = seen(trees.of(without));
            if (!best || tree.objective < best->objective) best = tree;
        });
        if (!best || (best->objective > current.objective && current.size <= one.settings.max_features))
            return seen.best;
        current = *best;
    }
}

ErrorWeight best_of_forward_selection(const SearchCase& one, const Set& keep) {
    AllTrees trees(one, keep);
    Seen seen{one.settings.max_features};
    Set chosen = keep;
    for (Tree current = seen(trees.of(chosen)); current.size < one.settings.max_features;) {
        std::optional<Tree> best;
        Set next;
        for (std::size_t unit = 0; unit < one.problem.n_units(); ++unit) {
            if (chosen.contains(unit)) continue;
            Set with = chosen;
            with.insert(unit);
            const Tree& tree = seen(trees.of(with));
            if (best && best->objective <= tree.objective) continue;
            best = tree;
            next = with;
        }
        if (!best || best->objective >= current.objective) break;
        current = *best;
        chosen = next;
    }
    return seen.best;
}

/// The objective of the incumbent after `walk(start)`.
template <class Walk>
ErrorWeight incumbent_after(const SearchCase& one, const Set& keep, std::size_t memory_limit, Walk walk) {
    const auto samples = search_sets<SearchSamples>(one.problem);
    const Budget unlimited;
    Trie<1> trie(one.problem, samples, false, unlimited);
    Incumbent<1> incumbent(one.problem, one.settings);
    WarmStart<1> start(trie, incumbent, keep, memory_limit, unlimited);
    walk(start);
    return incumbent.best().objective;
}

constexpr std::size_t ample = std::size_t{1} << 30, tight = 4096;

}  // namespace

TEST_CASE("a warm start eliminates used units as one would by hand, whatever its memory") {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const SearchCase one(random, 4, 3);
        const Set keep = kept_units<1>(one.problem, one.settings);
        const ErrorWeight expected = best_of_elimination(one, keep);
        for (const std::size_t memory : {ample, tight})
            CHECK_EQ(incumbent_after(one, keep, memory, [](WarmStart<1>& start) { start.eliminate(); }), expected);
    }
}

TEST_CASE("a warm start selects forward as plain forward selection does, and ends when it is told to") {
    std::size_t n_ended = 0;
    for (std::uint64_t seed = 200; seed < 350; ++seed) {
        Random random(seed);
        const SearchCase one(random, 4, 3);
        const Set keep = kept_units<1>(one.problem, one.settings);
        const ErrorWeight expected = best_of_forward_selection(one, keep);
        for (const std::size_t memory : {ample, tight})
            CHECK_EQ(incumbent_after(one, keep, memory,
                                     [](WarmStart<1>& start) { start.select_forward([] { return true; }); }),
                     expected);
        int left = 3;
        const ErrorWeight early = incumbent_after(
            one, keep, ample, [&](WarmStart<1>& start) { start.select_forward([&] { return left-- > 0; }); });
        CHECK(early >= expected);
        n_ended += early > expected ? 1 : 0;
    }
    CHECK(n_ended > 20);
}
