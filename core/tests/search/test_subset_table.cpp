// Bound B4: the sums of a table of subsets against the errors of their trees, one by one.

#include "../../src/search/subset_table.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "../../src/search/walk.hpp"
#include "check.hpp"
#include "search_case.hpp"

using namespace palmette;
using problems::Random;
using problems::SearchCase;

namespace {

using Set = FeatureSet<1>;

struct FixedLimit final : Goal<1> {
    ErrorWeight greatest = no_error_limit;
    [[nodiscard]] ErrorWeight limit(const Sublattice<1>&) const override { return greatest; }
    void record(const Sublattice<1>&, ErrorWeight) override {}
};

/// A sublattice of a random problem, and the error of each of its subsets by walking.
struct TableCase {
    SearchCase at;
    std::vector<SearchSamples> samples;
    Budget unlimited;
    bool misses_values = false;
    Sublattice<1> sublattice;
    Set undecided;
    std::map<std::uint64_t, ErrorWeight> errors;

    explicit TableCase(Random& random) : at(random, 6, 4), samples(search_sets<SearchSamples>(at.problem)) {
        for (const SearchSamples& fold : samples) misses_values = misses_values || !fold.number_of.empty();
        for (std::uint32_t unit = 0; unit < at.problem.n_units(); ++unit) {
            const int kind = random.integer(0, 9);
            if (kind == 0)
                sublattice.included.insert(unit);
            else if (kind == 1)
                sublattice.excluded.insert(unit);
            else
                undecided.insert(unit);
        }
        sublattice.size = n_features_in(at.problem, sublattice.included);
        Trie<1> trie(at.problem, samples, false, unlimited);
        Walk<1> walk(trie);
        const std::uint64_t free = undecided.words()[0];
        for (std::uint64_t subset = 0;; subset = (subset - free) & free) {
            Set units;
            units.words()[0] = subset | sublattice.included.words()[0];
            errors[units.words()[0]] = walk(units)->error;
            if (subset == free) break;
        }
    }
};

}  // namespace

TEST_CASE("B4: the sum of each subset is a lower bound, and its error once all is expanded") {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        Random random(seed);
        const TableCase one(random);
        Trie<1> trie(one.at.problem, one.samples, false, one.unlimited);
        const FixedLimit goal;
        SubsetTable<1> table(trie);
        for (const bool expanded : {false, true}) {  // the second time much of the trie is there already
            table.begin(one.sublattice, one.undecided, 0, goal);
            for (auto& root : trie.roots()) table.add(root, 0);
            std::size_t n_seen = 0;
            const auto check_bound = [&](const Sublattice<1>& at, ErrorWeight sum) {
                ++n_seen;
                CHECK(sum <= one.errors.at(at.included.words()[0]));
                CHECK((at.included | at.excluded).size() == one.at.problem.n_units());
                CHECK_EQ(at.size, n_features_in(one.at.problem, at.included));
                if (expanded && !one.misses_values) CHECK_EQ(sum, one.errors.at(at.included.words()[0]));
            };
            table.for_each_remaining(check_bound);
            CHECK_EQ(n_seen, one.errors.size());
            CHECK(table.run(~std::size_t{0}) == SubsetTable<1>::Outcome::settled);
            table.for_each_remaining([&](const Sublattice<1>& at, ErrorWeight sum) {
                if (!one.misses_values) CHECK_EQ(sum, one.errors.at(at.included.words()[0]));
                check_bound(at, sum);
            });
        }
    }
}

TEST_CASE("B4: what remains are the subsets below their limits") {
    for (std::uint64_t seed = 200; seed < 320; ++seed) {
        Random random(seed);
        const TableCase one(random);
        std::vector<ErrorWeight> sorted;
        for (const auto& [units, error] : one.errors) sorted.push_back(error);
        std::ranges::sort(sorted);
        for (const std::size_t place : {std::size_t{0}, sorted.size() / 4, sorted.size() - 1}) {
            FixedLimit goal;
            goal.greatest = sorted[place] + 1;
            Trie<1> trie(one.at.problem, one.samples, false, one.unlimited);
            SubsetTable<1> table(trie);
            table.begin(one.sublattice, one.undecided, 0, goal);
            for (auto& root : trie.roots()) table.add(root, 0);
            CHECK(table.run(~std::size_t{0}) == SubsetTable<1>::Outcome::settled);
            std::size_t n_below = 0, n_remaining = 0;
            for (const ErrorWeight error : sorted) n_below += error < goal.greatest ? 1 : 0;
            table.for_each_remaining([&](const Sublattice<1>& at, ErrorWeight) {
                if (one.errors.at(at.included.words()[0]) < goal.greatest)
                    ++n_remaining;
                else
                    CHECK(one.misses_values);  // the parts of split samples are not counted
            });
            CHECK_EQ(n_remaining, n_below);
        }
    }
}

TEST_CASE("a table that is stopped or short of memory says so") {
    Random random(7);
    const TableCase one(random);
    const FixedLimit goal;
    Budget budget;
    Trie<1> trie(one.at.problem, one.samples, false, budget);
    SubsetTable<1> table(trie);
    const auto begin = [&] {
        table.begin(one.sublattice, one.undecided, 0, goal);
        for (auto& root : trie.roots()) table.add(root, 0);
    };
    begin();
    CHECK(table.run(0) == SubsetTable<1>::Outcome::too_large);
    budget.request_stop();
    begin();
    CHECK(table.run(~std::size_t{0}) == SubsetTable<1>::Outcome::stopped);
}
