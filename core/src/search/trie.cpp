#include "trie.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "fetch_early.hpp"
#include "palmette/data/code_lanes.hpp"

namespace palmette {

/// Calls use(rows) with the rows of the node in their own type.
template <std::size_t Words>
template <class Use>
decltype(auto) Trie<Words>::with_rows(const Node& node, Use use) const {
    if (row_width_ == 2) return use(static_cast<const std::uint16_t*>(node.content->rows));
    return use(static_cast<const std::uint32_t*>(node.content->rows));
}

template <std::size_t Words>
Trie<Words>::Trie(const SearchProblem& problem, std::span<const SearchSamples> samples, bool keep_unreached,
                  const Budget& budget)
    : problem_(problem),
      dataset_(problem.dataset()),
      samples_(samples),
      keep_unreached_(keep_unreached),
      budget_(budget),
      block_(problem.dataset()),
      ranker_(problem.dataset(), problem.growth()),
      n_classes_(problem.dataset().n_classes()),
      row_width_(problem.dataset().n_rows() <= 0x10000 ? 2 : 4) {
    std::uint32_t most_codes = 2;
    for (std::size_t f = 0; f < dataset_.n_features(); ++f)
        if (dataset_.column(f).kind == FeatureKind::nominal)
            most_codes = std::max(most_codes, dataset_.column(f).n_values + 1);
    branch_of_code_.assign(most_codes, nowhere);
    class_here_.assign(n_classes_, 0);
    for (std::size_t f = 0; f < dataset_.n_features(); ++f)
        has_missing_.push_back(dataset_.column(f).codes.has_missing() ? 1 : 0);

    roots_.resize(problem.folds().size());
    for (std::size_t fold = 0; fold < roots_.size(); ++fold) {
        Node& root = roots_[fold];
        root = Node{};
        root.fold = static_cast<std::uint16_t>(fold);
        const auto label_of = [&](std::uint32_t row) { return dataset_.labels()[row]; };
        gathered_.ids = problem.folds()[fold].building;
        std::ranges::stable_sort(gathered_.ids, {}, label_of);
        gathered_.weights.clear();
        gathered_.n_ones = dataset_.weights().empty() ? gathered_.ids.size() : 0;
        if (!dataset_.weights().empty())
            for (const std::uint32_t row : gathered_.ids) gathered_.weights.push_back(dataset_.weights()[row]);
        class_weights_.assign(n_classes_, 0);
        for (const std::uint32_t row : gathered_.ids) class_weights_[label_of(row)] += problem.weight_of_row(row);
        gathered_whole_ = samples[fold].rows;
        const auto kind_of = [&](std::uint32_t row) {
            return std::pair(label_of(row), samples[fold].group_majority[row]);
        };
        std::ranges::stable_sort(gathered_whole_, {}, kind_of);
        building_runs_.clear();
        search_runs_.clear();
        for (std::uint32_t i = 0; i < gathered_.ids.size(); ++i) {
            const Label label = label_of(gathered_.ids[i]);
            if (building_runs_.empty() || building_runs_.back().label != label)
                building_runs_.push_back({0, label, label});
            building_runs_.back().end = i + 1;
        }
        for (std::uint32_t i = 0; i < gathered_whole_.size(); ++i) {
            const auto [label, majority] = kind_of(gathered_whole_[i]);
            if (search_runs_.empty() || search_runs_.back().label != label || search_runs_.back().majority != majority)
                search_runs_.push_back({0, label, majority});
            search_runs_.back().end = i + 1;
        }
        const auto greatest = std::ranges::max_element(class_weights_);
        const Weight total = std::accumulate(class_weights_.begin(), class_weights_.end(), Weight{0});
        root.label = static_cast<Label>(greatest - class_weights_.begin());
        root.is_leaf = ranker_.is_leaf(total, *greatest == total) || problem.growth().max_depth == 0;
        root.expanded = root.is_leaf;
        for (const std::uint32_t row : gathered_whole_) {
            const ErrorWeight weight = samples[fold].weight_of[row];
            const Label label = dataset_.labels()[row];
            const Label majority = samples[fold].group_majority[row];
            root.whole_weight += weight;
            if (label != root.label) root.leaf_error += weight;
            if (class_weights_[label] == 0 || (majority != label && class_weights_[majority] > 0))
                root.base_bound += weight;
        }
        root.base_bound = std::min(root.base_bound, root.leaf_error);
        Set all;
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit) all.insert(unit);
        store(root, all);
    }
}

template <std::size_t Words>
std::size_t Trie<Words>::content_bytes(const Node& node) const noexcept {
    const Content& content = *node.content;
    return sizeof(Content) + (std::size_t{content.n_building_runs} + content.n_search_runs) * sizeof(Run) +
           (node.n_building - content.n_ones) * sizeof(Weight) +
           (std::size_t{node.n_building} + node.n_whole) * row_width_;
}

/// Puts the gathered samples into the node's own memory.
template <std::size_t Words>
void Trie<Words>::store(Node& node, const Set& alive) {
    node.n_building = static_cast<std::uint32_t>(gathered_.ids.size());
    node.n_whole = static_cast<std::uint32_t>(gathered_whole_.size());
    Content content{alive,
                    nullptr,
                    nullptr,
                    static_cast<std::uint32_t>(building_runs_.size()),
                    static_cast<std::uint32_t>(search_runs_.size()),
                    static_cast<std::uint32_t>(gathered_.n_ones)};
    node.content = &content;
    std::byte* piece = pool_.template allocate<std::byte>(content_bytes(node));
    node.content = ::new (piece) Content(content);
    Content& made = *node.content;
    std::ranges::copy(search_runs_, std::ranges::copy(building_runs_, made.runs()).out);
    made.weights = reinterpret_cast<Weight*>(made.runs() + made.n_building_runs + made.n_search_runs);
    made.rows = std::ranges::copy(gathered_.weights, made.weights).out;
    const auto copy = [&](auto* out) {
        using Row = std::remove_pointer_t<decltype(out)>;
        for (const std::uint32_t row : gathered_.ids) *out++ = static_cast<Row>(row);
        for (const std::uint32_t row : gathered_whole_) *out++ = static_cast<Row>(row);
    };
    if (row_width_ == 2)
        copy(static_cast<std::uint16_t*>(made.rows));
    else
        copy(static_cast<std::uint32_t*>(made.rows));
}

/// The samples of a node out of its parent's, as Partition would hand them out.
template <std::size_t Words>
void Trie<Words>::gather(const Node& node) {
    const Node& parent = *node.parent;
    const Ranked& ranked = parent.ranking[node.rank];
    const Column& column = dataset_.column(ranked.feature);
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        with_rows(parent, [&](const auto* rows) {
            if (column.kind == FeatureKind::nominal)
                select(node, codes, rows, [branch = node.branch](std::uint32_t code) { return code == branch; });
            else if (node.branch == 0)  // 0, missing, wraps around
                select(node, codes, rows, [cut = ranked.split->cut](std::uint32_t code) { return code - 1 < cut; });
            else
                select(node, codes, rows, [cut = ranked.split->cut](std::uint32_t code) { return code > cut; });
        });
    });
}

template <std::size_t Words>
template <class Code, class Row, class Belongs>
void Trie<Words>::select(const Node& node, const Code* codes, const Row* rows, Belongs belongs) {
    const Node& parent = *node.parent;
    const Content& from = *parent.content;
    const Split& split = *parent.ranking[node.rank].split;
    const auto close_run = [](std::vector<Run>& runs, const Run& of, std::size_t end) {
        if (end > (runs.empty() ? 0 : runs.back().end))
            runs.push_back({static_cast<std::uint32_t>(end), of.label, of.majority});
    };
    building_runs_.clear();
    search_runs_.clear();
    gathered_.weights.clear();
    split_rows_.clear();
    split_runs_.clear();
    const Run* run = from.runs();
    const Run* const last_run = run + from.n_building_runs;
    gathered_.ids.resize(from.n_ones);
    std::uint32_t* ids = gathered_.ids.data();
    std::size_t n = 0, i = 0;
    for (; run != last_run && run->end <= from.n_ones; ++run) {
        if (split.has_missing) {
            for (; i < run->end; ++i) {
                const std::uint32_t code = codes[rows[i]];
                ids[n] = rows[i];
                n += belongs(code);
                if (code == 0) split_rows_.push_back(rows[i]);
            }
            close_run(split_runs_, *run, split_rows_.size());
        } else {
            // Without jumps: every sample is written, and the next one over it if it does not belong.
            for (; i < run->end; ++i) {
                ids[n] = rows[i];
                n += belongs(std::uint32_t{codes[rows[i]]});
            }
        }
        close_run(building_runs_, *run, n);
    }
    gathered_.ids.resize(n);
    gathered_.n_ones = n;
    if (!split.unit_weights) {
        // Those that this split has split, and those that came with a weight, merged by class.
        const auto add = [&](std::uint32_t row, Weight weight) {
            if (weight == 0) return;
            gathered_.ids.push_back(row);
            gathered_.weights.push_back(weight);
        };
        const auto share = [&](Weight weight) {
            return share_of_weight(weight, node.shares->known_weight, split.known_weight);
        };
        const Weight share_of_one = split_rows_.empty() ? 0 : share(dataset_.scale().one());
        std::size_t s = 0;
        auto split_run = split_runs_.cbegin();
        while (run != last_run || split_run != split_runs_.cend()) {
            const Run& of = run == last_run || (split_run != split_runs_.cend() && split_run->label < run->label)
                                ? *split_run
                                : *run;
            const Label label = of.label;
            if (split_run != split_runs_.cend() && split_run->label == label) {
                for (; s < split_run->end; ++s) add(split_rows_[s], share_of_one);
                ++split_run;
            }
            if (run != last_run && run->label == label) {
                for (; i < run->end; ++i) {
                    const std::uint32_t code = codes[rows[i]];
                    const Weight weight = from.weights[i - from.n_ones];
                    if (code == 0)
                        add(rows[i], share(weight));
                    else if (belongs(code))
                        add(rows[i], weight);
                }
                ++run;
            }
            close_run(building_runs_, {0, label, label}, gathered_.ids.size());
        }
    }
    n = 0;
    i = 0;
    gathered_whole_.resize(parent.n_whole);
    std::uint32_t* whole = gathered_whole_.data();
    rows += parent.n_building;
    for (std::uint32_t r = 0; r < from.n_search_runs; ++r) {
        const Run& of = last_run[r];
        for (; i < of.end; ++i) {
            whole[n] = rows[i];
            n += belongs(std::uint32_t{codes[rows[i]]});
        }
        close_run(search_runs_, of, n);
    }
    gathered_whole_.resize(n);
}

/// NodeTotals of the gathered building samples, from their runs; classes are numbered among those of the node.
template <std::size_t Words>
void Trie<Words>::compute_totals() {
    const auto last = building_runs_.cend();
    const auto first_split =
        std::find_if(building_runs_.cbegin(), last, [&](const Run& run) { return run.end > gathered_.n_ones; });
    Label n_here = 0;
    for (auto ones = building_runs_.cbegin(), split = first_split; ones != first_split || split != last;) {
        const Label label =
            ones == first_split || (split != last && split->label < ones->label) ? split->label : ones->label;
        class_here_[label] = n_here++;
        if (ones != first_split && ones->label == label) ++ones;
        if (split != last && split->label == label) ++split;
    }
    totals_.by_class = true;
    totals_.labels.resize(gathered_.ids.size());
    totals_.class_weights.assign(n_here, 0);
    totals_.class_counts.assign(n_here, 0);
    std::uint32_t begin = 0;
    for (const Run& run : building_runs_) {
        const Label here = class_here_[run.label];
        std::fill(totals_.labels.begin() + begin, totals_.labels.begin() + run.end, here);
        if (run.end <= gathered_.n_ones) {
            totals_.class_counts[here] = run.end - begin;
            totals_.class_weights[here] = Weight{run.end - begin} << dataset_.scale().fraction_bits();
        } else {
            const auto weights = gathered_.weights.cbegin() - static_cast<std::ptrdiff_t>(gathered_.n_ones);
            totals_.class_weights[here] =
                std::accumulate(weights + begin, weights + run.end, totals_.class_weights[here]);
        }
        begin = run.end;
    }
    totals_.weight = std::accumulate(totals_.class_weights.begin(), totals_.class_weights.end(), Weight{0});
}

/// Judges the units that are alive for the gathered samples; those that are constant here are struck out.
template <std::size_t Words>
void Trie<Words>::rank(Set& alive) {
    compute_totals();
    candidates_.clear();
    work_ += (alive.size() + 4) * (gathered_.ids.size() + 16);
    const Set all = alive;
    all.for_each([&](std::size_t unit) {
        Candidate best;
        bool constant = true;
        for (const std::uint32_t feature : problem_.features_of(unit)) {
            if (budget_.spent()) return;
            const Candidate candidate = ranker_.evaluate(block_, gathered_, totals_, feature, ranking_scratch_);
            constant = constant && candidate.constant;
            // Of the features of a unit only the first in the ranking can ever be chosen.
            if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        }
        if (constant) alive.erase(unit);
        if (best.eligible()) candidates_.push_back(best);
    });
    std::ranges::sort(candidates_, ranks_before);
}

template <std::size_t Words>
bool Trie<Words>::expand(Node& node) {
    if (node.expanded) return true;
    if (budget_.spent()) return false;
    ++n_expansions_;
    Set alive;
    if (node.parent != nullptr) {
        gather(node);
        // P1: whoever comes here holds none of the features ranked before the edge taken.
        alive = node.parent->content->alive;
        for (std::uint32_t i = 0; i < node.rank; ++i) alive.erase(node.parent->ranking[i].unit);
    } else {
        const std::size_t n = node.n_building;
        const Content& content = *node.content;
        with_rows(node, [&](const auto* rows) { gathered_.ids.assign(rows, rows + n); });
        gathered_.weights.assign(content.weights, content.weights + (n - content.n_ones));
        gathered_.n_ones = content.n_ones;
        building_runs_.assign(content.runs(), content.runs() + content.n_building_runs);
        alive = content.alive;
    }
    rank(alive);
    if (budget_.spent()) return false;  // the ranking may be incomplete
    if (node.parent == nullptr)
        node.content->alive = alive;
    else if (!candidates_.empty())
        store(node, alive);
    node.n_ranked = static_cast<std::uint32_t>(candidates_.size());
    node.ranking = pool_.template allocate<Ranked>(candidates_.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& candidate = candidates_[i];
        node.ranking[i] = {candidate.feature, problem_.unit_of(candidate.feature), candidate.cut, candidate.above,
                           nullptr};
    }
    node.expanded = true;
    return true;
}

template <std::size_t Words>
typename Trie<Words>::Split& Trie<Words>::make_split(Node& node, std::uint32_t rank) {
    Ranked& ranked = node.ranking[rank];
    work_ += node.n_building + node.n_whole + 16;
    branches_.clear();
    missing_.clear();
    homeless_.clear();
    empty_parts_.clear();
    Split split;
    const Column& column = dataset_.column(ranked.feature);
    if (column.kind == FeatureKind::continuous)
        split.cut = problem_.cut_code(node.fold, ranked.feature, ranked.lower, ranked.upper);
    count_building(node, ranked, split);
    split.has_missing = !missing_.empty();
    split.unit_weights = node.content->n_ones == node.n_building && missing_.empty();
    for (const Branch& branch : branches_) split.known_weight += branch.known_weight;
    if (!missing_.empty()) share_out_missing(node);
    judge_branches(node);
    count_search(node, ranked, split);
    if (!homeless_.empty()) settle_homeless(node, split);
    if (node.n_parts > 0 || !homeless_.empty()) count_parts(node, ranked, split);
    Split& made = make_children(node, rank, split);
    if (column.kind == FeatureKind::nominal)
        for (const Branch& branch : branches_) branch_of_code_[branch.code] = nowhere;
    ranked.split = &made;
    return made;
}

/// True if the feature is nominal, misses no value, and has so few that CodeLanes can count them.
template <std::size_t Words>
bool Trie<Words>::has_few_codes(std::uint32_t feature) const {
    const Column& column = dataset_.column(feature);
    return column.kind == FeatureKind::nominal && column.n_values <= CodeLanes::most_values && !has_missing_[feature];
}

template <std::size_t Words>
void Trie<Words>::add_branch(std::uint32_t code) {
    branches_.push_back(Branch{});
    branches_.back().code = code;
    class_weights_.resize(branches_.size() * n_classes_, 0);
}

/// The branches that hold building samples, in order of their codes, with their class weights.
template <std::size_t Words>
void Trie<Words>::count_building(const Node& node, const Ranked& ranked, const Split& split) {
    const Content& content = *node.content;
    const Column& column = dataset_.column(ranked.feature);
    const bool continuous = column.kind == FeatureKind::continuous;
    const int fraction_bits = dataset_.scale().fraction_bits();
    const Weight one = dataset_.scale().one();
    class_weights_.clear();
    if (continuous) {
        add_branch(0);
        add_branch(1);
    }
    const bool few_codes = has_few_codes(ranked.feature);
    const auto branch_with = [&](std::uint32_t code) {
        if (branch_of_code_[code] == nowhere) {
            branch_of_code_[code] = static_cast<std::uint32_t>(branches_.size());
            add_branch(code);
        }
        return branch_of_code_[code];
    };
    const auto count = [&](const auto* codes, const auto* rows) {
        std::size_t i = 0;
        for (std::uint32_t r = 0; r < content.n_building_runs; ++r) {
            const Run& run = content.runs()[r];
            const bool ones = run.end <= content.n_ones;
            if (continuous && ones && !has_missing_[ranked.feature]) {
                const auto n = static_cast<std::uint32_t>(run.end - i);
                std::uint32_t n_right = 0;
                for (; i < run.end; ++i) n_right += codes[rows[i]] > split.cut;
                branches_[0].n_known += n - n_right;
                branches_[1].n_known += n_right;
                class_weights_[run.label] += Weight{n - n_right} << fraction_bits;
                class_weights_[n_classes_ + run.label] += Weight{n_right} << fraction_bits;
                continue;
            }
            if (few_codes && ones && run.end - i <= CodeLanes::most_samples) {
                CodeLanes lanes;
                for (; i < run.end; ++i) lanes.add(codes[rows[i]]);
                for (std::uint32_t code = 1; code <= column.n_values; ++code) {
                    if (lanes[code] == 0) continue;
                    const std::uint32_t place = branch_with(code);
                    class_weights_[place * n_classes_ + run.label] += Weight{lanes[code]} << fraction_bits;
                    branches_[place].n_known += lanes[code];
                }
                continue;
            }
            for (; i < run.end; ++i) {
                const std::uint32_t code = codes[rows[i]];
                if (code == 0) {
                    missing_.push_back(static_cast<std::uint32_t>(i));
                    continue;
                }
                const std::uint32_t place = !continuous ? branch_with(code) : code > split.cut ? 1 : 0;
                class_weights_[place * n_classes_ + run.label] += ones ? one : content.weights[i - content.n_ones];
                ++branches_[place].n_known;
            }
        }
    };
    visit_codes(column.codes.data(), column.codes.width(),
                [&](const auto* codes) { with_rows(node, [&](const auto* rows) { count(codes, rows); }); });
    // In order of code, as a tree has them.
    if (!std::ranges::is_sorted(branches_, {}, &Branch::code)) {
        unsorted_.assign(class_weights_.begin(), class_weights_.end());
        std::ranges::sort(branches_, {}, &Branch::code);
        for (std::uint32_t j = 0; j < branches_.size(); ++j) {
            const std::uint32_t from = std::exchange(branch_of_code_[branches_[j].code], j);
            std::copy_n(unsorted_.data() + from * n_classes_, n_classes_, class_weights_.data() + j * n_classes_);
        }
    }
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Weight* by_class = class_weights_.data() + j * n_classes_;
        branches_[j].known_weight = std::accumulate(by_class, by_class + n_classes_, Weight{0});
        branches_[j].weight = branches_[j].known_weight;
    }
}

/// Adds the shares of the building samples whose value is missing to the branches.
template <std::size_t Words>
void Trie<Words>::share_out_missing(const Node& node) {
    const Content& content = *node.content;
    const Weight one = dataset_.scale().one();
    Weight known_weight = 0;
    for (const Branch& branch : branches_) known_weight += branch.known_weight;
    const Run* run = content.runs();
    for (const std::uint32_t i : missing_) {
        while (i >= run->end) ++run;
        const Weight whole = i < content.n_ones ? one : content.weights[i - content.n_ones];
        for (std::size_t j = 0; j < branches_.size(); ++j) {
            const Weight share = share_of_weight(whole, branches_[j].known_weight, known_weight);
            class_weights_[j * n_classes_ + run->label] += share;
            branches_[j].weight += share;
        }
    }
}

template <std::size_t Words>
void Trie<Words>::judge_branches(const Node& node) {
    const bool deepest = node.depth + 1 >= problem_.growth().max_depth;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Weight* by_class = class_weights_.data() + j * n_classes_;
        Branch& branch = branches_[j];
        branch.label = static_cast<Label>(std::max_element(by_class, by_class + n_classes_) - by_class);
        branch.is_leaf = deepest || ranker_.is_leaf(branch.weight, by_class[branch.label] == branch.weight);
    }
}

template <std::size_t Words>
std::uint32_t Trie<Words>::branch_of(const Column& column, const Split& split, std::uint32_t code) const {
    if (column.kind == FeatureKind::continuous) return code > split.cut ? 1 : 0;
    return branch_of_code_[code];
}

/// Errors and bounds of the branches.
template <std::size_t Words>
void Trie<Words>::count_search(const Node& node, const Ranked& ranked, Split& split) {
    const Content& content = *node.content;
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    const bool continuous = column.kind == FeatureKind::continuous;
    const bool few_codes = has_few_codes(ranked.feature);
    const int fraction_bits = dataset_.scale().fraction_bits();
    const auto add = [&](std::uint32_t place, const Run& run, std::uint32_t count, ErrorWeight weight) {
        Branch& branch = branches_[place];
        const Weight* by_class = class_weights_.data() + place * n_classes_;
        branch.n_whole += count;
        branch.whole_weight += weight;
        if (run.label != branch.label) branch.leaf_error += weight;
        if (by_class[run.label] == 0) {
            branch.base_bound += weight;
        } else {
            branch.n_live += count;
            if (run.majority != run.label && by_class[run.majority] > 0) branch.base_bound += weight;
        }
    };
    const auto is_absent_here = [&](Label label) {
        return std::none_of(content.runs(), content.runs() + content.n_building_runs,
                            [label](const Run& run) { return run.label == label; });
    };
    const auto count = [&](const auto* codes, const auto* rows) {
        std::size_t i = 0;
        for (std::uint32_t r = 0; r < content.n_search_runs; ++r) {
            const Run& run = content.runs()[content.n_building_runs + r];
            if (continuous && samples.unit_weights && !has_missing_[ranked.feature]) {
                const auto n = static_cast<std::uint32_t>(run.end - i);
                std::uint32_t n_right = 0;
                for (; i < run.end; ++i) n_right += codes[rows[i]] > split.cut;
                if (n_right < n) add(0, run, n - n_right, ErrorWeight{n - n_right} << fraction_bits);
                if (n_right > 0) add(1, run, n_right, ErrorWeight{n_right} << fraction_bits);
                continue;
            }
            if (few_codes && samples.unit_weights && run.end - i <= CodeLanes::most_samples) {
                CodeLanes lanes;
                for (; i < run.end; ++i) lanes.add(codes[rows[i]]);
                for (std::uint32_t code = 1; code <= column.n_values; ++code) {
                    const ErrorWeight weight = ErrorWeight{lanes[code]} << fraction_bits;
                    if (lanes[code] == 0) continue;
                    if (branch_of_code_[code] != nowhere)
                        add(branch_of_code_[code], run, lanes[code], weight);
                    else if (run.label != node.label)
                        split.fixed_error += weight;
                }
                continue;
            }
            for (; i < run.end; ++i) {
                const std::uint32_t row = rows[i];
                const std::uint32_t code = codes[row];
                const ErrorWeight weight = samples.weight_of[row];
                if (code == 0) {
                    // A class that no building sample here has wins in no leaf below: a sure error.
                    if (is_absent_here(run.label))
                        split.fixed_error += weight;
                    else
                        homeless_.push_back({samples.number_of[row], 1.0});
                    continue;
                }
                const std::uint32_t place = branch_of(column, split, code);
                if (place != nowhere)
                    add(place, run, 1, weight);
                else if (run.label != node.label)
                    split.fixed_error += weight;
            }
        }
    };
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        with_rows(node, [&](const auto* rows) { count(codes, rows + node.n_building); });
    });
}

/// A sample that is whole until here is judged inside this subtree alone. Where the branches that are leaves outvote all
/// that the others can still say, it is known to err, or known not to, and goes no further.
template <std::size_t Words>
void Trie<Words>::settle_homeless(const Node& node, Split& split) {
    constexpr double margin = 1e-9;  // shares are sums of rounded numbers
    const SearchSamples& samples = samples_[node.fold];
    Weight total = 0;
    for (const Branch& branch : branches_) total += branch.weight;
    // Votes of the leaves, and the most that the other branches can add; the same for all, since each goes everywhere.
    least_votes_.assign(n_classes_, 0.0);
    most_votes_.assign(n_classes_, 0.0);
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Branch& branch = branches_[j];
        const Weight* by_class = class_weights_.data() + j * n_classes_;
        const double share = static_cast<double>(branch.weight) / static_cast<double>(total);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (branch.is_leaf) {
                const double vote = static_cast<double>(by_class[k]) / static_cast<double>(total);
                least_votes_[k] += vote;
                most_votes_[k] += vote;
            } else if (by_class[k] > 0) {
                most_votes_[k] += share;
            }
        }
    }
    const auto has_settled = [&](const Part& part) {
        const std::uint32_t row = samples.rows[part.sample - samples.first_number];
        const Label own = dataset_.labels()[row];
        double rival_least = 0, rival_most = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (k == own) continue;
            rival_least = std::max(rival_least, least_votes_[k]);
            rival_most = std::max(rival_most, most_votes_[k]);
        }
        if (rival_least > most_votes_[own] + margin) {
            split.fixed_error += samples.weight_of[row];
            return true;
        }
        return least_votes_[own] > rival_most + margin;
    };
    std::erase_if(homeless_, has_settled);
}

/// How many parts of samples come to each branch.
template <std::size_t Words>
void Trie<Words>::count_parts(const Node& node, const Ranked& ranked, const Split& split) {
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    for (std::uint32_t i = 0; i < node.n_parts; ++i) {
        const Part& part = node.shares->parts[i];
        const std::uint32_t code = column.codes[samples.rows[part.sample - samples.first_number]];
        if (code == 0) {
            homeless_.push_back(part);
            continue;
        }
        const std::uint32_t place = branch_of(column, split, code);
        if (place == nowhere)
            empty_parts_.push_back(part);
        else
            ++branches_[place].n_parts;
    }
    for (Branch& branch : branches_) branch.n_parts += static_cast<std::uint32_t>(homeless_.size());
}

/// Keeps the branches in which something is left to find out; the errors of the others are known (P2).
template <std::size_t Words>
typename Trie<Words>::Split& Trie<Words>::make_children(Node& node, std::uint32_t rank, Split split) {
    for (Branch& branch : branches_) {
        branch.is_settled = branch.n_parts == 0 && (branch.is_leaf || (!keep_unreached_ && branch.n_live == 0));
        if (branch.is_settled)
            split.fixed_error += branch.is_leaf ? branch.leaf_error : branch.whole_weight;
        else
            ++split.n_children;
    }
    if (!empty_parts_.empty()) ++split.n_children;
    split.bound = split.fixed_error;
    std::byte* piece = pool_.template allocate<std::byte>(split_bytes(split.n_children));
    Split& made = *::new (piece) Split(split);
    made.children = reinterpret_cast<Node*>(piece + sizeof(Split));
    Node* child = made.children;
    const auto start = [&](Node& fresh) {
        ::new (&fresh) Node{};
        fresh.parent = &node;
        fresh.rank = rank;
        fresh.depth = node.depth + 1;
        fresh.fold = node.fold;
    };
    const double factor = dataset_.scale().factor();
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        Branch& branch = branches_[j];
        if (branch.is_settled) continue;
        start(*child);
        child->branch = branch.code;
        child->label = branch.label;
        child->n_building = branch.n_known + static_cast<std::uint32_t>(missing_.size());
        child->n_whole = branch.n_whole;
        if (!split.unit_weights || branch.n_parts > 0) {
            child->shares = pool_.template allocate<Shares>(1);
            *child->shares = {branch.known_weight, nullptr, nullptr};
        }
        child->leaf_error = branch.leaf_error;
        child->whole_weight = branch.whole_weight;
        child->is_leaf = child->expanded = branch.is_leaf;
        child->base_bound = branch.is_leaf ? branch.leaf_error : std::min(branch.base_bound, branch.leaf_error);
        if (branch.n_parts > 0) {
            Shares& shares = *child->shares;
            shares.parts = pool_.template allocate<Part>(branch.n_parts);
            shares.votes = pool_.template allocate<double>(n_classes_);
            const Weight* by_class = class_weights_.data() + j * n_classes_;
            const double weight = static_cast<double>(branch.weight) / factor;
            for (std::size_t k = 0; k < n_classes_; ++k)
                shares.votes[k] = static_cast<double>(by_class[k]) / factor / weight;
        }
        made.bound += child->base_bound;
        ++child;
    }
    if (!empty_parts_.empty()) {
        start(*child);
        child->branch = nowhere;
        child->label = node.label;
        child->is_leaf = child->expanded = true;
        child->n_parts = static_cast<std::uint32_t>(empty_parts_.size());
        child->shares = pool_.template allocate<Shares>(1);
        *child->shares = {0, pool_.template allocate<Part>(child->n_parts),
                          pool_.template allocate<double>(n_classes_)};
        std::ranges::copy(empty_parts_, child->shares->parts);
        std::fill_n(child->shares->votes, n_classes_, 0.0);
        child->shares->votes[node.label] = 1.0;
    }
    if (node.n_parts > 0 || !homeless_.empty()) share_out_parts(node, node.ranking[rank], made);
    return made;
}

/// Fills the parts of the children, with the arithmetic of prediction.cpp: an error found here is one of `predict`.
template <std::size_t Words>
void Trie<Words>::share_out_parts(const Node& node, const Ranked& ranked, Split& split) {
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    const double factor = dataset_.scale().factor();
    double weight_below = 0;
    for (const Branch& branch : branches_) weight_below += static_cast<double>(branch.weight) / factor;
    std::uint32_t next = 0;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Branch& branch = branches_[j];
        if (branch.is_settled) continue;
        Node& child = split.children[next++];
        if (child.shares == nullptr || child.shares->parts == nullptr) continue;
        Part* parts = child.shares->parts;
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            const Part& part = node.shares->parts[i];
            const std::uint32_t code = column.codes[samples.rows[part.sample - samples.first_number]];
            if (code != 0 && branch_of(column, split, code) == j) parts[child.n_parts++] = part;
        }
        const double fraction = static_cast<double>(branch.weight) / factor / weight_below;
        for (const Part& part : homeless_) parts[child.n_parts++] = {part.sample, part.share * fraction};
    }
}

template <std::size_t Words>
void Trie<Words>::release_contents(Node& node) {
    pool_.release(node.ranking, node.n_ranked);
    if (node.content != nullptr) pool_.release(reinterpret_cast<std::byte*>(node.content), content_bytes(node));
    pool_.release(node.memo, 1);
    node.ranking = nullptr;
    node.content = nullptr;
    node.memo = nullptr;
    node.n_ranked = 0;
    node.expanded = node.is_leaf;
}

/// Frees a split and all below it, without recursion: a trie may be as deep as it has samples.
template <std::size_t Words>
void Trie<Words>::release_split(Ranked& ranked) {
    std::vector<Split*> splits{std::exchange(ranked.split, nullptr)};
    while (!splits.empty()) {
        Split* split = splits.back();
        splits.pop_back();
        for (std::uint32_t j = 0; j < split->n_children; ++j) {
            Node& child = split->children[j];
            for (std::uint32_t i = 0; i < child.n_ranked; ++i)
                if (Split* below = child.ranking[i].split) {
                    fetch_early(below);
                    splits.push_back(below);
                }
            if (child.shares != nullptr) {
                pool_.release(child.shares->parts, child.n_parts);
                pool_.release(child.shares->votes, n_classes_);
                pool_.release(child.shares, 1);
            }
            release_contents(child);
        }
        pool_.release(reinterpret_cast<std::byte*>(split), split_bytes(split->n_children));
    }
}

template <std::size_t Words>
void Trie<Words>::evict() {
    std::vector<Node*> kept;
    for (Node& root : roots_) kept.push_back(&root);
    while (!kept.empty()) {
        Node& node = *kept.back();
        kept.pop_back();
        for (std::uint32_t i = 0; i < node.n_ranked; ++i) {
            Ranked& ranked = node.ranking[i];
            if (ranked.split == nullptr) continue;
            const std::span<Node> children{ranked.split->children, ranked.split->n_children};
            if (std::ranges::none_of(children, [&](const Node& child) { return child.mark == epoch_; }))
                release_split(ranked);
            else
                for (Node& child : children) kept.push_back(&child);
        }
        if (node.mark == epoch_ || node.parent == nullptr || !node.expanded || node.is_leaf) continue;
        // No search needs it, but a sibling keeps it in place.
        release_contents(node);
    }
}

template class Trie<1>;
template class Trie<4>;
template class Trie<most_searched_units / 64>;

}  // namespace palmette
