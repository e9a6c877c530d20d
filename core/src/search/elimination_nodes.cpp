#include "elimination_nodes.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace palmette::elimination {
namespace {

/// Calls use(codes) with the column's codes in their own type.
template <class Use>
decltype(auto) with_codes_of(const Column& column, Use use) {
    return visit_codes(column.codes.data(), column.codes.width(), use);
}

/// Says that samples follow after `n_before` others. The end of the last run is left to be told.
void begin_run(std::vector<Run>& runs, Label label, Weight weight, std::uint32_t n_before) {
    if (!runs.empty()) {
        if (runs.back().label == label && runs.back().weight == weight) return;
        runs.back().end = n_before;
    }
    runs.push_back({weight, n_before, label});
}

bool are_unit(std::span<const Run> runs, Weight one) {
    return std::ranges::all_of(runs, [one](const Run& run) { return run.weight == one; });
}

}  // namespace

Nodes::Nodes(const SearchProblem& problem, std::size_t memory_limit)
    : problem_(problem),
      ordered_(problem, memory_limit / 8),
      dataset_(ordered_.dataset()),
      block_(dataset_),
      ranker_(dataset_, problem.growth()),
      n_classes_(dataset_.n_classes()),
      in_use_(ordered_.nbytes()),
      peak_(ordered_.nbytes()) {
    std::uint32_t n_samples = 0;
    for (const Fold& fold : ordered_.folds()) {
        search_.emplace_back(problem, fold, n_samples);
        n_samples += static_cast<std::uint32_t>(search_.back().rows.size());
    }
    for (std::size_t f = 0; f < dataset_.n_features(); ++f)
        has_missing_.push_back(dataset_.column(f).codes.has_missing() ? 1 : 0);
    const auto labels = dataset_.labels();
    const auto weight_of = [&](std::uint32_t row) {
        return dataset_.weights().empty() ? dataset_.scale().one() : dataset_.weights()[row];
    };
    for (const SearchRows& search : search_) has_parts_ = has_parts_ || dataset_.has_missing(search.rows);

    n_roots_ = search_.size();
    roots_ = allocate<Node>(n_roots_);
    for (std::size_t fold = 0; fold < n_roots_; ++fold) ::new (&roots_[fold]) Node{};
    for (std::size_t fold = 0; fold < n_roots_; ++fold) {
        Node& root = roots_[fold];
        root.fold = static_cast<std::uint16_t>(fold);
        std::vector<std::uint32_t> building = ordered_.folds()[fold].building, whole = search_[fold].rows;
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
            if (labels[row] != root.label) root.leaf_error += search_[fold].weight_of[row];
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
    const auto features = problem_.features_of(unit);
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
        ::new (&ranked[i]) Ranked{candidate.feature, problem_.unit_of(candidate.feature),
                                  candidate.cut,     candidate.above,
                                  candidate.quality, nullptr};
    }
    return ::new (piece) Head{static_cast<std::uint32_t>(ranking.size()), complete, ranked};
}

void Nodes::release_head(Head* head) {
    if (head != nullptr) release(reinterpret_cast<std::byte*>(head), sizeof(Head) + head->n * sizeof(Ranked));
}

void Nodes::add_branch(std::uint32_t code, Workplace& place) const {
    const std::size_t j = place.branches.size();
    place.branches.push_back(Workplace::Branch{});
    place.branches.back().code = code;
    place.branches.back().run = nowhere;
    if (place.runs.size() == j) place.runs.emplace_back();
    place.runs[j].clear();
}

Split& Nodes::make_split(Node& node, Ranked& ranked, Workplace& place) {
    const Column& column = dataset_.column(ranked.feature);
    Split split{};
    split.feature = ranked.feature;
    split.unit = ranked.unit;
    if (column.kind == FeatureKind::continuous)
        split.cut = problem_.cut_code(node.fold, ranked.feature, ranked.lower, ranked.upper);
    place.branches.clear();
    place.homeless.clear();
    place.homeless_whole.clear();
    place.empty_parts.clear();
    if (column.kind == FeatureKind::continuous && !has_missing_[ranked.feature])
        part_by_cut(node, column, split.cut, place);
    else
        part_by_value(node, column, split.cut, place);
    judge(node, place);
    part_search_rows(node, column, split.cut, split, place);
    Split& made = make_children(node, split, place);
    if (column.kind == FeatureKind::nominal)
        for (const Workplace::Branch& branch : place.branches) place.branch_of_code[branch.code] = nowhere;
    ranked.split = &made;
    return made;
}

void Nodes::part_by_cut(const Node& node, const Column& column, std::uint32_t cut, Workplace& place) const {
    add_branch(0, place);
    add_branch(1, place);
    const std::size_t n = node.n_building;
    place.rows.resize(2 * n);
    with_codes_of(column, [&](const auto* codes) {
        // Every row is written to both sides and kept on one: cheaper than a jump that cannot be predicted.
        std::uint32_t* left = place.rows.data();
        std::uint32_t* right = left + n;
        std::size_t i = 0;
        for (const Run& run : std::span(node.runs, node.n_building_runs)) {
            const std::uint32_t* left_before = left;
            const auto size = static_cast<std::uint32_t>(run.end - i);
            for (; i < run.end; ++i) {
                const std::uint32_t row = node.rows[i];
                const bool goes_right = codes[row] > cut;
                *left = row;
                *right = row;
                left += !goes_right;
                right += goes_right;
            }
            const auto n_left = static_cast<std::uint32_t>(left - left_before);
            if (n_left > 0)
                place.runs[0].push_back({run.weight, static_cast<std::uint32_t>(left - place.rows.data()), run.label});
            if (n_left < size)
                place.runs[1].push_back(
                    {run.weight, static_cast<std::uint32_t>(right - place.rows.data() - n), run.label});
        }
        place.branches[0].n_building = static_cast<std::uint32_t>(left - place.rows.data());
        place.branches[1].begin = static_cast<std::uint32_t>(n);
        place.branches[1].n_building = static_cast<std::uint32_t>(n) - place.branches[0].n_building;
    });
}

/// A branch for each category that occurs, or for each side of a cut. A sample without a value goes down all of them,
/// with a share of its weight.
void Nodes::part_by_value(const Node& node, const Column& column, std::uint32_t cut, Workplace& place) const {
    const bool continuous = column.kind == FeatureKind::continuous;
    const std::uint32_t n_values = continuous ? 2 : column.n_values;
    const std::span rows(node.rows, node.n_building);
    const std::span runs(node.runs, node.n_building_runs);
    with_codes_of(column, [&](const auto* codes) {
        // Branches are in order of code, as a tree has them; 0 is missing.
        const auto value_of = [=](std::uint32_t row) -> std::uint32_t {
            const std::uint32_t code = codes[row];
            return continuous && code != 0 ? 1 + (code > cut) : code;
        };
        place.places.assign(std::size_t{n_values} + 1, 0);
        for (const std::uint32_t row : rows) ++place.places[value_of(row)];
        const std::uint32_t n_missing = place.places[0];
        std::uint32_t begin = 0;
        for (std::uint32_t value = 1; value <= n_values; ++value) {
            if (place.places[value] == 0) continue;
            add_branch(continuous ? value - 1 : value, place);
            place.branches.back().begin = begin;
            begin += n_missing + std::exchange(place.places[value], place.branches.size() - 1);
        }
        place.rows.resize(begin);
        Weight known_weight = 0;
        if (n_missing > 0) {
            std::size_t i = 0;
            for (const Run& run : runs)
                for (; i < run.end; ++i)
                    if (const std::uint32_t value = value_of(rows[i]); value != 0) {
                        place.branches[place.places[value]].known_weight += run.weight;
                        known_weight += run.weight;
                    }
        }
        std::size_t i = 0;
        for (std::uint32_t r = 0; r < runs.size(); ++r) {
            const Run& run = runs[r];
            place.missing_rows.clear();
            for (; i < run.end; ++i) {
                const std::uint32_t value = value_of(rows[i]);
                if (value == 0) {
                    place.missing_rows.push_back(rows[i]);
                    continue;
                }
                Workplace::Branch& branch = place.branches[place.places[value]];
                if (branch.run != r) {  // the run ends where the next one begins
                    branch.run = r;
                    begin_run(place.runs[place.places[value]], run.label, run.weight, branch.n_building);
                }
                place.rows[branch.begin + branch.n_building++] = rows[i];
            }
            if (place.missing_rows.empty()) continue;
            for (std::size_t j = 0; j < place.branches.size(); ++j) {
                Workplace::Branch& branch = place.branches[j];
                const Weight share = share_of_weight(run.weight, branch.known_weight, known_weight);
                if (share == 0) continue;
                begin_run(place.runs[j], run.label, share, branch.n_building);
                std::ranges::copy(place.missing_rows, place.rows.data() + branch.begin + branch.n_building);
                branch.n_building += static_cast<std::uint32_t>(place.missing_rows.size());
            }
        }
    });
    for (std::size_t j = 0; j < place.branches.size(); ++j) place.runs[j].back().end = place.branches[j].n_building;
    if (continuous) return;
    if (place.branch_of_code.size() < std::size_t{n_values} + 1)
        place.branch_of_code.resize(std::size_t{n_values} + 1, nowhere);
    for (std::size_t j = 0; j < place.branches.size(); ++j)
        place.branch_of_code[place.branches[j].code] = static_cast<std::uint32_t>(j);
}

/// Weight, label and whether it is a leaf, for every branch.
void Nodes::judge(const Node& node, Workplace& place) const {
    const bool deepest = node.depth + 1 >= problem_.growth().max_depth;
    place.class_weights.assign(place.branches.size() * n_classes_, 0);
    for (std::size_t j = 0; j < place.branches.size(); ++j) {
        Weight* by_class = place.class_weights.data() + j * n_classes_;
        Workplace::Branch& branch = place.branches[j];
        std::uint32_t begin = 0;
        for (const Run& run : place.runs[j]) {
            by_class[run.label] += Weight{run.end - begin} * run.weight;
            begin = run.end;
        }
        branch.weight = std::accumulate(by_class, by_class + n_classes_, Weight{0});
        branch.label = static_cast<Label>(std::max_element(by_class, by_class + n_classes_) - by_class);
        branch.is_leaf = deepest || ranker_.is_leaf(branch.weight, by_class[branch.label] == branch.weight);
    }
}

/// Sends the whole search samples to the branches, and counts them and the parts there.
void Nodes::part_search_rows(const Node& node, const Column& column, std::uint32_t cut, Split& split,
                             Workplace& place) const {
    const SearchRows& search = search_[node.fold];
    const bool continuous = column.kind == FeatureKind::continuous;
    const std::size_t n = node.n_whole, n_branches = place.branches.size();
    const std::uint32_t* rows = node.rows + node.n_building;
    const std::span runs(node.runs + node.n_building_runs, node.n_search_runs);
    const ErrorWeight one = dataset_.scale().one();
    place.whole_counts.assign(n_branches * n_classes_, 0);
    place.whole_weights.assign(n_branches * n_classes_, 0);
    const auto count = [&](std::size_t j, Label label, std::uint32_t number, ErrorWeight weight) {
        place.whole_counts[j * n_classes_ + label] += number;
        place.whole_weights[j * n_classes_ + label] += weight;
    };
    const auto sum_up = [&] {
        for (std::size_t j = 0; j < n_branches; ++j) {
            Workplace::Branch& branch = place.branches[j];
            for (std::size_t k = 0; k < n_classes_; ++k) {
                const std::uint32_t number = place.whole_counts[j * n_classes_ + k];
                const ErrorWeight weight = place.whole_weights[j * n_classes_ + k];
                branch.n_whole += number;
                branch.whole_weight += weight;
                if (k != branch.label) branch.leaf_error += weight;
                if (place.class_weights[j * n_classes_ + k] > 0) branch.n_live += number;
            }
        }
    };
    with_codes_of(column, [&](const auto* codes) {
        if (continuous && !has_missing_[split.feature] && search.unit_weights) {
            place.whole_rows.resize(2 * n);
            std::uint32_t* left = place.whole_rows.data();
            std::uint32_t* right = left + n;
            std::size_t i = 0;
            for (const Run& run : runs) {
                const std::uint32_t* left_before = left;
                const auto size = static_cast<std::uint32_t>(run.end - i);
                for (; i < run.end; ++i) {
                    const std::uint32_t row = rows[i];
                    const bool goes_right = codes[row] > cut;
                    *left = row;
                    *right = row;
                    left += !goes_right;
                    right += goes_right;
                }
                const auto n_left = static_cast<std::uint32_t>(left - left_before);
                count(0, run.label, n_left, n_left * one);
                count(1, run.label, size - n_left, (size - n_left) * one);
            }
            place.branches[1].begin_whole = static_cast<std::uint32_t>(n);
            sum_up();
            return;
        }
        const auto place_of = [&](std::uint32_t code) {
            return continuous ? static_cast<std::uint32_t>(code > cut) : place.branch_of_code[code];
        };
        const auto is_absent_here = [&](Label label) {
            return std::none_of(node.runs, node.runs + node.n_building_runs,
                                [label](const Run& run) { return run.label == label; });
        };
        std::size_t i = 0;
        place.places.resize(std::max<std::size_t>(place.places.size(), n));
        for (const Run& run : runs)
            for (; i < run.end; ++i) {
                const std::uint32_t row = rows[i];
                const std::uint32_t code = codes[row];
                const ErrorWeight weight = search.unit_weights ? one : search.weight_of[row];
                std::uint32_t& to = place.places[i];
                to = nowhere;
                if (code == 0) {
                    // A class that no building sample here has wins in no leaf below: a sure error.
                    if (is_absent_here(run.label)) {
                        split.fixed_error += weight;
                        continue;
                    }
                    const auto position = std::ranges::lower_bound(search.rows, row) - search.rows.begin();
                    const std::uint32_t number = search.first_number + static_cast<std::uint32_t>(position);
                    place.homeless.push_back(
                        {number, node.n_parts + static_cast<std::uint32_t>(place.homeless_whole.size()), 1.0});
                    place.homeless_whole.push_back(number);
                    continue;
                }
                to = place_of(code);
                // An empty branch is a leaf with the label of this node.
                if (to != nowhere)
                    count(to, run.label, 1, weight);
                else if (run.label != node.label)
                    split.fixed_error += weight;
            }
        sum_up();
        place.whole_rows.resize(n);
        place.next.resize(n_branches);
        std::uint32_t begin = 0;
        for (std::size_t j = 0; j < n_branches; ++j) {
            place.branches[j].begin_whole = place.next[j] = begin;
            begin += place.branches[j].n_whole;
        }
        for (i = 0; i < n; ++i)
            if (place.places[i] != nowhere) place.whole_rows[place.next[place.places[i]]++] = rows[i];

        for (std::uint32_t p = 0; p < node.n_parts; ++p) {
            const Part& part = node.parts[p];
            const std::uint32_t code = codes[search.rows[part.sample - search.first_number]];
            const std::uint32_t to = code == 0 ? nowhere : place_of(code);
            if (code == 0)
                place.homeless.push_back({part.sample, p, part.share});
            else if (to == nowhere)
                place.empty_parts.push_back({part.sample, p, part.share});
            else
                ++place.branches[to].n_parts;
        }
    });
    // Parts come without missing values too.
    if (continuous && !has_missing_[split.feature] && search.unit_weights)
        for (std::uint32_t p = 0; p < node.n_parts; ++p)
            ++place.branches[column.codes[search.rows[node.parts[p].sample - search.first_number]] > cut].n_parts;
    for (Workplace::Branch& branch : place.branches) {
        branch.n_parts += static_cast<std::uint32_t>(place.homeless.size());
        // Nothing is left to find out: its errors are known whatever the subset is (P2). A sample of a class that no
        // building sample of the branch has errs in every leaf below it.
        branch.is_settled = branch.n_parts == 0 && (branch.is_leaf || branch.n_live == 0);
        if (branch.is_settled)
            split.fixed_error += branch.is_leaf ? branch.leaf_error : branch.whole_weight;
        else
            ++split.n_children;
    }
    if (!place.empty_parts.empty()) ++split.n_children;
    split.n_homeless = static_cast<std::uint32_t>(place.homeless_whole.size());
}

Split& Nodes::make_children(Node& node, const Split& split, Workplace& place) {
    auto* piece = allocate<std::byte>(sizeof(Split) + split.n_children * sizeof(Node));
    Split& made = *::new (piece) Split(split);
    made.children = reinterpret_cast<Node*>(piece + sizeof(Split));
    made.homeless = allocate<std::uint32_t>(split.n_homeless);
    std::ranges::copy(place.homeless_whole, made.homeless);
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
    for (const Workplace::Branch& branch : place.branches) weight_below += static_cast<double>(branch.weight) / factor;
    for (std::size_t j = 0; j < place.branches.size(); ++j) {
        const Workplace::Branch& branch = place.branches[j];
        if (branch.is_settled) continue;
        start(branch.code, branch.label);
        child->leaf_error = branch.leaf_error;
        child->is_leaf = branch.is_leaf;
        if (!branch.is_leaf) {
            child->n_building = branch.n_building;
            child->n_whole = branch.n_whole;
            std::vector<Run>& runs = place.runs[j];
            child->unit_weights = are_unit(runs, dataset_.scale().one());
            child->n_building_runs = static_cast<std::uint32_t>(runs.size());
            std::uint32_t end = 0;
            for (std::size_t k = 0; k < n_classes_; ++k)
                if (const std::uint32_t number = place.whole_counts[j * n_classes_ + k]; number > 0)
                    runs.push_back({0, end += number, static_cast<Label>(k)});
            child->n_search_runs = static_cast<std::uint32_t>(runs.size()) - child->n_building_runs;
            make_room_for_samples(*child);
            std::ranges::copy(runs, child->runs);
            std::copy_n(place.whole_rows.data() + branch.begin_whole, branch.n_whole,
                        std::copy_n(place.rows.data() + branch.begin, branch.n_building, child->rows));
        }
        const double weight = static_cast<double>(branch.weight) / factor;
        child->fraction = weight / weight_below;
        if (branch.n_parts > 0) {
            child->parts = allocate<Part>(branch.n_parts);
            child->votes = allocate<double>(n_classes_);
            const Weight* by_class = place.class_weights.data() + j * n_classes_;
            for (std::size_t k = 0; k < n_classes_; ++k)
                child->votes[k] = static_cast<double>(by_class[k]) / factor / weight;
        }
        ++child;
    }
    if (!place.empty_parts.empty()) {
        start(nowhere, node.label);
        child->is_leaf = true;
        child->n_parts = static_cast<std::uint32_t>(place.empty_parts.size());
        child->parts = allocate<Part>(child->n_parts);
        std::ranges::copy(place.empty_parts, child->parts);
        child->votes = allocate<double>(n_classes_);
        std::fill_n(child->votes, n_classes_, 0.0);
        child->votes[node.label] = 1.0;
    }
    if (node.n_parts > 0 || !place.homeless.empty()) fill_parts(node, made, dataset_.column(split.feature), place);
    return made;
}

/// Hands out the parts, with the arithmetic of prediction.cpp: an error found here is one of `predict`.
void Nodes::fill_parts(const Node& node, Split& split, const Column& column, Workplace& place) {
    const SearchRows& search = search_[node.fold];
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
        for (const Part& part : place.homeless)
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
