// Explorer: include/exclude branch and bound over the trie; the search of one worker.
//
// An *open* node is one whose first non-excluded feature is undecided. The explorer picks such a feature: on one side
// every subset splits there on it, on the other none uses it anywhere. When no node is open the tree is complete. The
// trees of the two sides differ in using the feature, so no tree is met twice, and every subset is on one side.
//
// The stack is explicit: what is left to do can be given away to another worker, written down, or left for later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "goal.hpp"
#include "ledger.hpp"
#include "look_ahead.hpp"
#include "subset_table.hpp"
#include "trial_record.hpp"
#include "trie.hpp"
#include "walk.hpp"

namespace palmette {

/// A sublattice that waits for a worker.
template <std::size_t Words>
struct Task {
    FeatureSet<Words> included;
    FeatureSet<Words> excluded;
    ErrorWeight bound = 0;  // on the error of its trees
    double share = 1.0;     // of the whole lattice
};

template <std::size_t Words>
class Explorer {
  public:
    using Set = FeatureSet<Words>;

    enum class Outcome { going_on, finished, stopped, out_of_memory };

    Explorer(Trie<Words>& trie, Goal<Words>& goal, std::size_t memory_limit);

    /// Takes up a task; what was left of another is dropped.
    void start(const Task<Words>& task);
    /// Looks at one sublattice.
    Outcome step();
    /// Goes on for about `n_steps` sublattices.
    Outcome run(std::uint64_t n_steps);

    /// Hands over the largest sublattice that waits on the stack, if there is one.
    std::optional<Task<Words>> give_away();
    /// All that is not done yet, largest first.
    [[nodiscard]] std::vector<Task<Words>> pending() const;

    [[nodiscard]] std::uint64_t n_trees() const noexcept { return n_trees_; }
    [[nodiscard]] std::uint64_t n_sublattices() const noexcept { return n_sublattices_; }
    /// Share of the lattice that was closed since the last call.
    [[nodiscard]] double take_closed_share() noexcept { return std::exchange(closed_share_, 0.0); }

  private:
    using Node = typename Trie<Words>::Node;
    struct Open {
        Node* node;
        std::uint32_t rank;  // of the first feature that is not excluded; 0 while not expanded
        ErrorWeight bound;
    };
    enum class Side : std::uint8_t { include, exclude };
    struct Frame {
        Sublattice<Words> at;
        std::vector<Open> ready;    // expanded, first feature undecided
        std::vector<Open> waiting;  // not expanded
        ErrorWeight fixed_error = 0;
        ErrorWeight bound = 0;
        ErrorWeight first_bound = 0, second_bound = 0;  // of the two sides
        double share = 1.0;
        Ledger::Mark mark;
        bool fresh = true;          // not examined yet
        bool second_waits = false;  // the exclude side has not been taken up
        Side first = Side::include;
        std::uint32_t unit = 0;
    };
    enum class Verdict : std::uint8_t { closed, branch, stopped };

    Frame& push(const Sublattice<Words>& at, ErrorWeight bound, double share);
    void pop();
    void push_side(Side side, ErrorWeight bound);
    Verdict examine(Frame& frame);
    Verdict expand_waiting(Frame& frame, ErrorWeight limit);
    void drop_indifferent(Frame& frame);
    void find_twins(Frame& frame);
    bool raise_bounds(Frame& frame, ErrorWeight limit);
    void score_units(const Frame& frame);
    Verdict choose_unit(Frame& frame, ErrorWeight limit);
    Verdict try_one_more(const Frame& frame);
    [[nodiscard]] std::size_t greatest_table() const noexcept;
    Verdict try_all(const Frame& frame, const Set& undecided);
    Verdict try_one(const Sublattice<Words>& at, ErrorWeight bound);
    bool record(const Frame& frame);
    void resolve(const Open& open, const Sublattice<Words>& at, std::vector<Open>& out, ErrorWeight& fixed_error);
    [[nodiscard]] ErrorWeight total_bound(const Frame& frame) const;
    bool make_room();
    void collect();
    /// Beyond this no node is expanded for a bound.
    [[nodiscard]] std::size_t most_bytes() const noexcept { return room_ + room_ / 8; }
    [[nodiscard]] std::size_t features_in(std::size_t unit) const { return trie_.problem().features_of(unit).size(); }

    Trie<Words>& trie_;
    Goal<Words>& goal_;
    LookAhead<Words> look_ahead_;
    Ledger ledger_;
    Walk<Words> walk_;
    SubsetTable<Words> table_;
    std::size_t room_;  // bytes from which on the trie is cut back; between two looks at it, it may grow some more
    std::size_t next_collection_;  // bytes from which on it is worth looking for what may be freed
    bool bounded_ = true;          // the goal closes sublattices by their bounds
    double one_;
    Set all_units_;
    std::size_t most_in_table_;  // undecided units whose subsets are all followed at once; less where that is too much
    std::uint32_t n_easy_tables_ = 0;  // of the greatest size, since one was too large
    std::vector<Frame> frames_;        // the first depth_ are in use; the rest keep their memory
    std::size_t depth_ = 0;
    std::uint64_t n_trees_ = 0;
    std::uint64_t n_sublattices_ = 0;
    TrialRecord deep_looks_;  // whether looking further ahead than one split has closed sublattices
    double closed_share_ = 0;

    struct Counted {
        Open open;
        bool counted;  // its parts are open in the ledger
    };
    std::vector<Counted> resolving_;
    std::vector<Open> resolved_;
    std::vector<std::pair<ErrorWeight, Sublattice<Words>>> remaining_;
    struct Score {
        std::uint32_t unit;
        double weight;            // of the search samples at the open nodes that it is first at
        double include, exclude;  // how much the bound rises on either side
    };
    std::vector<Score> scores_;
    std::vector<std::uint32_t> score_of_unit_;
    std::vector<Sublattice<Words>> waiting_;  // on the stack
};

}  // namespace palmette
