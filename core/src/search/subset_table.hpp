// SubsetTable: bounds on the errors of all subsets of a small sublattice, one by one (bound B4).
//
// A look-ahead lets every open node choose the features that suit it best, and adds up what cannot come together. Where
// few units are undecided, each of their subsets can be followed on its own: a node of the trie is met with the subsets
// that come to it, the error of what is settled there is added to theirs, and a node that is not expanded adds its base
// bound or the errors of its twins. For each subset the sum is a lower bound, and the error of its whole samples once
// all nodes that it comes to are expanded. A node is expanded once for all subsets that share it.
//
// Subsets are numbered by their bits: unit i of the undecided ones is in subset s if bit i of s is set. Those that come
// to a node hold some units, lack some others and are free in the rest: a Cube.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "goal.hpp"
#include "palmette/support/bits.hpp"
#include "trie.hpp"

namespace palmette {

template <std::size_t Words>
class SubsetTable {
  public:
    using Set = FeatureSet<Words>;
    using Node = typename Trie<Words>::Node;

    static constexpr std::size_t most_units = 12;
    enum class Outcome : std::uint8_t { settled, stopped, too_large };

    explicit SubsetTable(Trie<Words>& trie) : trie_(trie), place_(trie.problem().n_units()) {}

    /// All subsets of a sublattice whose `undecided` units are at most most_units; `fixed_error` is common to them.
    void begin(const Sublattice<Words>& at, const Set& undecided, ErrorWeight fixed_error, const Goal<Words>& goal) {
        at_ = &at;
        units_.clear();
        std::ranges::fill(place_, excluded);
        at.included.for_each([&](std::size_t unit) { place_[unit] = included; });
        undecided.for_each([&](std::size_t unit) {
            place_[unit] = static_cast<std::int8_t>(units_.size());
            units_.push_back(static_cast<std::uint32_t>(unit));
        });
        const std::size_t n_subsets = std::size_t{1} << units_.size();
        total_.assign(n_subsets, fixed_error);
        limit_.resize(n_subsets);
        remaining_.assign((n_subsets + 63) / 64, 0);
        n_remaining_ = 0;
        Sublattice<Words> of_subset = sublattice(0);
        for (std::size_t subset = 0; subset < n_subsets; ++subset) {
            // From one number to the next two bits change on average.
            if (subset > 0)
                for (std::size_t changed = subset ^ (subset - 1), i = 0; changed != 0; changed >>= 1, ++i)
                    move(of_subset, i, (subset >> i & 1) != 0);
            limit_[subset] = goal.limit(of_subset);
            if (fixed_error >= limit_[subset]) continue;
            remaining_[subset / 64] |= std::uint64_t{1} << (subset % 64);
            ++n_remaining_;
        }
        fringe_.clear();
    }
    /// An open node, from its ranked feature `rank` on.
    void add(Node& node, std::uint32_t rank) {
        stack_.push_back({&node, rank, {}, n_remaining_});
        settle();
    }

    /// Expands nodes until every subset has reached its limit or is settled. Beyond `memory_limit` none is expanded.
    Outcome run(std::size_t memory_limit) {
        const std::uint64_t first_work = trie_.work();
        const auto outcome = expand_fringe(memory_limit, first_work + most_work);
        was_easy_ = trie_.work() - first_work < most_work / 8;
        return outcome;
    }
    /// True if the last run took a small part of the work that it may take.
    [[nodiscard]] bool was_easy() const noexcept { return was_easy_; }

    /// Calls use(sublattice, error) for the subsets that have not reached their limits.
    template <class Use>
    void for_each_remaining(Use use) const {
        for_each_remaining({}, [&](std::size_t subset) { use(sublattice(subset), total_[subset]); });
    }

  private:
    static constexpr std::int8_t excluded = -1, included = -2;
    // Sample × feature evaluations of one run, some hundredths of a second: nothing is saved or shared meanwhile.
    static constexpr std::uint64_t most_work = std::uint64_t{1} << 23;

    struct Cube {
        std::uint16_t decided = 0;  // units that all its subsets hold, or none
        std::uint16_t held = 0;
    };
    struct Item {
        Node* node;
        double promise;
        Cube cube;
        ErrorWeight bound;  // that was added to the sums
        friend bool operator<(const Item& a, const Item& b) noexcept { return a.promise < b.promise; }
    };
    struct Visit {
        Node* node;
        std::uint32_t rank;
        Cube cube;
        std::size_t n_remaining;  // subsets of the cube that are below their limits
    };

    /// Takes an undecided unit into `at`, or out of it.
    void move(Sublattice<Words>& at, std::size_t place, bool in) const {
        const std::uint32_t unit = units_[place];
        const std::size_t size = trie_.problem().features_of(unit).size();
        if (in) {
            at.excluded.erase(unit);
            at.included.insert(unit);
            at.size += size;
        } else {
            at.included.erase(unit);
            at.excluded.insert(unit);
            at.size -= size;
        }
    }
    [[nodiscard]] Sublattice<Words> sublattice(std::size_t subset) const {
        Sublattice<Words> at = *at_;
        for (const std::uint32_t unit : units_) at.excluded.insert(unit);
        for (std::size_t i = 0; i < units_.size(); ++i)
            if ((subset >> i & 1) != 0) move(at, i, true);
        return at;
    }

    /// The units that no subset of the cube holds.
    [[nodiscard]] Set excluded_in(Cube cube) const {
        Set without = at_->excluded;
        for (unsigned bits = cube.decided & ~unsigned{cube.held}; bits != 0; bits &= bits - 1)
            without.insert(units_[static_cast<std::size_t>(std::countr_zero(bits))]);
        return without;
    }

    /// Calls use(word, bits) for the words of `remaining_` that the cube lies in; `bits` are those of the cube.
    template <class Use>
    void for_each_word(Cube cube, Use use) const {
        constexpr std::array<std::uint64_t, 6> holders{0xaaaaaaaaaaaaaaaaU, 0xccccccccccccccccU, 0xf0f0f0f0f0f0f0f0U,
                                                       0xff00ff00ff00ff00U, 0xffff0000ffff0000U, 0xffffffff00000000U};
        std::uint64_t bits = ~std::uint64_t{0};
        for (std::size_t i = 0; i < holders.size(); ++i)
            if ((cube.decided >> i & 1) != 0) bits &= (cube.held >> i & 1) != 0 ? holders[i] : ~holders[i];
        const std::size_t decided = cube.decided >> 6, held = cube.held >> 6;
        const std::size_t free = (remaining_.size() - 1) & ~decided;
        for (std::size_t word = 0;; word = (word - free) & free) {  // the subsets of `free`, from none to all
            use(word | held, bits);
            if (word == free) break;
        }
    }
    template <class Use>
    void for_each_remaining(Cube cube, Use use) const {
        for_each_word(cube, [&](std::size_t word, std::uint64_t bits) {
            for (bits &= remaining_[word]; bits != 0; bits &= bits - 1)
                use(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
        });
    }
    [[nodiscard]] std::size_t count_remaining(Cube cube) const noexcept {
        std::size_t count = 0;
        for_each_word(cube,
                      [&](std::size_t word, std::uint64_t bits) { count += count_bits(bits & remaining_[word]); });
        return count;
    }
    /// What the sums may gain by an expansion, against its cost. Found by trying: that a node counts for many subsets is
    /// worth more than in proportion, since they have its children in common too.
    [[nodiscard]] static double promise_of(const Node& node, ErrorWeight bound, std::size_t n_subsets) noexcept {
        const auto gain = static_cast<double>(node.leaf_error - bound);
        const auto count = static_cast<double>(n_subsets);
        const double cost = 16.0 + node.n_building;
        return gain * count * count / (cost * std::sqrt(cost));
    }
    /// The most promising first.
    Outcome expand_fringe(std::size_t memory_limit, std::uint64_t work_limit) {
        close({});
        std::make_heap(fringe_.begin(), fringe_.end());
        while (n_remaining_ > 0 && !fringe_.empty()) {
            std::pop_heap(fringe_.begin(), fringe_.end());
            Item item = fringe_.back();
            fringe_.pop_back();
            // Subsets may have reached their limits since it was put there.
            const std::size_t count = count_remaining(item.cube);
            if (count == 0) continue;
            item.promise = promise_of(*item.node, item.bound, count);
            if (!fringe_.empty() && item < fringe_.front()) {
                fringe_.push_back(item);
                std::push_heap(fringe_.begin(), fringe_.end());
                continue;
            }
            if (trie_.bytes_in_use() > memory_limit || trie_.work() > work_limit) return Outcome::too_large;
            if (!trie_.expand(*item.node)) return Outcome::stopped;
            charge(item.cube, -item.bound);
            stack_.push_back({item.node, 0, item.cube, count});
            std::size_t n_heap = fringe_.size();
            settle();
            close(item.cube);
            while (n_heap < fringe_.size())
                std::push_heap(fringe_.begin(), fringe_.begin() + static_cast<std::ptrdiff_t>(++n_heap));
        }
        return Outcome::settled;
    }

    void charge(Cube cube, ErrorWeight error) noexcept {
        if (error != 0) for_each_remaining(cube, [&](std::size_t subset) { total_[subset] += error; });
    }
    void close(Cube cube) noexcept {
        for_each_remaining(cube, [&](std::size_t subset) {
            if (total_[subset] < limit_[subset]) return;
            remaining_[subset / 64] &= ~(std::uint64_t{1} << (subset % 64));
            --n_remaining_;
        });
    }
    /// Follows the nodes on the stack down to those that are not expanded.
    void settle() {
        while (!stack_.empty()) {
            const Visit visit = stack_.back();
            stack_.pop_back();
            Node& node = *visit.node;
            Cube cube = visit.cube;
            if (!node.expanded) {
                ErrorWeight bound = node.base_bound;
                if (bound < node.leaf_error) bound = std::max(bound, trie_.twin_errors(node, excluded_in(cube)));
                charge(cube, bound);
                if (bound < node.whole_weight)
                    fringe_.push_back({&node, promise_of(node, bound, visit.n_remaining), cube, bound});
                continue;
            }
            std::size_t left = visit.n_remaining;
            for (std::uint32_t i = visit.rank; i < node.n_ranked && left > 0; ++i) {
                const std::int8_t place = place_[node.ranking[i].unit];
                if (place == excluded) continue;
                const unsigned bit = place == included ? 0 : 1U << place;
                if ((cube.decided & bit) != 0 && (cube.held & bit) == 0) continue;
                const bool all_split = bit == 0 || (cube.decided & bit) != 0;
                Cube splitting = cube;
                splitting.decided = static_cast<std::uint16_t>(splitting.decided | bit);
                splitting.held = static_cast<std::uint16_t>(splitting.held | bit);
                cube.decided = splitting.decided;
                const std::size_t count = all_split ? left : count_remaining(splitting);
                left -= count;
                if (count == 0) continue;
                const auto& split = trie_.split(node, i);
                charge(splitting, split.fixed_error);
                for (std::uint32_t j = 0; j < split.n_children; ++j)
                    stack_.push_back({&split.children[j], 0, splitting, count});
            }
            if (left > 0) charge(cube, node.leaf_error);
        }
    }

    Trie<Words>& trie_;
    const Sublattice<Words>* at_ = nullptr;
    std::vector<std::uint32_t> units_;  // that are undecided
    std::vector<std::int8_t> place_;    // of a unit among them, or `excluded` or `included`
    std::vector<ErrorWeight> total_, limit_;
    std::vector<std::uint64_t> remaining_;  // a bit for each subset whose sum is below its limit
    std::size_t n_remaining_ = 0;
    bool was_easy_ = false;
    std::vector<Item> fringe_;
    std::vector<Visit> stack_;
};

}  // namespace palmette
