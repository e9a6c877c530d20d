// Backward elimination on a trie of ranked nodes (the white box).
//
// At a node, the features are ranked once; the *head* of the ranking is kept. The tree T of the current subset splits
// every node on the first unit of its head that is still there, and the tree T_a without a unit a splits the nodes of a
// on the second. Everything else T and T_a have in common, so a candidate costs the subtrees below those second splits,
// and these are kept for the rounds to come.
//
// Why it is exact.
// - Units never come back, so a head that holds one unit that is still there (two, for a candidate) has the first (the
//   first two) of the whole ranking; a shorter one that is not complete is made anew from the units left.
// - P1: whoever comes down the edge of the i-th ranked unit holds none of the units ranked before it, so they need not
//   be ranked below. In particular the subtree below a second split never sees a.
// - A subtree's worth depends on the subset only through the splits that search samples meet, so it holds until one of
//   the units used there goes. The same holds for the error of T_a, and for a part of it: a candidate that is given up
//   because the errors counted so far exceed the limit stays given up until a unit of what was counted goes.
// - Candidates are judged in waves whose sizes do not depend on the number of threads, all candidates of a wave against
//   one limit, so all that is computed and remembered does not depend on it either.
//
// Two candidates a ≠ b never touch the same node at a time except to read the nodes of T: the subtrees below second
// splits of a-nodes belong to a alone. Only the head of an a-node may be replaced by a longer one while b reads it.

#include <algorithm>
#include <functional>
#include <utility>

#include "elimination_engine.hpp"

namespace palmette::elimination {
namespace {

constexpr std::size_t first_wave = 8;  // 2 to 8 candidates make no difference in scans beyond 1 %
// Below, ranking a node in parallel costs more than it saves.
constexpr std::size_t least_parallel_cells = std::size_t{1} << 14;
// Problems this small are never stopped for their memory.
constexpr std::size_t smallest_memory_limit = std::size_t{1} << 20;

/// The head grows with the samples of the node and with the units: it then takes about the memory of the row numbers
/// and of the bits beside it, and nodes that are dear to rank are hardly ever ranked again.
std::size_t length_of_head(const Node& node, std::size_t n_units) {
    return 8 + std::min<std::size_t>(node.n_building / 8 + n_units / 64, 1024);
}

struct Frame {
    Node* node;
    Split* split;  // null until it is opened
    std::uint32_t next;
};

/// A path node of a candidate whose parts' votes are summed up.
struct VoteFrame {
    Node* node;
    Split* split;
    std::uint32_t next;
    ErrorWeight error;
    std::vector<double> votes;  // of its parts, then of its homeless samples
};

struct Worker : Workplace {
    ErrorWeight total = 0;
    ErrorWeight limit = 0;
    std::uint64_t marked_bits = 0;  // units that what was counted depends on
    UnitSet marked;
    std::vector<Frame> frames;
    std::vector<Node*> path, nodes_of_candidate;
    std::vector<Head*> retired;
    std::vector<std::uint32_t> merged, merging;
    std::vector<double> votes;
    std::vector<VoteFrame> vote_frames;
};

/// What is known of the trees without a unit.
struct Known {
    enum class State : std::uint8_t { nothing, bound, error };
    State state = State::nothing;
    ErrorWeight error = 0;  // or what it exceeds
    ErrorWeight guess = 0;
    std::uint64_t used_bits = 0;      // units whose removal makes it void
    std::vector<std::uint32_t> used;  // the same for many units
};

class TrieEliminator final : public Eliminator {
  public:
    TrieEliminator(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget,
                   Progress& progress)
        : nodes_(problem, settings.memory_limit),
          budget_(budget),
          progress_(progress),
          pool_(std::max<std::size_t>(1, settings.n_jobs)),
          workers_(pool_.size()),
          memory_limit_(settings.memory_limit),
          narrow_(problem.n_units() <= 64),
          present_(problem.n_units()),
          used_(problem.n_units()),
          known_(problem.n_units()) {
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit) present_.insert(unit);
        for (Worker& worker : workers_) worker.marked = UnitSet(problem.n_units());
    }

    std::optional<Assessment> assess(bool at_any_cost) override {
        at_any_cost_ = at_any_cost;
        Worker& worker = workers_[0];
        worker.limit = no_error_limit;
        worker.total = 0;
        rank_in_parallel_ = true;
        const bool done = std::ranges::all_of(nodes_.roots(), [&](Node& root) { return settle(root, worker); });
        rank_in_parallel_ = at_any_cost_ = false;
        clear_marks(worker);
        if (!done) return std::nullopt;
        keep_within(memory_limit_ / 2);
        out_of_memory_ = nodes_.bytes_in_use() > std::max(memory_limit_, smallest_memory_limit);
        Assessment assessment;
        used_ = UnitSet(nodes_.n_units());
        for (const Node& root : nodes_.roots()) {
            assessment.error += root.error;
            for_each_used(root, [&](std::uint32_t unit) { used_.insert(unit); });
        }
        assessment.used = used_.list();
        error_ = assessment.error;
        if (pool_.size() > 1) weigh_units();
        return assessment;
    }

    std::optional<Removal> best_removal(const UnitSet& removable, ErrorWeight limit) override {
        std::optional<Removal> best;
        const auto weigh = [&](Removal removal) {
            if (removal.error > limit) return;
            if (!best || removal.error < best->error || (removal.error == best->error && removal.unit < best->unit))
                best = removal;
        };
        // A unit that the trees do not use leaves them as they are.
        if (const std::optional<std::uint32_t> unused = first_unused(removable)) weigh({*unused, error_});
        waiting_.clear();
        used_.for_each([&](std::uint32_t unit) {
            if (!removable.contains(unit)) return;
            if (known_[unit].state == Known::State::error)
                weigh({unit, known_[unit].error});
            else
                waiting_.push_back(unit);
        });
        std::ranges::sort(waiting_, {}, [&](std::uint32_t unit) { return std::pair(known_[unit].guess, unit); });

        std::size_t wave = first_wave;
        for (std::size_t begin = 0; begin < waiting_.size();) {
            // Better than the best so far: a smaller error, or the same with a lower index.
            const auto limit_for = [&](std::uint32_t unit) {
                if (!best) return limit;
                return std::min(limit, unit < best->unit ? best->error : best->error - 1);
            };
            judged_.clear();
            for (; begin < waiting_.size() && judged_.size() < wave; ++begin) {
                const std::uint32_t unit = waiting_[begin];
                if (known_[unit].state != Known::State::bound || known_[unit].error <= limit_for(unit))
                    judged_.push_back({unit, limit_for(unit)});
            }
            if (!judge_all()) return std::nullopt;
            for (const Judged& judged : judged_)
                if (known_[judged.unit].state == Known::State::error) weigh({judged.unit, known_[judged.unit].error});
            keep_within(memory_limit_ / 2);
            wave *= 2;
        }
        return best;
    }

    void remove(std::uint32_t unit) override {
        present_.erase(unit);
        removed_.push_back(unit);
        if (narrow_) gone_bits_ |= std::uint64_t{1} << unit;
        for (const std::uint32_t other : touched_) {
            Known& known = known_[other];
            if (known.state == Known::State::nothing) continue;
            if (narrow_ ? (known.used_bits >> unit & 1U) != 0 : std::ranges::binary_search(known.used, unit))
                known.state = Known::State::nothing;
        }
        // Never asked again.
        std::erase(touched_, unit);
        known_[unit] = {};
    }

    [[nodiscard]] bool out_of_memory() const noexcept override { return out_of_memory_; }

    [[nodiscard]] Counters counters() const override {
        Counters counters;
        counters.n_trees = n_judged_ + 1;
        for (const Worker& worker : workers_) {
            counters.n_scans += worker.n_scans;
            counters.n_expansions += worker.n_expansions;
        }
        counters.peak_bytes = nodes_.peak_bytes();
        return counters;
    }

  private:
    struct Judged {
        std::uint32_t unit;
        ErrorWeight limit;
    };

    [[nodiscard]] bool is_gone(std::uint32_t unit) const noexcept { return !present_.contains(unit); }

    [[nodiscard]] bool uses(const Node& node, std::uint32_t unit) const noexcept {
        if (narrow_) return (node.used_bits >> unit & 1U) != 0;
        return std::binary_search(node.used, node.used + node.n_used, unit);
    }
    template <class Visit>
    void for_each_used(const Node& node, Visit visit) const {
        if (narrow_) {
            for (std::uint64_t bits = node.used_bits; bits != 0; bits &= bits - 1)
                visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
        } else {
            for (const std::uint32_t unit : std::span(node.used, node.n_used)) visit(unit);
        }
    }
    void mark(Worker& worker, std::uint32_t unit) const noexcept {
        if (narrow_)
            worker.marked_bits |= std::uint64_t{1} << unit;
        else
            worker.marked.insert(unit);
    }
    void mark_used(Worker& worker, const Node& node) const noexcept {
        if (narrow_)
            worker.marked_bits |= node.used_bits;
        else
            for (const std::uint32_t unit : std::span(node.used, node.n_used)) worker.marked.insert(unit);
    }
    void clear_marks(Worker& worker) const noexcept {
        worker.marked_bits = 0;
        if (!narrow_) std::ranges::fill(worker.marked.words(), 0);
    }

    [[nodiscard]] std::optional<std::uint32_t> first_unused(const UnitSet& removable) const noexcept {
        for (std::size_t i = 0; i < removable.words().size(); ++i)
            if (const std::uint64_t word = removable.words()[i] & ~used_.words()[i]; word != 0)
                return static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(word));
        return std::nullopt;
    }

    /// None of the units used below has gone.
    [[nodiscard]] bool is_valid(Node& node) const noexcept {
        if (!node.settled) return false;
        if (narrow_) return (node.used_bits & gone_bits_) == 0;
        const std::span used(node.used, node.n_used);
        const std::size_t since = removed_.size() - node.checked;
        if (since > used.size() / 4)
            node.settled = std::ranges::none_of(used, [&](std::uint32_t unit) { return is_gone(unit); });
        else
            for (std::size_t i = node.checked; i < removed_.size() && node.settled; ++i)
                node.settled = !std::ranges::binary_search(used, removed_[i]);
        node.checked = static_cast<std::uint32_t>(removed_.size());
        return node.settled;
    }

    /// The best entry of the head whose unit is there and is not `without`.
    [[nodiscard]] Ranked* first_of(const Head& head, std::uint32_t without) const noexcept {
        for (Ranked& ranked : std::span(head.ranked, head.n))
            if (ranked.unit != without && !is_gone(ranked.unit)) return &ranked;
        return nullptr;
    }
    /// The split of the tree without a unit; null at a leaf.
    [[nodiscard]] const Split* split_of(const Node& node, std::uint32_t without) const noexcept {
        if (node.is_leaf) return nullptr;
        const Ranked* ranked = first_of(*node.head.load(std::memory_order_acquire), without);
        return ranked != nullptr ? ranked->split : nullptr;
    }

    /// The entry that the node is split on; null at a leaf. Ranks the node if its head does not tell. False if the
    /// budget is spent. `shared`: others may be reading the node.
    bool find_ranked(Node& node, std::uint32_t without, bool shared, Worker& worker, Ranked*& found) {
        Head* head = node.head.load(std::memory_order_acquire);
        if (head != nullptr) {
            found = first_of(*head, without);
            if (found != nullptr || head->complete) return true;
        }
        if (!rank(node, shared, worker)) return false;
        found = first_of(*node.head.load(std::memory_order_acquire), without);
        return true;
    }

    bool stop(Worker& worker, std::size_t cells) { return !at_any_cost_ && worker.watch.is_over(budget_, cells); }

    /// Makes the head of the node from the units left.
    bool rank(Node& node, bool shared, Worker& worker) {
        Head* before = node.head.load(std::memory_order_relaxed);
        std::vector<std::uint32_t>& units = worker.units;
        units.clear();
        const Node* source = node.alive != nullptr || node.parent == nullptr ? &node : node.parent;
        for (std::size_t i = 0; i < nodes_.n_words(); ++i) {
            std::uint64_t word = present_.words()[i];
            if (source->alive != nullptr) word &= source->alive[i];
            for (; word != 0; word &= word - 1)
                units.push_back(static_cast<std::uint32_t>(64 * i) +
                                static_cast<std::uint32_t>(std::countr_zero(word)));
        }
        if (source != &node) {  // P1
            const Head& above = *node.parent->head.load(std::memory_order_acquire);
            for (const Ranked* ranked = above.ranked; ranked->unit != node.edge; ++ranked)
                if (const auto at = std::ranges::lower_bound(units, ranked->unit);
                    at != units.end() && *at == ranked->unit)
                    units.erase(at);
        }
        const std::size_t cells = units.size() * node.n_building;
        if (stop(worker, cells)) return false;
        nodes_.load(node, worker);
        std::vector<Candidate>& candidates = worker.candidates;
        candidates.resize(units.size());
        const auto evaluate = [&](std::size_t begin, std::size_t end, RankingScratch& scratch) {
            for (std::size_t i = begin; i < end; ++i) {
                if (!at_any_cost_ && budget_.spent()) return;
                candidates[i] = nodes_.best_of_unit(units[i], worker, scratch);
            }
        };
        if (rank_in_parallel_ && pool_.size() > 1 && cells >= least_parallel_cells) {
            const std::size_t n_tasks = std::min(units.size(), 4 * pool_.size());
            pool_.run(n_tasks, [&](std::size_t number, std::size_t task) {
                evaluate(units.size() * task / n_tasks, units.size() * (task + 1) / n_tasks, workers_[number].scratch);
            });
        } else {
            evaluate(0, units.size(), worker.scratch);
        }
        if (!at_any_cost_ && budget_.spent()) return false;
        ++worker.n_scans;
        progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);
        if (before == nullptr) ++worker.n_expansions;

        if (node.alive == nullptr)
            nodes_.make_alive(node);
        else
            std::fill_n(node.alive, nodes_.n_words(), 0);
        for (std::size_t i = 0; i < units.size(); ++i)
            if (!candidates[i].constant) node.alive[units[i] / 64] |= std::uint64_t{1} << (units[i] % 64);
        std::erase_if(candidates, [](const Candidate& candidate) { return !candidate.eligible(); });
        const std::size_t length = std::min(length_of_head(node, nodes_.n_units()), candidates.size());
        const bool complete = length == candidates.size();
        if (!complete)
            std::ranges::nth_element(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(length),
                                     ranks_before);
        std::ranges::sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(length), ranks_before);
        Head* head = nodes_.make_head(std::span(candidates).first(length), complete);
        if (before != nullptr) {
            for (Ranked& old : std::span(before->ranked, before->n)) {
                if (old.split == nullptr) continue;
                Ranked* again = nullptr;
                for (Ranked& ranked : std::span(head->ranked, head->n))
                    if (ranked.unit == old.unit) again = &ranked;
                if (again != nullptr)
                    again->split = old.split;
                else
                    nodes_.release_split(old);
            }
        }
        node.head.store(head, std::memory_order_release);
        if (shared && before != nullptr)
            worker.retired.push_back(before);
        else
            nodes_.release_head(before);
        return true;
    }

    /// Finds out what the subtree is worth for the current subset, and adds its error to the worker's total. False if
    /// the total exceeds the limit, or the budget is spent.
    bool settle(Node& start, Worker& worker) {
        std::vector<Frame>& frames = worker.frames;
        frames.clear();
        frames.push_back({&start, nullptr, 0});
        while (!frames.empty()) {
            Frame& frame = frames.back();
            Node& node = *frame.node;
            if (frame.split == nullptr) {
                if (is_valid(node)) {
                    mark_used(worker, node);
                    if (!add(node.error, worker)) return false;
                    frames.pop_back();
                    continue;
                }
                nodes_.release_value(node);
                Ranked* ranked = nullptr;
                if (!node.is_leaf) {
                    if (!find_ranked(node, none, false, worker, ranked)) return false;
                    drop_gone_splits(node);
                }
                if (ranked == nullptr) {
                    finish_leaf(node);
                    if (!add(node.error, worker)) return false;
                    frames.pop_back();
                    continue;
                }
                frame.split = &nodes_.split(node, *ranked, worker);
                mark(worker, ranked->unit);
                if (!add(frame.split->fixed_error, worker)) return false;
            }
            if (frame.next < frame.split->n_children) {
                Node* child = &frame.split->children[frame.next++];
                frames.push_back({child, nullptr, 0});
                continue;
            }
            const ErrorWeight of_homeless = finish(node, *frame.split, worker);
            frames.pop_back();
            if (!add(of_homeless, worker)) return false;
        }
        return true;
    }

    static bool add(ErrorWeight error, Worker& worker) noexcept {
        worker.total += error;
        return worker.total <= worker.limit;
    }

    void drop_gone_splits(Node& node) {
        for (Ranked& ranked :
             std::span(node.head.load(std::memory_order_relaxed)->ranked, node.head.load(std::memory_order_relaxed)->n))
            if (ranked.split != nullptr && is_gone(ranked.unit)) nodes_.release_split(ranked);
    }

    void leaf_votes(const Node& node, double* votes) const noexcept {
        const std::size_t n_classes = nodes_.n_classes();
        for (std::uint32_t i = 0; i < node.n_parts; ++i)
            for (std::size_t k = 0; k < n_classes; ++k) *votes++ = node.parts[i].share * node.votes[k];
    }

    void finish_leaf(Node& node) {
        node.error = node.leaf_error;
        node.used_bits = 0;
        node.settled = true;
        node.checked = static_cast<std::uint32_t>(removed_.size());
        if (node.n_parts == 0) return;
        node.part_votes = nodes_.allocate<double>(node.n_parts * nodes_.n_classes());
        leaf_votes(node, node.part_votes);
    }

    /// Sums up the children. Returns the error of the samples that are homeless here.
    ErrorWeight finish(Node& node, const Split& split, Worker& worker) {
        const std::span<const Node> children(split.children, split.n_children);
        node.error = split.fixed_error;
        for (const Node& child : children) node.error += child.error;
        if (narrow_) {
            node.used_bits = std::uint64_t{1} << split.unit;
            for (const Node& child : children) node.used_bits |= child.used_bits;
        } else {
            worker.merged.assign(1, split.unit);
            for (const Node& child : children) {
                if (child.n_used == 0) continue;
                worker.merging.clear();
                std::ranges::set_union(worker.merged, std::span(child.used, child.n_used),
                                       std::back_inserter(worker.merging));
                worker.merged.swap(worker.merging);
            }
            node.n_used = static_cast<std::uint32_t>(worker.merged.size());
            node.used = nodes_.allocate<std::uint32_t>(node.n_used);
            std::ranges::copy(worker.merged, node.used);
        }
        node.checked = static_cast<std::uint32_t>(removed_.size());
        node.settled = true;
        if (node.n_parts == 0 && split.n_homeless == 0) return 0;
        const std::size_t n_classes = nodes_.n_classes();
        worker.votes.assign((std::size_t{node.n_parts} + split.n_homeless) * n_classes, 0.0);
        for (const Node& child : children)
            if (child.n_parts > 0) nodes_.add_votes(child, child.part_votes, worker.votes.data());
        if (node.n_parts > 0) {
            node.part_votes = nodes_.allocate<double>(node.n_parts * n_classes);
            std::copy_n(worker.votes.data(), node.n_parts * n_classes, node.part_votes);
        }
        const ErrorWeight of_homeless =
            nodes_.error_of_homeless(node, split, worker.votes.data() + node.n_parts * n_classes, worker,
                                     [this](const Node& at) { return split_of(at, none); });
        node.error += of_homeless;
        return of_homeless;
    }

    /// How many building samples each unit splits in the trees: what its removal may have to rank again.
    void weigh_units() {
        samples_split_by_.assign(nodes_.n_units(), 0);
        std::vector<Node*>& path = workers_[0].path;
        path.clear();
        for (Node& root : nodes_.roots()) path.push_back(&root);
        while (!path.empty()) {
            Node& node = *path.back();
            path.pop_back();
            const Split* split = split_of(node, none);
            if (split == nullptr) continue;
            samples_split_by_[split->unit] += node.n_building;
            for (Node& child : std::span(split->children, split->n_children)) path.push_back(&child);
        }
    }

    /// Judges candidates on all threads: one after the other those that the others would have to wait for, each on all
    /// threads, then the rest side by side. What comes out depends on neither the order nor the threads.
    void judge_in_parallel(std::atomic<bool>& stopped) {
        const auto work_of = [&](const Judged& judged) { return samples_split_by_[judged.unit]; };
        std::uint64_t work = 0;
        for (const Judged& judged : judged_) work += work_of(judged);
        const auto judge_or_stop = [&](const Judged& judged, Worker& worker) {
            if (!stopped.load(std::memory_order_relaxed) && !judge(judged, worker)) stopped = true;
        };
        std::ranges::stable_sort(judged_, std::greater{}, work_of);
        std::size_t n_alone = judged_.size() < 2 * pool_.size() ? judged_.size() : 0;
        for (; n_alone < judged_.size() && work_of(judged_[n_alone]) * pool_.size() > work; ++n_alone)
            work -= work_of(judged_[n_alone]);
        rank_in_parallel_ = true;
        for (std::size_t i = 0; i < n_alone; ++i) judge_or_stop(judged_[i], workers_[0]);
        rank_in_parallel_ = false;
        pool_.run(judged_.size() - n_alone,
                  [&](std::size_t number, std::size_t i) { judge_or_stop(judged_[n_alone + i], workers_[number]); });
    }

    /// Judges the candidates of a wave; false if the budget is spent.
    bool judge_all() {
        if (judged_.empty()) return true;
        n_judged_ += judged_.size();
        progress_.trees_built.fetch_add(judged_.size(), std::memory_order_relaxed);
        for (const Judged& judged : judged_) {
            Known& known = known_[judged.unit];
            if (known.state == Known::State::nothing && known.used.empty() && known.used_bits == 0)
                touched_.push_back(judged.unit);
        }
        std::atomic<bool> stopped{false};
        if (pool_.size() > 1) {
            judge_in_parallel(stopped);
        } else {
            for (const Judged& judged : judged_)
                if (!stopped && !judge(judged, workers_[0])) stopped = true;
        }
        for (Worker& worker : workers_) {
            for (Head* head : worker.retired) nodes_.release_head(head);
            worker.retired.clear();
        }
        return !stopped;
    }

    bool judge(const Judged& judged, Worker& worker) {
        clear_marks(worker);
        worker.total = 0;
        worker.limit = judged.limit;
        const bool complete = count_candidate(judged.unit, worker);
        if (!complete && worker.total <= worker.limit) return false;  // the budget
        Known& known = known_[judged.unit];
        known.state = complete ? Known::State::error : Known::State::bound;
        known.error = known.guess = worker.total;
        known.used_bits = worker.marked_bits;
        if (!narrow_) known.used = worker.marked.list();
        if (nodes_.bytes_in_use() > memory_limit_ / 2 + memory_limit_ / 4) release_candidate(judged.unit, worker);
        return true;
    }

    /// Sums the errors of the trees without the unit into the worker's total, as far as the limit.
    bool count_candidate(std::uint32_t without, Worker& worker) {
        // What T and T_a have in common comes first: it costs nothing.
        worker.path.clear();
        worker.nodes_of_candidate.clear();
        const auto meet = [&](Node& node) {
            if (uses(node, without)) {
                worker.path.push_back(&node);
            } else {
                worker.total += node.error;
                mark_used(worker, node);
            }
        };
        for (Node& root : nodes_.roots()) meet(root);
        while (!worker.path.empty()) {
            Node& node = *worker.path.back();
            worker.path.pop_back();
            const Ranked& ranked = *first_of(*node.head.load(std::memory_order_acquire), none);
            if (ranked.unit == without) {
                worker.nodes_of_candidate.push_back(&node);
                continue;
            }
            mark(worker, ranked.unit);
            worker.total += ranked.split->fixed_error;
            for (Node& child : std::span(ranked.split->children, ranked.split->n_children)) meet(child);
        }
        if (worker.total > worker.limit) return false;

        for (Node* node : worker.nodes_of_candidate) {
            Ranked* second = nullptr;
            if (!find_ranked(*node, without, true, worker, second)) return false;
            if (second == nullptr) {
                if (!add(node->leaf_error, worker)) return false;
                continue;
            }
            mark(worker, second->unit);
            Split& split = nodes_.split(*node, *second, worker);
            if (!add(split.fixed_error, worker)) return false;
            for (Node& child : std::span(split.children, split.n_children))
                if (!settle(child, worker)) return false;
        }
        if (nodes_.has_parts()) worker.total = error_with_votes(without, worker);
        return worker.total <= worker.limit;
    }

    /// The error of T_a when all that it does not have in common with T is settled: samples that are homeless at the
    /// nodes above the a-nodes may get other votes.
    ErrorWeight error_with_votes(std::uint32_t without, Worker& worker) {
        ErrorWeight error = 0;
        const std::size_t n_classes = nodes_.n_classes();
        std::vector<VoteFrame>& frames = worker.vote_frames;
        std::size_t depth = 0;
        const auto open = [&](Node& node) {
            if (frames.size() == depth) frames.emplace_back();
            VoteFrame& frame = frames[depth++];
            frame.node = &node;
            frame.split = const_cast<Split*>(split_of(node, without));
            frame.next = 0;
            frame.error = frame.split != nullptr ? frame.split->fixed_error : node.leaf_error;
            const std::size_t n_homeless = frame.split != nullptr ? frame.split->n_homeless : 0;
            frame.votes.assign((node.n_parts + n_homeless) * n_classes, 0.0);
            if (frame.split == nullptr) leaf_votes(node, frame.votes.data());
        };
        for (Node& root : nodes_.roots()) {
            if (!uses(root, without)) {
                error += root.error;
                continue;
            }
            open(root);
            while (depth > 0) {
                VoteFrame& frame = frames[depth - 1];
                if (frame.split != nullptr && frame.next < frame.split->n_children) {
                    Node& child = frame.split->children[frame.next];
                    // Below a second split, units used are those of the subset without the candidate (P1).
                    if (uses(child, without)) {
                        open(child);  // `frame.next` moves on when it is closed
                        continue;
                    }
                    ++frame.next;
                    frame.error += child.error;
                    if (child.n_parts > 0) nodes_.add_votes(child, child.part_votes, frame.votes.data());
                    continue;
                }
                if (frame.split != nullptr && frame.split->n_homeless > 0)
                    frame.error += nodes_.error_of_homeless(
                        *frame.node, *frame.split, frame.votes.data() + frame.node->n_parts * n_classes, worker,
                        [&](const Node& at) { return split_of(at, without); });
                --depth;
                if (depth == 0) {
                    error += frame.error;
                    break;
                }
                VoteFrame& above = frames[depth - 1];
                ++above.next;
                above.error += frame.error;
                if (frame.node->n_parts > 0) nodes_.add_votes(*frame.node, frame.votes.data(), above.votes.data());
            }
        }
        return error;
    }

    /// Frees what only the candidate needs. Its error stays known.
    void release_candidate(std::uint32_t without, Worker& worker) {
        for (Node* node : worker.nodes_of_candidate)
            if (Ranked* second = first_of(*node->head.load(std::memory_order_acquire), without))
                nodes_.release_split(*second);
    }

    /// Over the limit, frees all that is not the current tree; it is made again when it is asked for, identically.
    void keep_within(std::size_t limit) {
        if (nodes_.bytes_in_use() <= limit) return;
        std::vector<Node*> stack;
        for (Node& root : nodes_.roots()) stack.push_back(&root);
        while (!stack.empty()) {
            Node& node = *stack.back();
            stack.pop_back();
            Head* head = node.head.load(std::memory_order_relaxed);
            if (head == nullptr) continue;
            const Ranked* first = first_of(*head, none);
            for (Ranked& ranked : std::span(head->ranked, head->n))
                if (&ranked != first) nodes_.release_split(ranked);
            if (first == nullptr || first->split == nullptr) continue;
            for (Node& child : std::span(first->split->children, first->split->n_children)) stack.push_back(&child);
        }
    }

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    Nodes nodes_;
    Budget& budget_;
    Progress& progress_;
    WorkerPool pool_;
    std::vector<Worker> workers_;
    std::size_t memory_limit_;
    bool narrow_;  // sets of used units fit into a word
    UnitSet present_, used_;
    std::uint64_t gone_bits_ = 0;
    std::vector<std::uint32_t> removed_;  // in order
    std::vector<Known> known_;            // by unit
    std::vector<std::uint32_t> touched_;  // units of which something was known
    std::vector<std::uint32_t> waiting_;
    std::vector<std::uint64_t> samples_split_by_;  // by unit, in the trees as they are
    std::vector<Judged> judged_;
    ErrorWeight error_ = 0;
    bool at_any_cost_ = false;
    bool rank_in_parallel_ = false;
    bool out_of_memory_ = false;
    std::uint64_t n_judged_ = 0;
};

}  // namespace

std::unique_ptr<Eliminator> make_trie_eliminator(const SearchProblem& problem, const EliminationSettings& settings,
                                                 Budget& budget, Progress& progress) {
    return std::make_unique<TrieEliminator>(problem, settings, budget, progress);
}

}  // namespace palmette::elimination
