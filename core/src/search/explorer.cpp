#include "explorer.hpp"

#include <algorithm>
#include <utility>

namespace palmette {
namespace {

// Sample × feature evaluations after which a run is interrupted, whatever steps are left, for a look at the clock and at
// the workers that wait: a hundredth of a second. A step may be a whole table of subsets.
constexpr std::uint64_t most_work = std::uint64_t{1} << 20;

// A limit below this would not hold the path of a small problem; it is raised to what the path needs, up to here.
constexpr std::size_t least_memory = std::size_t{1} << 20;

// Bytes of the trie from which on it is worth looking for what may be freed: what the caches of a processor hold.
constexpr std::size_t least_collected = std::size_t{1} << 23;

constexpr int least_depth = 3;
constexpr int greatest_depth = 14;
constexpr std::uint64_t sublattices_of_least_depth = 5000;
constexpr double looks_that_one_closing_pays = 16;
constexpr std::size_t n_strong = 3;  // units whose two sides are bounded before one of them is chosen
constexpr int strong_depth = 1;
constexpr std::size_t least_levels = 4;  // of the search above the tables of subsets
constexpr std::size_t most_tried = 32;   // subsets that are tried one by one
constexpr std::uint32_t easy_tables_before_larger = 32;

/// How deep to look: one level more for every doubling of the sublattices seen. Not of the expansions: a search of few
/// and large sublattices would look deeper than it has anything to prune.
int look_ahead_depth(std::uint64_t n_sublattices) {
    int depth = least_depth;
    for (std::uint64_t n = n_sublattices / sublattices_of_least_depth; n > 0 && depth < greatest_depth; n /= 2) ++depth;
    return depth;
}

}  // namespace

template <std::size_t Words>
Explorer<Words>::Explorer(Trie<Words>& trie, Goal<Words>& goal, std::size_t memory_limit)
    : trie_(trie),
      goal_(goal),
      look_ahead_(trie),
      ledger_(trie.problem(), trie.samples()),
      walk_(trie),
      table_(trie),
      room_(memory_limit / 5 * 4),
      next_collection_(std::min(least_collected, room_ / 2)),
      one_(trie.problem().dataset().scale().factor()),
      score_of_unit_(trie.problem().n_units(), 0) {
    const std::size_t n_units = trie.problem().n_units();
    for (std::size_t unit = 0; unit < n_units; ++unit) all_units_.insert(unit);
    most_in_table_ = greatest_table();
    frames_.resize(n_units + 3);
    look_ahead_.set_memory_limit(most_bytes());
}

/// Undecided units at most. The first levels are branched on all the same: workers share them, and they are saved.
template <std::size_t Words>
std::size_t Explorer<Words>::greatest_table() const noexcept {
    const std::size_t n_units = trie_.problem().n_units();
    return std::min(SubsetTable<Words>::most_units, n_units - std::min(n_units, least_levels));
}

template <std::size_t Words>
typename Explorer<Words>::Frame& Explorer<Words>::push(const Sublattice<Words>& at, ErrorWeight bound, double share) {
    Frame& frame = frames_[depth_++];
    frame.at = at;
    frame.ready.clear();
    frame.waiting.clear();
    frame.fixed_error = 0;
    frame.bound = bound;
    frame.share = share;
    frame.mark = ledger_.mark();
    frame.fresh = true;
    frame.second_waits = false;
    return frame;
}

template <std::size_t Words>
void Explorer<Words>::pop() {
    ledger_.roll_back(frames_[--depth_].mark);
    if (depth_ > 0) ledger_.resume(frames_[depth_ - 1].mark);
}

template <std::size_t Words>
void Explorer<Words>::start(const Task<Words>& task) {
    while (depth_ > 0) pop();
    Sublattice<Words> at{task.included, task.excluded, 0};
    task.included.for_each([&](std::size_t unit) { at.size += features_in(unit); });
    Frame& frame = push(at, task.bound, task.share);
    for (Node& root : trie_.roots()) resolve({&root, 0, root.base_bound}, at, frame.waiting, frame.fixed_error);
}

/// Follows a node down the included features; what is open is added to `out`, what is settled to `fixed_error`.
template <std::size_t Words>
void Explorer<Words>::resolve(const Open& open, const Sublattice<Words>& at, std::vector<Open>& out,
                              ErrorWeight& fixed_error) {
    resolving_.assign(1, {open, true});
    while (!resolving_.empty()) {
        auto [item, counted] = resolving_.back();
        resolving_.pop_back();
        Node& node = *item.node;
        const bool has_parts = node.n_parts > 0;
        if (node.expanded) {
            while (item.rank < node.n_ranked && at.excluded.contains(node.ranking[item.rank].unit)) ++item.rank;
            if (item.rank == node.n_ranked) {  // a leaf
                fixed_error += node.leaf_error;
                if (has_parts) {
                    if (counted) ledger_.close(node);
                    ledger_.vote(node);
                }
                continue;
            }
            if (at.included.contains(node.ranking[item.rank].unit)) {
                const auto& split =
                    ledger_.is_in_use() ? trie_.split_with_parts(node, item.rank) : trie_.split(node, item.rank);
                if (has_parts && counted) ledger_.close(node);
                fixed_error += split.fixed_error;
                for (std::uint32_t j = 0; j < split.n_children; ++j) {
                    Node& child = split.children[j];
                    const ErrorWeight bound = look_ahead_.known(child, at.included, at.excluded);
                    resolving_.push_back({{&child, 0, bound}, false});
                }
                for (std::uint32_t j = 0; j < split.n_side_children; ++j)
                    resolving_.push_back({{&split.side_children[j], 0, 0}, false});
                continue;
            }
        }
        if (has_parts && !counted) ledger_.open(node);
        out.push_back(item);
    }
    ledger_.judge();
}

template <std::size_t Words>
ErrorWeight Explorer<Words>::total_bound(const Frame& frame) const {
    ErrorWeight bound = frame.fixed_error + ledger_.sure_errors();
    for (const Open& open : frame.ready) bound += open.bound;
    for (const Open& open : frame.waiting) bound += open.bound;
    return bound;
}

template <std::size_t Words>
void Explorer<Words>::push_side(Side side, ErrorWeight bound) {
    Frame& parent = frames_[depth_ - 1];
    Sublattice<Words> at = parent.at;
    if (side == Side::include) {
        at.included.insert(parent.unit);
        at.size += features_in(parent.unit);
    } else {
        at.excluded.insert(parent.unit);
    }
    Frame& frame = push(at, bound, parent.share / 2);
    frame.fixed_error = parent.fixed_error;
    for (const Open& open : parent.ready) {
        if (open.node->ranking[open.rank].unit == parent.unit)
            resolve(open, at, frame.waiting, frame.fixed_error);
        else
            frame.ready.push_back(open);
    }
    frame.waiting.insert(frame.waiting.end(), parent.waiting.begin(), parent.waiting.end());
}

template <std::size_t Words>
typename Explorer<Words>::Outcome Explorer<Words>::step() {
    if (depth_ == 0) return Outcome::finished;
    Frame& frame = frames_[depth_ - 1];
    if (frame.fresh) {
        if (!make_room()) return Outcome::out_of_memory;
        switch (examine(frame)) {
            case Verdict::stopped:
                return Outcome::stopped;
            case Verdict::closed:
                closed_share_ += frame.share;
                pop();
                break;
            case Verdict::branch:
                frame.fresh = false;
                push_side(frame.first, frame.first_bound);
                break;
        }
    } else if (frame.second_waits) {
        frame.second_waits = false;
        push_side(Side::exclude, frame.second_bound);
    } else {
        pop();
    }
    return depth_ == 0 ? Outcome::finished : Outcome::going_on;
}

template <std::size_t Words>
typename Explorer<Words>::Outcome Explorer<Words>::run(std::uint64_t n_steps) {
    const std::uint64_t work_limit = trie_.work() + most_work;
    Outcome outcome = Outcome::going_on;
    for (std::uint64_t i = 0; i < n_steps && outcome == Outcome::going_on && trie_.work() < work_limit; ++i)
        outcome = step();
    return outcome;
}

template <std::size_t Words>
typename Explorer<Words>::Verdict Explorer<Words>::examine(Frame& frame) {
    ++n_sublattices_;
    const ErrorWeight limit = goal_.limit(frame.at);
    bounded_ = limit < no_error_limit;
    if (frame.bound >= limit) return Verdict::closed;
    if (bounded_ && goal_.only_compares()) {
        const Set undecided = all_units_ - frame.at.included - frame.at.excluded;
        if (undecided.size() <= most_in_table_)
            if (const Verdict verdict = try_all(frame, undecided); verdict != Verdict::branch) return verdict;
    }
    if (const Verdict verdict = expand_waiting(frame, limit); verdict != Verdict::branch) return verdict;
    if (frame.ready.empty() && frame.waiting.empty()) return record(frame) ? Verdict::closed : Verdict::stopped;
    if (bounded_ && raise_bounds(frame, limit)) return Verdict::closed;
    if (goal_.features_to_spare(frame.at, frame.bound) <= 1) return try_one_more(frame);
    return choose_unit(frame, limit);
}

/// Expands the nodes that wait, those with the most search samples first, until the sublattice is closed or the rest
/// cannot close it.
template <std::size_t Words>
typename Explorer<Words>::Verdict Explorer<Words>::expand_waiting(Frame& frame, ErrorWeight limit) {
    std::vector<Open>& waiting = frame.waiting;
    const auto before = [](const Open& a, const Open& b) {
        return a.node->whole_weight != b.node->whole_weight ? a.node->whole_weight < b.node->whole_weight
                                                            : a.node->n_building < b.node->n_building;
    };
    const auto take = [&](const Open& open) {
        resolved_.clear();
        resolve(open, frame.at, resolved_, frame.fixed_error);
        for (const Open& found : resolved_) (found.node->expanded ? frame.ready : waiting).push_back(found);
    };
    for (std::size_t i = 0; i < waiting.size();) {  // those that a look-ahead has expanded cost nothing
        if (!waiting[i].node->expanded) {
            ++i;
            continue;
        }
        const Open open = waiting[i];
        waiting[i] = waiting.back();
        waiting.pop_back();
        take(open);
    }
    drop_indifferent(frame);
    ErrorWeight bound = total_bound(frame);
    std::ranges::make_heap(waiting, before);
    std::size_t n_heap = waiting.size();
    while (bound < limit && !waiting.empty()) {
        if (bounded_ && !frame.ready.empty()) {
            ErrorWeight possible = bound + ledger_.undecided_weight();
            for (const Open& open : waiting) possible += open.node->whole_weight - open.bound;
            if (possible < limit) break;
        }
        std::pop_heap(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n_heap), before);
        const Open open = waiting.back();
        if (!trie_.expand(*open.node)) return Verdict::stopped;
        waiting.pop_back();
        n_heap = waiting.size();
        take(open);
        for (; n_heap < waiting.size(); ++n_heap)
            std::push_heap(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n_heap + 1), before);
        bound = total_bound(frame);
    }
    drop_indifferent(frame);
    frame.bound = std::max(frame.bound, bound);
    return frame.bound >= limit ? Verdict::closed : Verdict::branch;
}

/// Closes the open nodes that only parts of samples reach whose verdicts are known (P2 again).
template <std::size_t Words>
void Explorer<Words>::drop_indifferent(Frame& frame) {
    if (!ledger_.is_in_use() || trie_.keeps_unreached()) return;
    const auto is_indifferent = [&](const Open& open) {
        return open.node->n_whole == 0 && ledger_.is_indifferent_to(*open.node);
    };
    std::erase_if(frame.ready, is_indifferent);
    std::erase_if(frame.waiting, is_indifferent);
}

/// Raises the bounds of the open nodes by what their search samples have in common.
template <std::size_t Words>
void Explorer<Words>::find_twins(Frame& frame) {
    for (std::vector<Open>* opens : {&frame.ready, &frame.waiting})
        for (Open& open : *opens)
            if (open.bound < open.node->leaf_error)
                open.bound = std::max(open.bound, trie_.twin_errors(*open.node, frame.at.excluded));
}

/// Looks ahead from the open nodes, deeper and deeper. True once the sublattice is closed.
template <std::size_t Words>
bool Explorer<Words>::raise_bounds(Frame& frame, ErrorWeight limit) {
    find_twins(frame);
    ErrorWeight total = total_bound(frame);
    if (total >= limit) return true;
    const int greatest = deep_looks_.worth_trying() ? look_ahead_depth(n_sublattices_) : 0;
    for (int depth = 0; depth <= greatest; ++depth)
        for (Open& open : frame.ready) {
            const ErrorWeight enough = depth == 0 ? no_error_limit : open.bound + (limit - total);
            const ErrorWeight bound =
                look_ahead_(*open.node, open.rank, frame.at.included, frame.at.excluded, depth, open.bound, enough);
            total += bound - open.bound;
            open.bound = bound;
            if (total < limit) continue;
            if (depth > 0) deep_looks_.learn(1, looks_that_one_closing_pays);
            return true;
        }
    if (greatest > 0) deep_looks_.learn(1, 0);
    frame.bound = std::max(frame.bound, total);
    return false;
}

/// A first impression of the units that are first at an open node: how much weight is there, and how much the bound
/// rises on either side.
template <std::size_t Words>
void Explorer<Words>::score_units(const Frame& frame) {
    scores_.clear();
    for (const Open& open : frame.ready) {
        Node& node = *open.node;
        const std::uint32_t unit = node.ranking[open.rank].unit;
        std::uint32_t& place = score_of_unit_[unit];
        if (place >= scores_.size() || scores_[place].unit != unit) {
            place = static_cast<std::uint32_t>(scores_.size());
            scores_.push_back({unit, 0, 0, 0});
        }
        Score& score = scores_[place];
        score.weight += static_cast<double>(node.whole_weight) / one_ + 1e-3 * node.n_building;
        if (!bounded_) continue;
        score.include += static_cast<double>(std::max<ErrorWeight>(0, trie_.split(node, open.rank).bound - open.bound));
        ErrorWeight least = no_error_limit;
        bool closed = false;
        for (std::uint32_t i = open.rank + 1; i < node.n_ranked && !closed; ++i) {
            if (frame.at.excluded.contains(node.ranking[i].unit)) continue;
            least = std::min(least, trie_.split(node, i).bound);
            closed = least <= open.bound || frame.at.included.contains(node.ranking[i].unit);
        }
        if (!closed) least = std::min(least, node.leaf_error);
        score.exclude += static_cast<double>(std::max<ErrorWeight>(0, least - open.bound));
    }
    for (Score& score : scores_) {
        score.include /= one_;
        score.exclude /= one_;
    }
}

/// Strong branching: the most promising units are judged by the bounds of their two sides (B3: the sides partition the
/// subsets, so a refuted side leaves only the other).
template <std::size_t Words>
typename Explorer<Words>::Verdict Explorer<Words>::choose_unit(Frame& frame, ErrorWeight limit) {
    score_units(frame);
    const auto promise = [](const Score& score) {
        return score.weight * (1 + std::min(score.include, score.exclude)) *
               (1 + 0.3 * (score.include + score.exclude));
    };
    std::ranges::sort(scores_, [&](const Score& a, const Score& b) {
        const double pa = promise(a), pb = promise(b);
        return pa != pb ? pa > pb : a.unit < b.unit;
    });
    frame.first = Side::include;
    frame.unit = scores_[0].unit;
    frame.first_bound = frame.second_bound = frame.bound;
    frame.second_waits = true;
    if (!bounded_) return Verdict::branch;

    const ErrorWeight total = total_bound(frame);
    double best = -1;
    for (std::size_t s = 0; s < std::min(n_strong, scores_.size()); ++s) {
        const std::uint32_t unit = scores_[s].unit;
        Sublattice<Words> with = frame.at, without = frame.at;
        with.included.insert(unit);
        with.size += features_in(unit);
        without.excluded.insert(unit);
        const ErrorWeight limit_with = goal_.limit(with), limit_without = std::min(limit, goal_.limit(without));
        ErrorWeight include = total, exclude = total;
        for (const Open& open : frame.ready) {
            Node& node = *open.node;
            if (node.ranking[open.rank].unit != unit) continue;
            const auto& split = trie_.split(node, open.rank);
            ErrorWeight below = split.bound;
            for (std::uint32_t j = 0; j < split.n_children && include < limit_with; ++j) {
                Node& child = split.children[j];
                const ErrorWeight base = child.base_bound;  // which a look may raise
                below += look_ahead_(child, 0, with.included, with.excluded, strong_depth, base, no_error_limit) - base;
            }
            include += std::max<ErrorWeight>(0, below - open.bound);
            if (exclude < limit_without)
                exclude += look_ahead_(node, open.rank + 1, without.included, without.excluded, strong_depth,
                                       open.bound, no_error_limit) -
                           open.bound;
        }
        const bool no_include = include >= limit_with, no_exclude = exclude >= limit_without;
        if (no_include && no_exclude) return Verdict::closed;
        if (no_include || no_exclude) {
            frame.unit = unit;
            frame.first = no_include ? Side::exclude : Side::include;
            frame.first_bound = std::max(frame.bound, no_include ? exclude : include);
            frame.second_waits = false;
            closed_share_ += frame.share / 2;
            return Verdict::branch;
        }
        const double rise_with = static_cast<double>(include - total) / one_;
        const double rise_without = static_cast<double>(exclude - total) / one_;
        const double score = (rise_with + 0.2) * (rise_without + 0.2) * (1 + 1e-3 * scores_[s].weight);
        if (score > best) {
            best = score;
            frame.unit = unit;
            frame.first_bound = std::max(frame.bound, include);
            frame.second_bound = std::max(frame.bound, exclude);
        }
    }
    return Verdict::branch;
}

/// With one feature to spare at most, the trees that can matter are few: that of `included`, and those with one more.
template <std::size_t Words>
typename Explorer<Words>::Verdict Explorer<Words>::try_one_more(const Frame& frame) {
    const auto consider = [&](const Set& units) {
        const auto found = walk_(units);
        if (!found) return false;
        Sublattice<Words> at = frame.at;
        at.included |= found->used;
        at.size = n_features_in(trie_.problem(), at.included);
        goal_.record(at, found->error);
        return true;
    };
    if (!consider(frame.at.included)) return Verdict::stopped;
    if (goal_.features_to_spare(frame.at, frame.bound) < 1) return Verdict::closed;
    for (std::size_t unit = 0; unit < trie_.problem().n_units(); ++unit) {
        if (frame.at.included.contains(unit) || frame.at.excluded.contains(unit) || features_in(unit) > 1) continue;
        Set units = frame.at.included;
        units.insert(unit);
        if (!consider(units)) return Verdict::stopped;
    }
    return Verdict::closed;
}

/// With few units undecided, all their subsets are followed at once. Says `branch` where that does not end it.
template <std::size_t Words>
typename Explorer<Words>::Verdict Explorer<Words>::try_all(const Frame& frame, const Set& undecided) {
    if (total_bound(frame) >= goal_.limit(frame.at)) return Verdict::closed;
    table_.begin(frame.at, undecided, frame.fixed_error + ledger_.sure_errors(), goal_);
    for (const Open& open : frame.ready) table_.add(*open.node, open.rank);
    for (const Open& open : frame.waiting) table_.add(*open.node, open.rank);
    switch (table_.run(most_bytes())) {
        case SubsetTable<Words>::Outcome::stopped:
            return Verdict::stopped;
        case SubsetTable<Words>::Outcome::too_large:
            most_in_table_ = undecided.size() - std::min<std::size_t>(undecided.size(), 1);
            n_easy_tables_ = 0;
            return Verdict::branch;
        case SubsetTable<Words>::Outcome::settled:
            break;
    }
    if (undecided.size() == most_in_table_ && table_.was_easy() && ++n_easy_tables_ == easy_tables_before_larger) {
        n_easy_tables_ = 0;
        most_in_table_ = std::min(most_in_table_ + 1, greatest_table());
    }
    remaining_.clear();
    table_.for_each_remaining(
        [&](const Sublattice<Words>& at, ErrorWeight error) { remaining_.emplace_back(error, at); });
    if (ledger_.is_in_use() && remaining_.size() > most_tried) return Verdict::branch;
    // Of the subsets with one and the same tree, that of its own features comes first: it has the smallest number.
    std::ranges::stable_sort(remaining_, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [error, at] : remaining_) {
        if (error >= goal_.limit(at)) continue;
        if (!ledger_.is_in_use()) {
            ++n_trees_;
            goal_.record(at, error);
        } else if (try_one(at, error) == Verdict::stopped) {
            return Verdict::stopped;
        }
    }
    return Verdict::closed;
}

/// One subset of the sublattice on top of the stack, with the samples that missing values split.
template <std::size_t Words>
typename Explorer<Words>::Verdict Explorer<Words>::try_one(const Sublattice<Words>& at, ErrorWeight bound) {
    Frame& frame = push(at, bound, 0);
    const Frame& parent = frames_[depth_ - 2];
    frame.fixed_error = parent.fixed_error;
    for (const Open& open : parent.ready) resolve(open, at, frame.waiting, frame.fixed_error);
    for (const Open& open : parent.waiting) resolve(open, at, frame.waiting, frame.fixed_error);
    Verdict verdict = expand_waiting(frame, goal_.limit(at));
    if (verdict == Verdict::branch) verdict = record(frame) ? Verdict::closed : Verdict::stopped;
    pop();
    return verdict;
}

/// A complete tree. False if the budget ended the look at its error.
template <std::size_t Words>
bool Explorer<Words>::record(const Frame& frame) {
    ErrorWeight split_errors = 0;
    ErrorWeight error = 0;
    if (ledger_.settle(split_errors)) {
        error = frame.fixed_error + split_errors;
    } else {
        const auto found = walk_(frame.at.included);
        if (!found) return false;
        error = found->error;
    }
    ++n_trees_;
    goal_.record(frame.at, error);
    return true;
}

/// Frees what the search does not come back to: with every sublattice that is closed, the splits that only its subsets
/// have. That is nearly all of the trie (of soybean's 600 MB, all but 5), and memory that is used again lies in the caches.
template <std::size_t Words>
void Explorer<Words>::collect() {
    constexpr std::size_t most_sublattices = 64;
    waiting_.clear();
    for (std::size_t i = 0; i < depth_; ++i) {
        Frame& frame = frames_[i];
        if (!frame.fresh && !frame.second_waits) {
            frame.ready.clear();
            frame.waiting.clear();
        } else if (waiting_.size() < most_sublattices) {
            waiting_.push_back(frame.at);
            // The last holds whatever lies above it.
            if (!frame.fresh && waiting_.size() < most_sublattices) waiting_.back().excluded.insert(frame.unit);
        }
    }
    trie_.collect(waiting_, room_ / 4 * 5, [&](auto moved) {
        for (std::size_t i = 0; i < depth_; ++i) {
            for (Open& open : frames_[i].ready) open.node = moved(open.node);
            for (Open& open : frames_[i].waiting) open.node = moved(open.node);
        }
    });
    next_collection_ = std::max(std::min(least_collected, room_ / 2), trie_.bytes_in_use() / 2 * 3);
}

/// Keeps the trie within its memory: all but the open nodes of the stack can be rebuilt.
template <std::size_t Words>
bool Explorer<Words>::make_room() {
    if (trie_.bytes_in_use() > std::min(next_collection_, room_)) collect();
    if (trie_.bytes_in_use() <= room_) return true;
    trie_.new_epoch();
    for (std::size_t i = 0; i < depth_; ++i) {
        for (const Open& open : frames_[i].ready) trie_.mark(*open.node);
        for (const Open& open : frames_[i].waiting) trie_.mark(*open.node);
    }
    trie_.evict(room_ / 4 * 5);  // the limit, of which the room is four fifths
    // Too little left over would mean evicting at every step.
    while (trie_.bytes_in_use() > room_ / 4 * 3) {
        if (room_ >= least_memory) return false;
        room_ += room_ / 4 + 1024;
        look_ahead_.set_memory_limit(most_bytes());
    }
    return true;
}

template <std::size_t Words>
std::optional<Task<Words>> Explorer<Words>::give_away() {
    for (std::size_t i = 0; i < depth_; ++i) {
        Frame& frame = frames_[i];
        if (!frame.second_waits) continue;
        frame.second_waits = false;
        Task<Words> task{frame.at.included, frame.at.excluded, frame.second_bound, frame.share / 2};
        task.excluded.insert(frame.unit);
        return task;
    }
    return std::nullopt;
}

template <std::size_t Words>
std::vector<Task<Words>> Explorer<Words>::pending() const {
    std::vector<Task<Words>> tasks;
    for (std::size_t i = 0; i < depth_; ++i) {
        const Frame& frame = frames_[i];
        if (frame.fresh) {
            tasks.push_back({frame.at.included, frame.at.excluded, frame.bound, frame.share});
        } else if (frame.second_waits) {
            tasks.push_back({frame.at.included, frame.at.excluded, frame.second_bound, frame.share / 2});
            tasks.back().excluded.insert(frame.unit);
        }
    }
    return tasks;
}

template class Explorer<1>;
template class Explorer<4>;
template class Explorer<most_searched_units / 64>;

}  // namespace palmette
