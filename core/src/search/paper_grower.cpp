// Preorder all the way: a place is expanded when its turn in the array has come, and a split is closed (its subtree's
// size, units and error summed up) when the last of its children is. No recursion: a degenerate tree may be as deep as
// it has samples.

#include "palmette/search/paper_grower.hpp"

#include <algorithm>
#include <numeric>

#include "palmette/tree/partition.hpp"

namespace palmette::paper {
namespace {

// The rule of tree/grower.cpp for when a place gets a block of its own.
constexpr std::size_t block_shrinkage = 4;
constexpr std::size_t smallest_block = 64;

}  // namespace

template <std::size_t Words>
PaperGrower<Words>::PaperGrower(const SearchProblem& problem, Budget& budget, Progress& progress)
    : problem_(problem),
      dataset_(problem.dataset()),
      ranker_(problem.dataset(), problem.growth()),
      budget_(budget),
      progress_(progress),
      all_slots_(problem.dataset().n_features()),
      shared_votes_(problem) {
    std::iota(all_slots_.begin(), all_slots_.end(), 0U);
    const Block whole(dataset_);
    for (const Fold& fold : problem.folds()) {
        Place& root = roots_.emplace_back();
        root.fold = static_cast<std::uint32_t>(roots_.size() - 1);
        root_blocks_.push_back(std::make_unique<const Block>(whole, fold.building, all_slots_, nullptr));
        root.block = root_blocks_.back().get();
        root.samples.whole = true;
        if (!dataset_.weights().empty())
            for (const std::uint32_t row : fold.building) root.samples.weights.push_back(problem.weight_of_row(row));
        root.rows = fold.search;
        rows_can_be_shared_ = rows_can_be_shared_ || dataset_.has_missing(fold.search);
    }
}

template <std::size_t Words>
bool PaperGrower<Words>::grow(const FeatureSet<Words>& allowed, Tree& tree) {
    tree.clear();
    for (Place& root : roots_)
        if (!grow_place(root, {all_slots_.data(), root.block->n_columns()}, allowed, tree)) return false;
    return finish(tree);
}

template <std::size_t Words>
bool PaperGrower<Words>::grow_without(std::size_t removed, const FeatureSet<Words>& allowed, const Tree& before,
                                      Tree& tree) {
    tree.clear();
    const auto old = before.entries();
    for (std::size_t i = 0; i < old.size();) {
        const Entry<Words>& entry = old[i];
        const std::size_t copy = tree.entries_.size();
        if (!entry.used.contains(removed)) {
            const auto subtree = old.subspan(i, entry.size);
            tree.entries_.insert(tree.entries_.end(), subtree.begin(), subtree.end());
            i += entry.size;
            attach(copy, tree);
        } else if (static_cast<std::size_t>(entry.unit) == removed) {
            if (!grow_place(*entry.node->place, entry.node->varying, allowed, tree)) return false;
            i += entry.size;
        } else {
            Entry<Words>& same = tree.entries_.emplace_back(Entry<Words>{.node = entry.node, .unit = entry.unit});
            same.used.insert(static_cast<std::size_t>(entry.unit));
            same.error = entry.node->own_error;
            open_.push_back({copy, entry.node->n_children});
            ++i;
        }
    }
    return finish(tree);
}

template <std::size_t Words>
bool PaperGrower<Words>::finish(Tree& tree) {
    const auto entries = tree.entries();
    for (std::size_t root = 0; root < entries.size(); root += entries[root].size) {
        tree.used_ |= entries[root].used;
        tree.error_ += entries[root].error;
    }
    ++n_built_;
    progress_.trees_built.fetch_add(1, std::memory_order_relaxed);
    return true;
}

/// Grows the subtree of a place at the end of the array.
template <std::size_t Words>
bool PaperGrower<Words>::grow_place(Place& start, std::span<const std::uint32_t> start_candidates,
                                    const FeatureSet<Words>& allowed, Tree& tree) {
    pending_.clear();
    pending_.push_back({&start, start_candidates});
    while (!pending_.empty()) {
        auto [place, candidates] = pending_.back();
        pending_.pop_back();
        totals_.compute(*place->block, place->samples, dataset_);
        Node& node = tree.nodes_.take();
        node.place = place;
        node.label = totals_.majority;
        node.weight = totals_.weight;
        if (place->depth >= problem_.growth().max_depth || ranker_.is_leaf(totals_)) {
            add_leaf(node, tree);
            continue;
        }
        gather(*place, candidates, tree);
        Candidate best;
        if (!best_split(*place, candidates, allowed, node, best)) {
            open_.clear();
            return false;
        }
        if (best.eligible())
            add_split(node, best, tree);
        else
            add_leaf(node, tree);
    }
    return true;
}

/// Finds the best split on an allowed unit; false when the budget is spent.
template <std::size_t Words>
bool PaperGrower<Words>::best_split(const Place& place, std::span<const std::uint32_t> candidates,
                                    const FeatureSet<Words>& allowed, Node& node, Candidate& best) {
    const std::size_t n = totals_.labels.size();
    if (watch_.is_over(budget_, n * candidates.size())) return false;
    node.varying.clear();
    for (const std::uint32_t slot : candidates) {
        if (!allowed.contains(problem_.unit_of(place.block->column(slot).feature))) continue;
        if (n >= Watch::large ? budget_.check_deadline() : budget_.spent()) return false;
        const Candidate candidate = ranker_.evaluate(*place.block, place.samples, totals_, slot, scratch_);
        if (!candidate.constant) node.varying.push_back(slot);
        if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
    }
    ++n_expansions_;
    progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);
    return true;
}

/// Moves the place into a block of its own once its samples are few in the one that it came with. That is decided
/// when the place is first expanded, by the tree that owns it: one that is expanded again fills its block.
template <std::size_t Words>
void PaperGrower<Words>::gather(Place& place, std::span<const std::uint32_t>& candidates, Tree& tree) {
    const Block& block = *place.block;
    if (block.n_samples() <= smallest_block || totals_.labels.size() * block_shrinkage > block.n_samples()) return;
    tree.blocks_.push_back(std::make_unique<const Block>(block, place.samples.ids, candidates, nullptr));
    place.block = tree.blocks_.back().get();
    place.samples.ids.clear();
    place.samples.whole = true;
    candidates = {all_slots_.data(), place.block->n_columns()};
}

template <std::size_t Words>
void PaperGrower<Words>::add_leaf(Node& node, Tree& tree) {
    node.n_children = 0;
    node.own_error = 0;
    const auto labels = dataset_.labels();
    for (const std::uint32_t row : node.place->rows)
        if (labels[row] != node.label) node.own_error += problem_.weight_of_row(row);
    if (rows_can_be_shared_) {
        const WeightScale& scale = dataset_.scale();
        node.votes.clear();
        for (const Weight weight : totals_.class_weights)
            node.votes.push_back(scale.to_double(weight) / scale.to_double(totals_.weight));
    }
    tree.entries_.push_back({.node = &node, .error = node.own_error});
    attach(tree.entries_.size() - 1, tree);
}

template <std::size_t Words>
void PaperGrower<Words>::add_split(Node& node, const Candidate& best, Tree& tree) {
    const Place& place = *node.place;
    Partition partition(dataset_, *place.block, place.samples, best);
    const std::size_t n_parts = partition.n_parts();
    node.feature = best.feature;
    node.kind = dataset_.column(best.feature).kind;
    node.n_children = static_cast<std::uint32_t>(n_parts);
    node.codes.clear();
    if (node.kind == FeatureKind::continuous)
        node.cut = problem_.cut_code(place.fold, best.feature, partition.lower(), partition.upper());
    else
        for (std::size_t j = 0; j < n_parts; ++j) node.codes.push_back(partition.code(j));

    children_.clear();
    for (std::size_t j = 0; j < n_parts; ++j) {
        Place& child = tree.places_.take();
        child.fold = place.fold;
        child.depth = place.depth + 1;
        child.block = place.block;
        child.samples = partition.take(j);
        child.rows.clear();
        children_.push_back(&child);
    }
    hand_out_rows(place, node, children_);

    const std::uint32_t unit = problem_.unit_of(best.feature);
    Entry<Words>& entry =
        tree.entries_.emplace_back(Entry<Words>{.node = &node, .unit = static_cast<std::int32_t>(unit)});
    entry.used.insert(unit);
    entry.error = node.own_error;
    open_.push_back({tree.entries_.size() - 1, node.n_children});
    for (std::size_t j = n_parts; j-- > 0;) pending_.push_back({children_[j], node.varying});
}

/// Sends the whole search rows of a split place on. A row of a category that no building sample has ends here, in an
/// empty leaf with the label of this node.
template <std::size_t Words>
void PaperGrower<Words>::hand_out_rows(const Place& place, Node& node, std::span<Place* const> children) {
    node.own_error = 0;
    node.shared_rows.clear();
    if (place.rows.empty()) return;
    const Column& column = dataset_.column(node.feature);
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        if (node.kind == FeatureKind::continuous) {
            for (const std::uint32_t row : place.rows) {
                const std::uint32_t code = codes[row];
                (code == 0 ? node.shared_rows : children[code <= node.cut ? 0 : 1]->rows).push_back(row);
            }
            return;
        }
        const auto nowhere = static_cast<std::uint32_t>(children.size());
        part_of_.assign(std::size_t{column.n_values} + 1, nowhere);
        for (std::uint32_t j = 0; j < nowhere; ++j) part_of_[node.codes[j]] = j;
        const auto labels = dataset_.labels();
        for (const std::uint32_t row : place.rows) {
            const std::uint32_t part = part_of_[codes[row]];
            if (codes[row] == 0)
                node.shared_rows.push_back(row);
            else if (part != nowhere)
                children[part]->rows.push_back(row);
            else if (labels[row] != node.label)
                node.own_error += problem_.weight_of_row(row);
        }
    });
}

/// The subtree at `entry` is complete: its parent takes it in, and may be complete by that.
template <std::size_t Words>
void PaperGrower<Words>::attach(std::size_t entry, Tree& tree) {
    while (!open_.empty()) {
        Open& parent = open_.back();
        Entry<Words>& above = tree.entries_[parent.entry];
        above.used |= tree.entries_[entry].used;
        above.error += tree.entries_[entry].error;
        if (--parent.children_left > 0) return;
        entry = parent.entry;
        open_.pop_back();
        close(entry, tree);
    }
}

template <std::size_t Words>
void PaperGrower<Words>::close(std::size_t at, Tree& tree) {
    Entry<Words>& entry = tree.entries_[at];
    entry.size = static_cast<std::uint32_t>(tree.entries_.size() - at);
    if (entry.node->shared_rows.empty()) return;
    std::vector<std::uint32_t>& erring = tree.row_lists_.take();
    erring.clear();
    for (const std::uint32_t row : entry.node->shared_rows)
        if (shared_votes_.errs(tree.entries(), at, row)) {
            erring.push_back(row);
            entry.error += problem_.weight_of_row(row);
        }
    entry.erring_shared = &erring;
}

template class PaperGrower<1>;
template class PaperGrower<4>;
template class PaperGrower<most_searched_units / 64>;

}  // namespace palmette::paper
