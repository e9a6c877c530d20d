#include "elimination_nodes.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace palmette::elimination {
namespace {

bool are_unit(std::span<const Run> runs, Weight one) {
    return std::ranges::all_of(runs, [one](const Run& run) { return run.weight == one; });
}

}  // namespace

Nodes::Nodes(const SearchProblem& problem, std::size_t memory_limit)
    : ordered_(problem, memory_limit / 8),
      dataset_(ordered_.dataset()),
      block_(dataset_),
      ranker_(dataset_, problem.growth()),
      n_classes_(dataset_.n_classes()),
      around_{problem, dataset_, ranker_, {}, {}},
      in_use_(ordered_.nbytes()),
      peak_(ordered_.nbytes()) {
    std::uint32_t n_samples = 0;
    for (const Fold& fold : ordered_.folds()) {
        around_.search.emplace_back(problem, fold, n_samples);
        n_samples += static_cast<std::uint32_t>(around_.search.back().rows.size());
    }
    for (std::size_t f = 0; f < dataset_.n_features(); ++f)
        around_.has_missing.push_back(dataset_.column(f).codes.has_missing() ? 1 : 0);
    const auto labels = dataset_.labels();
    const auto weight_of = [&](std::uint32_t row) {
        return dataset_.weights().empty() ? dataset_.scale().one() : dataset_.weights()[row];
    };
    for (const SearchRows& search : around_.search) has_parts_ = has_parts_ || dataset_.has_missing(search.rows);

    n_roots_ = around_.search.size();
    roots_ = allocate<Node>(n_roots_);
    for (std::size_t fold = 0; fold < n_roots_; ++fold) ::new (&roots_[fold]) Node{};
    for (std::size_t fold = 0; fold < n_roots_; ++fold) {
        Node& root = roots_[fold];
        root.fold = static_cast<std::uint16_t>(fold);
        std::vector<std::uint32_t> building = ordered_.folds()[fold].building, whole = around_.search[fold].rows;
        std::ranges::stable_sort(building, {},
                                 [&](std::uint32_t row) { return std::pair(labels[row], weight_of(row)); });
        std::ranges::stable_sort(whole, {}, [&](std::uint32_t row) { return labels[row]; });
        root.n_building = static_cast<std::uint32_t>(building.size());
        root.n_whole = static_cast<std::uint32_t>(whole.size());
        std::vector<Run> runs;
        for (std::uint32_t i = 0; i < building.size(); ++i)
            begin_run(runs, labels[building[i]], weight_of(building[i]), i);
        runs.back().end = root.n_building;
        root.n_building_runs = static_cast<std::uint32_t>(runs.size());
        std::vector<Run> whole_runs;
        for (std::uint32_t i = 0; i < whole.size(); ++i) begin_run(whole_runs, labels[whole[i]], 0, i);
        whole_runs.back().end = root.n_whole;
        root.n_search_runs = static_cast<std::uint32_t>(whole_runs.size());
        make_room_for_samples(root);
        std::ranges::copy(whole_runs, std::ranges::copy(runs, root.runs).out);
        std::ranges::copy(whole, std::ranges::copy(building, root.rows).out);
        root.unit_weights = are_unit(runs, dataset_.scale().one());
        std::vector<Weight> by_class(n_classes_, 0);
        for (const std::uint32_t row : building) by_class[labels[row]] += weight_of(row);
        const Weight total = std::accumulate(by_class.begin(), by_class.end(), Weight{0});
        root.label = static_cast<Label>(std::ranges::max_element(by_class) - by_class.begin());
        bool live = false;
        for (const std::uint32_t row : whole) {
            if (labels[row] != root.label) root.leaf_error += around_.search[fold].weight_of[row];
            live = live || by_class[labels[row]] > 0;
        }
        root.is_leaf =
            !live || ranker_.is_leaf(total, by_class[root.label] == total) || problem.growth().max_depth == 0;
    }
}

Nodes::~Nodes() {
    for (Node& root : roots()) {
        if (Head* head = root.head.load(std::memory_order_relaxed))
            for (std::uint32_t i = 0; i < head->n; ++i) release_split(head->ranked[i]);
        release_contents(root);
    }
    release(roots_, n_roots_);
}

void* Nodes::take(std::size_t bytes) {
    void* piece = ::operator new(bytes);
    const std::size_t now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
    return piece;
}

void Nodes::give_back(void* piece, std::size_t bytes) noexcept {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
    ::operator delete(piece);
}

void Nodes::make_room_for_samples(Node& node) {
    auto* piece = allocate<std::byte>(bytes_of_samples(node));
    node.runs = reinterpret_cast<Run*>(piece);
    node.rows = reinterpret_cast<std::uint32_t*>(node.runs + node.n_building_runs + node.n_search_runs);
}

void Nodes::make_alive(Node& node) {
    node.alive = n_words() == 1 ? &node.alive_word : allocate<std::uint64_t>(n_words());
    std::fill_n(node.alive, n_words(), 0);
}

void Nodes::load(const Node& node, Workplace& place) const {
    NodeSamples& samples = place.samples;
    NodeTotals& totals = place.totals;
    const std::size_t n = node.n_building;
    samples.ids.assign(node.rows, node.rows + n);
    samples.weights.resize(node.unit_weights ? 0 : n);
    totals.labels.resize(n);
    totals.class_weights.clear();
    totals.class_counts.clear();
    // Classes are numbered among those of the node.
    std::uint32_t begin = 0;
    for (const Run* run = node.runs; run != node.runs + node.n_building_runs; ++run) {
        if (begin == 0 || run->label != run[-1].label) {
            totals.class_weights.push_back(0);
            totals.class_counts.push_back(0);
        }
        const auto here = static_cast<Label>(totals.class_weights.size() - 1);
        std::fill(totals.labels.begin() + begin, totals.labels.begin() + run->end, here);
        if (!node.unit_weights)
            std::fill(samples.weights.begin() + begin, samples.weights.begin() + run->end, run->weight);
        totals.class_counts.back() += run->end - begin;
        totals.class_weights.back() += Weight{run->end - begin} * run->weight;
        begin = run->end;
    }
    totals.weight = std::accumulate(totals.class_weights.begin(), totals.class_weights.end(), Weight{0});
}

Candidate Nodes::best_of_unit(std::uint32_t unit, const Workplace& loaded, RankingScratch& scratch) const {
    const auto evaluate = [&](std::uint32_t feature) {
        return ranker_.evaluate(block_, loaded.samples, loaded.totals, feature, scratch);
    };
    const auto features = around_.problem.features_of(unit);
    Candidate best = evaluate(features[0]);
    for (const std::uint32_t feature : features.subspan(1)) {
        const Candidate candidate = evaluate(feature);
        const bool constant = best.constant && candidate.constant;
        // Of the features of a unit only the first in the ranking can ever be chosen.
        if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        best.constant = constant;
    }
    return best;
}

Head* Nodes::make_head(std::span<const Candidate> ranking, bool complete) {
    auto* piece = allocate<std::byte>(sizeof(Head) + ranking.size() * sizeof(Ranked));
    auto* ranked = reinterpret_cast<Ranked*>(piece + sizeof(Head));
    for (std::size_t i = 0; i < ranking.size(); ++i) {
        const Candidate& candidate = ranking[i];
        ::new (&ranked[i]) Ranked{candidate.feature, around_.problem.unit_of(candidate.feature),
                                  candidate.cut,     candidate.above,
                                  candidate.quality, nullptr};
    }
    return ::new (piece) Head{static_cast<std::uint32_t>(ranking.size()), complete, ranked};
}

void Nodes::release_head(Head* head) {
    if (head != nullptr) release(reinterpret_cast<std::byte*>(head), sizeof(Head) + head->n * sizeof(Ranked));
}

Split& Nodes::make_split(Node& node, Ranked& ranked, Workplace& place) {
    Split split{};
    split.feature = ranked.feature;
    split.unit = ranked.unit;
    if (dataset_.column(ranked.feature).kind == FeatureKind::continuous)
        split.cut = around_.problem.cut_code(node.fold, ranked.feature, ranked.lower, ranked.upper);
    place.branches.part(around_, node, split);
    Split& made = make_children(node, split, place.branches);
    ranked.split = &made;
    return made;
}

Split& Nodes::make_children(Node& node, const Split& split, Branches& branches) {
    auto* piece = allocate<std::byte>(sizeof(Split) + split.n_children * sizeof(Node));
    Split& made = *::new (piece) Split(split);
    made.children = reinterpret_cast<Node*>(piece + sizeof(Split));
    made.homeless = allocate<std::uint32_t>(split.n_homeless);
    std::ranges::copy(branches.homeless_whole, made.homeless);
    Node* child = made.children;
    const auto start = [&](std::uint32_t branch, Label label) {
        ::new (child) Node{};
        child->parent = &node;
        child->edge = split.unit;
        child->branch = branch;
        child->label = label;
        child->depth = node.depth + 1;
        child->fold = node.fold;
    };
    const double factor = dataset_.scale().factor();
    double weight_below = 0;
    for (const Branches::Branch& branch : branches.list) weight_below += static_cast<double>(branch.weight) / factor;
    for (std::size_t j = 0; j < branches.list.size(); ++j) {
        const Branches::Branch& branch = branches.list[j];
        if (branch.is_settled) continue;
        start(branch.code, branch.label);
        child->leaf_error = branch.leaf_error;
        child->is_leaf = branch.is_leaf;
        if (!branch.is_leaf) {
            child->n_building = branch.n_building;
            child->n_whole = branch.n_whole;
            std::vector<Run>& runs = branches.runs[j];
            child->unit_weights = are_unit(runs, dataset_.scale().one());
            child->n_building_runs = static_cast<std::uint32_t>(runs.size());
            std::uint32_t end = 0;
            for (std::size_t k = 0; k < n_classes_; ++k)
                if (const std::uint32_t number = branches.whole_counts[j * n_classes_ + k]; number > 0)
                    runs.push_back({0, end += number, static_cast<Label>(k)});
            child->n_search_runs = static_cast<std::uint32_t>(runs.size()) - child->n_building_runs;
            make_room_for_samples(*child);
            std::ranges::copy(runs, child->runs);
            std::copy_n(branches.whole_rows.data() + branch.begin_whole, branch.n_whole,
                        std::copy_n(branches.rows.data() + branch.begin, branch.n_building, child->rows));
        }
        const double weight = static_cast<double>(branch.weight) / factor;
        child->fraction = weight / weight_below;
        if (branch.n_parts > 0) {
            child->parts = allocate<Part>(branch.n_parts);
            child->votes = allocate<double>(n_classes_);
            const Weight* by_class = branches.class_weights.data() + j * n_classes_;
            for (std::size_t k = 0; k < n_classes_; ++k)
                child->votes[k] = static_cast<double>(by_class[k]) / factor / weight;
        }
        ++child;
    }
    if (!branches.empty_parts.empty()) {
        start(nowhere, node.label);
        child->is_leaf = true;
        child->n_parts = static_cast<std::uint32_t>(branches.empty_parts.size());
        child->parts = allocate<Part>(child->n_parts);
        std::ranges::copy(branches.empty_parts, child->parts);
        child->votes = allocate<double>(n_classes_);
        std::fill_n(child->votes, n_classes_, 0.0);
        child->votes[node.label] = 1.0;
    }
    if (node.n_parts > 0 || !branches.homeless.empty()) fill_parts(node, made, branches.homeless);
    return made;
}

/// Hands out the parts, with the arithmetic of prediction.cpp: an error found here is one of `predict`.
void Nodes::fill_parts(const Node& node, Split& split, std::span<const Part> homeless) const {
    const Column& column = dataset_.column(split.feature);
    const SearchRows& search = around_.search[node.fold];
    const std::span<Node> children{split.children, split.n_children};
    const auto child_of = [&](std::uint32_t code) -> Node* {
        std::uint32_t branch = code;
        if (column.kind == FeatureKind::continuous) branch = code > split.cut ? 1 : 0;
        for (Node& child : children)
            if (child.branch == branch) return &child;
        return nullptr;  // in an empty branch: already there
    };
    for (std::uint32_t p = 0; p < node.n_parts; ++p) {
        const Part& part = node.parts[p];
        const std::uint32_t code = column.codes[search.rows[part.sample - search.first_number]];
        if (code == 0) continue;
        if (Node* child = child_of(code)) child->parts[child->n_parts++] = {part.sample, p, part.share};
    }
    for (Node& child : children) {
        if (child.branch == nowhere) continue;
        for (const Part& part : homeless)
            child.parts[child.n_parts++] = {part.sample, part.from, part.share * child.fraction};
    }
}

void Nodes::release_value(Node& node) {
    release(node.used, node.n_used);
    release(node.part_votes, std::size_t{node.n_parts} * n_classes_);
    node.used = nullptr;
    node.n_used = 0;
    node.part_votes = nullptr;
    node.settled = false;
}

void Nodes::release_contents(Node& node) {
    release_value(node);
    release_head(node.head.load(std::memory_order_relaxed));
    release(reinterpret_cast<std::byte*>(node.runs), bytes_of_samples(node));
    if (node.alive != &node.alive_word) release(node.alive, n_words());
    if (node.parts != nullptr) {
        release(node.parts, node.n_parts);
        release(node.votes, n_classes_);
    }
}

/// Frees a split and all below it, without recursion: a tree may be as deep as it has samples.
void Nodes::release_split(Ranked& ranked) {
    if (ranked.split == nullptr) return;
    std::vector<Split*> splits{std::exchange(ranked.split, nullptr)};
    while (!splits.empty()) {
        Split* split = splits.back();
        splits.pop_back();
        for (Node& child : std::span(split->children, split->n_children)) {
            if (Head* head = child.head.load(std::memory_order_relaxed))
                for (std::uint32_t i = 0; i < head->n; ++i)
                    if (head->ranked[i].split != nullptr) splits.push_back(head->ranked[i].split);
            release_contents(child);
        }
        release(split->homeless, split->n_homeless);
        release(reinterpret_cast<std::byte*>(split), sizeof(Split) + split->n_children * sizeof(Node));
    }
}

}  // namespace palmette::elimination
