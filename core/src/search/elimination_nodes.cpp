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
    for (const SearchRows& search : search_) has_parts_ = has_parts_ || dataset_.has_missing(search.rows);

    n_roots_ = search_.size();
    roots_ = allocate<Node>(n_roots_);
    for (std::size_t fold = 0; fold < n_roots_; ++fold) ::new (&roots_[fold]) Node{};
    for (std::size_t fold = 0; fold < n_roots_; ++fold) {
        Node& root = roots_[fold];
        root.fold = static_cast<std::uint16_t>(fold);
        std::vector<std::uint32_t> building = ordered_.folds()[fold].building, whole = search_[fold].rows;
        const auto label_of = [&](std::uint32_t row) { return labels[row]; };
        std::ranges::stable_sort(building, {}, label_of);
        std::ranges::stable_sort(whole, {}, label_of);
        root.n_building = static_cast<std::uint32_t>(building.size());
        root.n_whole = static_cast<std::uint32_t>(whole.size());
        root.rows = allocate<std::uint32_t>(building.size() + whole.size());
        std::ranges::copy(whole, std::ranges::copy(building, root.rows).out);
        std::vector<Run> runs;
        const auto add_runs = [&](const std::vector<std::uint32_t>& rows) {
            const std::size_t before = runs.size();
            for (std::uint32_t i = 0; i < rows.size(); ++i) {
                if (runs.size() == before || runs.back().label != labels[rows[i]]) runs.push_back({0, labels[rows[i]]});
                runs.back().end = i + 1;
            }
            return static_cast<std::uint32_t>(runs.size() - before);
        };
        root.n_building_runs = add_runs(building);
        root.n_search_runs = add_runs(whole);
        root.runs = allocate<Run>(runs.size());
        std::ranges::copy(runs, root.runs);
        if (!dataset_.weights().empty()) {
            root.weights = allocate<Weight>(building.size());
            for (std::size_t i = 0; i < building.size(); ++i) root.weights[i] = dataset_.weights()[building[i]];
        }
        std::vector<Weight> by_class(n_classes_, 0);
        for (const std::uint32_t row : building) by_class[labels[row]] += problem.weight_of_row(row);
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

void Nodes::load(const Node& node, Workplace& place) const {
    NodeSamples& samples = place.samples;
    NodeTotals& totals = place.totals;
    const std::size_t n = node.n_building;
    samples.ids.assign(node.rows, node.rows + n);
    samples.weights.assign(node.weights, node.weights + (node.weights != nullptr ? n : 0));
    totals.labels.resize(n);
    totals.class_weights.clear();
    totals.class_counts.clear();
    // A run for each class: their places are the classes' numbers among those of the node.
    std::uint32_t begin = 0;
    for (const Run& run : std::span(node.runs, node.n_building_runs)) {
        const auto here = static_cast<Label>(totals.class_weights.size());
        std::fill(totals.labels.begin() + begin, totals.labels.begin() + run.end, here);
        totals.class_counts.push_back(run.end - begin);
        totals.class_weights.push_back(
            samples.weights.empty()
                ? Weight{run.end - begin} << dataset_.scale().fraction_bits()
                : std::accumulate(samples.weights.begin() + begin, samples.weights.begin() + run.end, Weight{0}));
        begin = run.end;
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
    place.branches.push_back(Workplace::Branch{});
    place.branches.back().code = code;
    place.counts.resize(place.branches.size() * n_classes_, 0);
    place.class_weights.resize(place.branches.size() * n_classes_, 0);
}

Split& Nodes::make_split(Node& node, Ranked& ranked, Workplace& place) {
    const Column& column = dataset_.column(ranked.feature);
    Split split{};
    split.feature = ranked.feature;
    split.unit = ranked.unit;
    if (column.kind == FeatureKind::continuous)
        split.cut = problem_.cut_code(node.fold, ranked.feature, ranked.lower, ranked.upper);
    place.branches.clear();
    place.counts.clear();
    place.class_weights.clear();
    place.homeless.clear();
    place.homeless_whole.clear();
    place.empty_parts.clear();
    if (!is_unit_split(node, ranked.feature))
        part_with_weights(node, column, split.cut, place);
    else if (column.kind == FeatureKind::continuous)
        part_by_cut(node, column, split.cut, place);
    else
        part_by_category(node, column, place);
    judge(node, split, place);
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
            place.counts[run.label] = n_left;
            place.counts[n_classes_ + run.label] = size - n_left;
        }
        place.branches[0].n_building = static_cast<std::uint32_t>(left - place.rows.data());
        place.branches[1].begin = static_cast<std::uint32_t>(n);
        place.branches[1].n_building = static_cast<std::uint32_t>(n) - place.branches[0].n_building;
    });
}

void Nodes::part_by_category(const Node& node, const Column& column, Workplace& place) const {
    const std::size_t n = node.n_building;
    if (place.branch_of_code.size() < std::size_t{column.n_values} + 1)
        place.branch_of_code.resize(std::size_t{column.n_values} + 1, nowhere);
    place.rows.resize(n);
    with_codes_of(column, [&](const auto* codes) {
        // How many samples of each category; branches in order of code, as a tree has them.
        place.places.assign(std::size_t{column.n_values} + 1, 0);
        for (std::size_t i = 0; i < n; ++i) ++place.places[codes[node.rows[i]]];
        std::uint32_t begin = 0;
        for (std::uint32_t code = 1; code <= column.n_values; ++code) {
            if (place.places[code] == 0) continue;
            place.branch_of_code[code] = static_cast<std::uint32_t>(place.branches.size());
            add_branch(code, place);
            place.branches.back().begin = begin;
            place.branches.back().n_building = place.places[code];
            begin += std::exchange(place.places[code], begin);
        }
        std::size_t i = 0;
        for (const Run& run : std::span(node.runs, node.n_building_runs))
            for (; i < run.end; ++i) {
                const std::uint32_t row = node.rows[i];
                const std::uint32_t code = codes[row];
                place.rows[place.places[code]++] = row;
                ++place.counts[place.branch_of_code[code] * n_classes_ + run.label];
            }
    });
}

/// The general case: samples with weights, or shared out because their value is missing.
void Nodes::part_with_weights(const Node& node, const Column& column, std::uint32_t cut, Workplace& place) const {
    const bool continuous = column.kind == FeatureKind::continuous;
    const Weight one = dataset_.scale().one();
    const std::size_t n = node.n_building;
    const auto weight_at = [&](std::size_t i) { return node.weights != nullptr ? node.weights[i] : one; };
    if (continuous) {
        add_branch(0, place);
        add_branch(1, place);
    } else {
        if (place.branch_of_code.size() < std::size_t{column.n_values} + 1)
            place.branch_of_code.resize(std::size_t{column.n_values} + 1, nowhere);
        place.places.assign(std::size_t{column.n_values} + 1, 0);
        with_codes_of(column, [&](const auto* codes) {
            for (std::size_t i = 0; i < n; ++i) ++place.places[codes[node.rows[i]]];
        });
        for (std::uint32_t code = 1; code <= column.n_values; ++code) {
            if (place.places[code] == 0) continue;
            place.branch_of_code[code] = static_cast<std::uint32_t>(place.branches.size());
            add_branch(code, place);
        }
    }
    const std::size_t n_branches = place.branches.size();
    const auto place_of = [&](std::uint32_t code) {
        return continuous ? static_cast<std::uint32_t>(code > cut) : place.branch_of_code[code];
    };
    if (place.branch_rows.size() < n_branches) {
        place.branch_rows.resize(n_branches);
        place.branch_weights.resize(n_branches);
    }
    for (std::size_t j = 0; j < n_branches; ++j) {
        place.branch_rows[j].clear();
        place.branch_weights[j].clear();
    }
    with_codes_of(column, [&](const auto* codes) {
        Weight known_weight = 0;
        bool missing = false;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = codes[node.rows[i]];
            missing = missing || code == 0;
            if (code == 0) continue;
            place.branches[place_of(code)].known_weight += weight_at(i);
            known_weight += weight_at(i);
        }
        std::size_t i = 0;
        for (const Run& run : std::span(node.runs, node.n_building_runs))
            for (; i < run.end; ++i) {
                const std::uint32_t row = node.rows[i];
                const std::uint32_t code = codes[row];
                const auto add = [&](std::size_t j, Weight weight) {
                    if (weight == 0) return;
                    place.branch_rows[j].push_back(row);
                    place.branch_weights[j].push_back(weight);
                    ++place.counts[j * n_classes_ + run.label];
                    place.class_weights[j * n_classes_ + run.label] += weight;
                };
                if (code != 0)
                    add(place_of(code), weight_at(i));
                else
                    for (std::size_t j = 0; j < n_branches; ++j)
                        add(j, share_of_weight(weight_at(i), place.branches[j].known_weight, known_weight));
            }
        // Without weights and without missing values the samples go on counting one each.
        if (node.weights == nullptr && !missing)
            for (std::size_t j = 0; j < n_branches; ++j) place.branch_weights[j].clear();
    });
    place.rows.clear();
    for (std::size_t j = 0; j < n_branches; ++j) {
        place.branches[j].begin = static_cast<std::uint32_t>(place.rows.size());
        place.branches[j].n_building = static_cast<std::uint32_t>(place.branch_rows[j].size());
        place.rows.insert(place.rows.end(), place.branch_rows[j].begin(), place.branch_rows[j].end());
    }
}

/// Weight, label and whether it is a leaf, for every branch.
void Nodes::judge(const Node& node, Split& split, Workplace& place) const {
    const bool deepest = node.depth + 1 >= problem_.growth().max_depth;
    const bool unit = is_unit_split(node, split.feature);
    const int fraction_bits = dataset_.scale().fraction_bits();
    for (std::size_t j = 0; j < place.branches.size(); ++j) {
        Weight* by_class = place.class_weights.data() + j * n_classes_;
        const std::uint32_t* counts = place.counts.data() + j * n_classes_;
        Workplace::Branch& branch = place.branches[j];
        if (unit)
            for (std::size_t k = 0; k < n_classes_; ++k) by_class[k] = Weight{counts[k]} << fraction_bits;
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
    const auto labels = dataset_.labels();
    place.whole_counts.assign(n_branches * n_classes_, 0);
    const auto count = [&](std::size_t j, Label label, std::uint32_t number, ErrorWeight weight) {
        Workplace::Branch& branch = place.branches[j];
        place.whole_counts[j * n_classes_ + label] += number;
        branch.n_whole += number;
        branch.whole_weight += weight;
        if (label != branch.label) branch.leaf_error += weight;
        if (place.class_weights[j * n_classes_ + label] > 0) branch.n_live += number;
    };
    with_codes_of(column, [&](const auto* codes) {
        if (continuous && !has_missing_[split.feature] && search.unit_weights) {
            place.whole_rows.resize(2 * n);
            std::uint32_t* left = place.whole_rows.data();
            std::uint32_t* right = left + n;
            const int fraction_bits = dataset_.scale().fraction_bits();
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
                if (n_left > 0) count(0, run.label, n_left, ErrorWeight{n_left} << fraction_bits);
                if (size > n_left) count(1, run.label, size - n_left, ErrorWeight{size - n_left} << fraction_bits);
            }
            place.branches[1].begin_whole = static_cast<std::uint32_t>(n);
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
                const ErrorWeight weight = search.weight_of[row];
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
    const auto runs_of = [&](const std::uint32_t* counts, Run* runs) {
        std::uint32_t n = 0, end = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (counts[k] == 0) continue;
            end += counts[k];
            if (runs != nullptr) runs[n] = {end, static_cast<Label>(k)};
            ++n;
        }
        return n;
    };
    const double factor = dataset_.scale().factor();
    double weight_below = 0;
    for (const Workplace::Branch& branch : place.branches) weight_below += static_cast<double>(branch.weight) / factor;
    const bool unit = is_unit_split(node, split.feature);
    for (std::size_t j = 0; j < place.branches.size(); ++j) {
        const Workplace::Branch& branch = place.branches[j];
        if (branch.is_settled) continue;
        start(branch.code, branch.label);
        child->leaf_error = branch.leaf_error;
        child->is_leaf = branch.is_leaf;
        if (!branch.is_leaf) {
            child->n_building = branch.n_building;
            child->n_whole = branch.n_whole;
            child->rows = allocate<std::uint32_t>(std::size_t{branch.n_building} + branch.n_whole);
            std::copy_n(place.whole_rows.data() + branch.begin_whole, branch.n_whole,
                        std::copy_n(place.rows.data() + branch.begin, branch.n_building, child->rows));
            const std::uint32_t* counts = place.counts.data() + j * n_classes_;
            const std::uint32_t* whole_counts = place.whole_counts.data() + j * n_classes_;
            child->n_building_runs = runs_of(counts, nullptr);
            child->n_search_runs = runs_of(whole_counts, nullptr);
            child->runs = allocate<Run>(std::size_t{child->n_building_runs} + child->n_search_runs);
            runs_of(counts, child->runs);
            runs_of(whole_counts, child->runs + child->n_building_runs);
            if (!unit && !place.branch_weights[j].empty()) {
                child->weights = allocate<Weight>(branch.n_building);
                std::ranges::copy(place.branch_weights[j], child->weights);
            }
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
    release(node.rows, std::size_t{node.n_building} + node.n_whole);
    release(node.runs, std::size_t{node.n_building_runs} + node.n_search_runs);
    release(node.weights, node.n_building);
    release(node.alive, n_words());
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
