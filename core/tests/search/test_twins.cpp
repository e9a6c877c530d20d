// Bound B5: twins against groups of equal values, and against the errors of all trees.

#include "../../src/search/twins.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "../../src/search/trie.hpp"
#include "../../src/search/walk.hpp"
#include "check.hpp"
#include "search_case.hpp"

using namespace palmette;
using problems::Random;
using problems::SearchCase;

namespace {

using Set = FeatureSet<1>;

Set random_units(Random& random, std::size_t n_units) {
    Set units;
    for (std::size_t unit = 0; unit < n_units; ++unit)
        if (random.integer(0, 2) == 0) units.insert(unit);
    return units;
}

/// The errors of twins among the search samples of a fold, said plainly.
ErrorWeight errors_of_twins(const SearchProblem& problem, const SearchSamples& samples, const Set& excluded) {
    std::map<std::vector<std::uint32_t>, std::map<Label, ErrorWeight>> groups;
    for (const std::uint32_t row : samples.rows) {
        std::vector<std::uint32_t> values;
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit)
            if (!excluded.contains(unit))
                for (const std::uint32_t feature : problem.features_of(unit))
                    values.push_back(problem.dataset().column(feature).codes[row]);
        groups[values][problem.dataset().labels()[row]] += samples.weight_of[row];
    }
    ErrorWeight errors = 0;
    for (const auto& [values, by_class] : groups) {
        ErrorWeight greatest = 0;
        for (const auto& [label, weight] : by_class) {
            errors += weight;
            greatest = std::max(greatest, weight);
        }
        errors -= greatest;
    }
    return errors;
}

/// Calls use(node, excluded) for every node that is not a leaf, with the units that no subset coming to it holds.
template <class Use>
void for_each_node(Trie<1>& trie, TrieNode<1>& node, const Set& excluded, Use use) {
    if (node.is_leaf) return;
    use(node, excluded);
    trie.expand(node);
    use(node, excluded);
    Set passed = excluded;
    for (std::uint32_t rank = 0; rank < node.n_ranked; ++rank) {
        if (excluded.contains(node.ranking[rank].unit)) continue;
        auto& split = trie.split(node, rank);
        for (std::uint32_t j = 0; j < split.n_children; ++j) for_each_node(trie, split.children[j], passed, use);
        passed.insert(node.ranking[rank].unit);
    }
}

}  // namespace

TEST_CASE("B5: twins are samples with equal values, of which all but one class err") {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const SearchCase one(random, 6, 4);
        const auto samples = search_sets<SearchSamples>(one.problem);
        for (int i = 0; i < 6; ++i) {
            const Set excluded = random_units(random, one.problem.n_units());
            Set allowed;
            for (std::size_t unit = 0; unit < one.problem.n_units(); ++unit)
                if (!excluded.contains(unit)) allowed.insert(unit);
            for (const SearchSamples& fold : samples) {
                Twins<1> twins(one.problem);
                twins.begin(allowed, fold.rows.size());
                std::vector<std::uint32_t> rows = fold.rows;
                const auto& labels = one.problem.dataset().labels();
                std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return labels[row]; });
                for (const std::uint32_t row : rows) twins.add(row, labels[row], fold.weight_of[row]);
                CHECK_EQ(twins.errors(), errors_of_twins(one.problem, fold, excluded));
            }
        }
    }
}

TEST_CASE("B5: no tree without the excluded units errs less than the twins at the roots") {
    for (std::uint64_t seed = 300; seed < 420; ++seed) {
        Random random(seed);
        const SearchCase one(random, 6, 4);
        const auto samples = search_sets<SearchSamples>(one.problem);
        const Budget unlimited;
        Trie<1> trie(one.problem, samples, false, unlimited);
        Walk<1> walk(trie);
        const Set excluded = random_units(random, one.problem.n_units());
        ErrorWeight bound = 0;
        for (auto& root : trie.roots())
            if (!root.is_leaf) bound += trie.twin_errors(root, excluded);
        for (std::uint64_t subset = 0; subset < std::uint64_t{1} << one.problem.n_units(); ++subset) {
            Set units;
            units.words()[0] = subset & ~excluded.words()[0];
            CHECK(bound <= walk(units)->error);
        }
    }
}

TEST_CASE("B5: at every node a leaf errs no less than the twins, of which there are more the more is excluded") {
    std::size_t n_raised = 0;
    for (std::uint64_t seed = 500; seed < 560; ++seed) {
        Random random(seed);
        const SearchCase one(random, 5, 4);
        const auto samples = search_sets<SearchSamples>(one.problem);
        const Budget unlimited;
        Trie<1> trie(one.problem, samples, false, unlimited);
        const Set excluded = random_units(random, one.problem.n_units());
        for (auto& root : trie.roots())
            for_each_node(trie, root, excluded, [&](TrieNode<1>& node, const Set& without) {
                const ErrorWeight bound = trie.twin_errors(node, without);
                CHECK(bound <= node.leaf_error);
                CHECK((bound == 0 || node.is_leaf || bound >= node.base_bound));
                n_raised += bound > node.base_bound ? 1 : 0;
                Set everything;
                for (std::size_t unit = 0; unit < one.problem.n_units(); ++unit) everything.insert(unit);
                const ErrorWeight of_all = trie.twin_errors(node, everything);  // 0 where it is not worth trying
                CHECK((of_all == 0 || of_all >= bound));
                CHECK(of_all <= node.leaf_error);
            });
    }
    CHECK(n_raised > 100);
}
