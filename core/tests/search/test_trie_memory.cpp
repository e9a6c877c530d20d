// What a trie gives back: a collection keeps all that the given sublattices come to, and nothing that is missing afterwards
// changes an answer.

#include <cstdint>
#include <map>
#include <utility>
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
constexpr std::size_t any_memory = std::size_t{1} << 40;

Set set_of(std::uint64_t bits) {
    Set set;
    set.words()[0] = bits;
    return set;
}

bool holds(const Sublattice<1>& at, const Set& subset) {
    return at.included.is_subset_of(subset) && !at.excluded.intersects(subset);
}

/// The first nodes of the tree of a subset, leftmost branches first.
std::vector<TrieNode<1>*> nodes_of(Trie<1>& trie, const Set& subset) {
    std::vector<TrieNode<1>*> nodes;
    for (TrieNode<1>& root : trie.roots()) {
        TrieNode<1>* node = &root;
        for (bool down = true; down;) {
            nodes.push_back(node);
            down = false;
            for (std::uint32_t rank = 0; rank < node->n_ranked && !down; ++rank) {
                if (!subset.contains(node->ranking[rank].unit)) continue;
                const auto* split = node->ranking[rank].split;
                if (split == nullptr || split->n_children == 0) break;
                node = split->children;
                down = true;
            }
        }
    }
    return nodes;
}

}  // namespace

TEST_CASE("after a collection the subsets of the sublattices find all of their trees, and others find them again") {
    Random random(47);
    int n_collections = 0;
    for (int round = 0; round < 150; ++round) {
        const SearchCase at(random, 5, 3);
        const std::vector<SearchSamples> samples = search_sets<SearchSamples>(at.problem);
        const Budget unlimited;
        Trie<1> trie(at.problem, samples, random.chance(0.3), unlimited);
        Walk<1> walk(trie);
        const std::uint64_t n_subsets = std::uint64_t{1} << at.problem.n_units();
        std::vector<ErrorWeight> errors;
        for (std::uint64_t bits = 0; bits < n_subsets; ++bits) errors.push_back(walk(set_of(bits))->error);

        std::vector<Sublattice<1>> sublattices(static_cast<std::size_t>(random.integer(1, 4)));
        for (Sublattice<1>& sublattice : sublattices)
            for (std::uint32_t unit = 0; unit < at.problem.n_units(); ++unit) {
                if (random.chance(0.4)) sublattice.included.insert(unit);
                if (!sublattice.included.contains(unit) && random.chance(0.6)) sublattice.excluded.insert(unit);
            }
        std::vector<TrieNode<1>*> nodes;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;
        for (const Sublattice<1>& sublattice : sublattices)
            for (TrieNode<1>* node : nodes_of(trie, sublattice.included)) {
                nodes.push_back(node);
                sizes.emplace_back(node->n_building, node->n_whole);
            }

        const std::size_t bytes = trie.bytes_in_use();
        trie.collect(sublattices, any_memory, [&](auto moved) {
            ++n_collections;
            for (TrieNode<1>*& node : nodes) node = moved(node);
        });
        CHECK(trie.bytes_in_use() <= bytes);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            CHECK(sizes[i] == std::pair(nodes[i]->n_building, nodes[i]->n_whole));
            // Each is a first child, and its parent lies where the trie has it now.
            if (nodes[i]->parent != nullptr) CHECK(nodes[i] == trie.split(*nodes[i]->parent, nodes[i]->rank).children);
        }
        const std::uint64_t n_expansions = trie.n_expansions();
        for (std::uint64_t bits = 0; bits < n_subsets; ++bits)
            for (const Sublattice<1>& sublattice : sublattices)
                if (holds(sublattice, set_of(bits))) CHECK_EQ(walk(set_of(bits))->error, errors[bits]);
        CHECK_EQ(trie.n_expansions(), n_expansions);
        for (std::uint64_t bits = 0; bits < n_subsets; ++bits) CHECK_EQ(walk(set_of(bits))->error, errors[bits]);
    }
    CHECK(n_collections > 75);
}

TEST_CASE("nothing is moved where most of a trie is wanted, or where there is no room for it") {
    Random random(48);
    const SearchCase at(random, 5, 3);
    const std::vector<SearchSamples> samples = search_sets<SearchSamples>(at.problem);
    const Budget unlimited;
    Trie<1> trie(at.problem, samples, false, unlimited);
    Walk<1> walk(trie);
    const Set all = set_of((std::uint64_t{1} << at.problem.n_units()) - 1);
    for (std::uint64_t bits = 0; bits <= all.words()[0]; ++bits) CHECK(walk(set_of(bits)).has_value());
    const std::size_t bytes = trie.bytes_in_use();
    bool has_moved = false;
    const auto see = [&](auto) { has_moved = true; };
    trie.collect(std::vector<Sublattice<1>>{{}}, any_memory, see);
    CHECK(!has_moved);
    const std::vector<Sublattice<1>> none{{{}, all, 0}};
    trie.collect(none, bytes / 2, see);
    CHECK(!has_moved);
    CHECK_EQ(trie.bytes_in_use(), bytes);
    trie.collect(none, any_memory, see);
    CHECK(has_moved);
    CHECK(trie.bytes_in_use() < bytes / 2);
}
