#include "split_maker.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "ledger.hpp"
#include "palmette/data/code_lanes.hpp"

namespace palmette {

template <std::size_t Words>
SplitMaker<Words>::SplitMaker(const SearchProblem& problem, std::span<const SearchSamples> samples, bool keep_unreached,
                              const Ranker& ranker, NodePool& pool)
    : problem_(problem),
      dataset_(problem.dataset()),
      samples_(samples),
      keep_unreached_(keep_unreached),
      ranker_(ranker),
      pool_(pool),
      n_classes_(problem.dataset().n_classes()),
      row_width_(row_width(problem)) {
    std::uint32_t most_codes = 2;
    for (std::size_t f = 0; f < dataset_.n_features(); ++f) {
        const Column& column = dataset_.column(f);
        if (column.kind == FeatureKind::nominal) most_codes = std::max(most_codes, column.n_values + 1);
        has_missing_.push_back(column.codes.has_missing() ? 1 : 0);
    }
    branch_of_code_.assign(most_codes, nowhere);
    count_of_code_.assign(most_codes, 0);
    number_of_.assign(n_classes_, absent);
}

template <std::size_t Words>
TrieSplit<Words>& SplitMaker<Words>::make(Node& node, std::uint32_t rank, bool hand_out) {
    const Ranked& ranked = node.ranking[rank];
    Split& made = make_children(node, rank, count(node, ranked));
    if (hand_out) add_parts(node, rank, made);
    forget(ranked);
    return made;
}

template <std::size_t Words>
void SplitMaker<Words>::hand_out_parts(Node& node, std::uint32_t rank) {
    const Ranked& ranked = node.ranking[rank];
    Split& split = *ranked.split;
    if (node.n_parts == 0 && !split.splits_samples) {
        split.has_parts = true;
        return;
    }
    static_cast<void>(count(node, ranked));
    add_parts(node, rank, split);
    forget(ranked);
}

/// Counts the branches; what is known of the split without its children.
template <std::size_t Words>
TrieSplit<Words> SplitMaker<Words>::count(const Node& node, const Ranked& ranked) {
    branches_.clear();
    missing_.clear();
    homeless_.clear();
    number_classes(node);
    Split split;
    if (dataset_.column(ranked.feature).kind == FeatureKind::continuous)
        split.cut = problem_.cut_code(node.fold, ranked.feature, ranked.lower, ranked.upper);
    count_building(node, ranked, split);
    split.has_missing = !missing_.empty();
    split.unit_weights = node.content->n_ones == node.n_building && missing_.empty();
    for (const Branch& branch : branches_) split.known_weight += branch.known_weight;
    if (!missing_.empty()) share_out_missing(node);
    judge_branches(node);
    count_search(node, ranked, split);
    if (!homeless_.empty()) settle_homeless(node, split);
    split.splits_samples = !homeless_.empty();
    for (Branch& branch : branches_) {
        branch.is_settled = branch.is_leaf || (!keep_unreached_ && branch.n_live == 0);
        if (branch.is_settled)
            split.fixed_error += branch.is_leaf ? branch.leaf_error : branch.whole_weight;
        else
            ++split.n_children;
    }
    return split;
}

/// Leaves the tables as `count` wants them.
template <std::size_t Words>
void SplitMaker<Words>::forget(const Ranked& ranked) {
    if (dataset_.column(ranked.feature).kind == FeatureKind::nominal)
        for (const Branch& branch : branches_) branch_of_code_[branch.code] = nowhere;
    for (const Label label : present_) number_of_[label] = absent;
}

template <std::size_t Words>
void SplitMaker<Words>::number_classes(const Node& node) {
    const Content& content = *node.content;
    present_.clear();
    // Two ascending sequences: samples that weigh one, then those that missing values have split.
    for (std::uint32_t r = 0; r < content.n_building_runs; ++r) {
        const Label label = content.runs()[r].label;
        if (number_of_[label] != absent) continue;
        number_of_[label] = 0;
        present_.push_back(label);
    }
    if (!std::ranges::is_sorted(present_)) std::ranges::sort(present_);
    for (std::size_t k = 0; k < present_.size(); ++k) number_of_[present_[k]] = static_cast<Label>(k);
}

/// Calls use(code, count) for the codes of a run of samples, missing or not, in ascending order: counted inside one register
/// where there are few values, else in a table. False, and no call, where the run is too short for that.
template <std::size_t Words>
template <class Code, class Row, class Use>
bool SplitMaker<Words>::count_codes(std::uint32_t n_values, const Code* codes, std::span<const Row> rows, Use use) {
    if (n_values <= CodeLanes::most_values && rows.size() <= CodeLanes::most_samples) {
        CodeLanes lanes;
        for (const Row row : rows) lanes.add(codes[row]);
        for (std::uint32_t code = 0; code <= n_values; ++code)
            if (lanes[code] > 0) use(code, lanes[code]);
        return true;
    }
    if (rows.size() < n_values) return false;
    for (const Row row : rows) ++count_of_code_[codes[row]];
    for (std::uint32_t code = 0; code <= n_values; ++code)
        if (const std::uint32_t count = std::exchange(count_of_code_[code], 0); count > 0) use(code, count);
    return true;
}

template <std::size_t Words>
void SplitMaker<Words>::add_branch(std::uint32_t code) {
    branches_.push_back(Branch{});
    branches_.back().code = code;
    class_weights_.resize(branches_.size() * present_.size(), 0);
}

/// The branches that hold building samples, in order of their codes, with their class weights.
template <std::size_t Words>
void SplitMaker<Words>::count_building(const Node& node, const Ranked& ranked, const Split& split) {
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
    const std::size_t n_present = present_.size();
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
            const Label label = number_of_[run.label];
            if (continuous && !has_missing_[ranked.feature]) {
                const auto n = static_cast<std::uint32_t>(run.end - i);
                std::uint32_t n_right = 0;
                Weight weight = 0, on_right = 0;
                if (ones) {
                    for (; i < run.end; ++i) n_right += codes[rows[i]] > split.cut;
                    weight = Weight{n} << fraction_bits;
                    on_right = Weight{n_right} << fraction_bits;
                }
                for (; i < run.end; ++i) {
                    const bool right = codes[rows[i]] > split.cut;
                    n_right += right;
                    weight += content.weights[i - content.n_ones];
                    on_right += content.weights[i - content.n_ones] & -Weight{right};
                }
                branches_[0].n_known += n - n_right;
                branches_[1].n_known += n_right;
                class_weights_[label] += weight - on_right;
                class_weights_[n_present + label] += on_right;
                continue;
            }
            if (!continuous && ones) {
                std::uint32_t n_missing = 0;
                const std::span of_run(rows + i, run.end - i);
                const bool done = count_codes(column.n_values, codes, of_run, [&](std::uint32_t code, std::uint32_t n) {
                    if (code == 0) {
                        n_missing = n;
                        return;
                    }
                    const std::uint32_t place = branch_with(code);
                    class_weights_[place * n_present + label] += Weight{n} << fraction_bits;
                    branches_[place].n_known += n;
                });
                for (std::size_t k = i; n_missing > 0; ++k) {
                    if (codes[rows[k]] != 0) continue;
                    missing_.push_back(static_cast<std::uint32_t>(k));
                    --n_missing;
                }
                if (done) {
                    i = run.end;
                    continue;
                }
            }
            for (; i < run.end; ++i) {
                const std::uint32_t code = codes[rows[i]];
                if (code == 0) {
                    missing_.push_back(static_cast<std::uint32_t>(i));
                    continue;
                }
                const std::uint32_t place = !continuous ? branch_with(code) : code > split.cut ? 1 : 0;
                class_weights_[place * n_present + label] += ones ? one : content.weights[i - content.n_ones];
                ++branches_[place].n_known;
            }
        }
    };
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        node.content->with_rows(row_width_, [&](const auto* rows) { count(codes, rows); });
    });
    // In order of code, as a tree has them.
    if (!std::ranges::is_sorted(branches_, {}, &Branch::code)) {
        unsorted_.assign(class_weights_.begin(), class_weights_.end());
        std::ranges::sort(branches_, {}, &Branch::code);
        for (std::uint32_t j = 0; j < branches_.size(); ++j) {
            const std::uint32_t from = std::exchange(branch_of_code_[branches_[j].code], j);
            std::copy_n(unsorted_.data() + from * n_present, n_present, class_weights_.data() + j * n_present);
        }
    }
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Weight* by_class = weights_of(j);
        branches_[j].known_weight = std::accumulate(by_class, by_class + n_present, Weight{0});
        branches_[j].weight = branches_[j].known_weight;
    }
}

/// Adds the shares of the building samples whose value is missing to the branches.
template <std::size_t Words>
void SplitMaker<Words>::share_out_missing(const Node& node) {
    const Content& content = *node.content;
    const Weight one = dataset_.scale().one();
    Weight known_weight = 0;
    for (const Branch& branch : branches_) known_weight += branch.known_weight;
    shares_of_one_.clear();
    if (missing_.front() < content.n_ones)
        for (const Branch& branch : branches_)
            shares_of_one_.push_back(share_of_weight(one, branch.known_weight, known_weight));
    const Run* run = content.runs();
    for (const std::uint32_t i : missing_) {
        while (i >= run->end) ++run;
        const bool is_one = i < content.n_ones;
        for (std::size_t j = 0; j < branches_.size(); ++j) {
            const Weight share =
                is_one ? shares_of_one_[j]
                       : share_of_weight(content.weights[i - content.n_ones], branches_[j].known_weight, known_weight);
            class_weights_[j * present_.size() + number_of_[run->label]] += share;
            branches_[j].weight += share;
        }
    }
}

template <std::size_t Words>
void SplitMaker<Words>::judge_branches(const Node& node) {
    const bool deepest = node.depth + 1 >= problem_.growth().max_depth;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Weight* by_class = weights_of(j);
        Branch& branch = branches_[j];
        const Weight* greatest = std::max_element(by_class, by_class + present_.size());
        branch.label = present_[static_cast<std::size_t>(greatest - by_class)];
        branch.is_leaf = deepest || ranker_.is_leaf(branch.weight, *greatest == branch.weight);
    }
}

template <std::size_t Words>
std::uint32_t SplitMaker<Words>::branch_of(const Column& column, const Split& split, std::uint32_t code) const {
    if (column.kind == FeatureKind::continuous) return code > split.cut ? 1 : 0;
    return branch_of_code_[code];
}

/// Errors and bounds of the branches.
template <std::size_t Words>
void SplitMaker<Words>::count_search(const Node& node, const Ranked& ranked, Split& split) {
    const Content& content = *node.content;
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    const bool continuous = column.kind == FeatureKind::continuous;
    const int fraction_bits = dataset_.scale().fraction_bits();
    const auto add = [&](std::uint32_t place, const Run& run, std::uint32_t count, ErrorWeight weight) {
        Branch& branch = branches_[place];
        const Weight* by_class = weights_of(place);
        const auto is_in_branch = [&](Label label) {
            return number_of_[label] != absent && by_class[number_of_[label]] > 0;
        };
        branch.n_whole += count;
        branch.whole_weight += weight;
        if (run.label != branch.label) branch.leaf_error += weight;
        if (!is_in_branch(run.label)) {
            branch.base_bound += weight;
        } else {
            branch.n_live += count;
            if (run.majority != run.label && is_in_branch(run.majority)) branch.base_bound += weight;
        }
    };
    // A sample whose value is missing.
    const auto lose = [&](std::uint32_t row, const Run& run) {
        // A class that no building sample here has wins in no leaf below: a sure error.
        if (number_of_[run.label] == absent)
            split.fixed_error += samples.weight_of[row];
        else
            homeless_.push_back({samples.number_of[row], 1.0});
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
            if (!continuous && samples.unit_weights) {
                std::uint32_t n_missing = 0;
                const std::span of_run(rows + i, run.end - i);
                const bool done = count_codes(column.n_values, codes, of_run, [&](std::uint32_t code, std::uint32_t n) {
                    const ErrorWeight weight = ErrorWeight{n} << fraction_bits;
                    if (code == 0)
                        n_missing = n;
                    else if (branch_of_code_[code] != nowhere)
                        add(branch_of_code_[code], run, n, weight);
                    else if (run.label != node.label)
                        split.fixed_error += weight;
                });
                for (std::size_t k = i; n_missing > 0; ++k) {
                    if (codes[rows[k]] != 0) continue;
                    lose(rows[k], run);
                    --n_missing;
                }
                if (done) {
                    i = run.end;
                    continue;
                }
            }
            for (; i < run.end; ++i) {
                const std::uint32_t row = rows[i];
                const std::uint32_t code = codes[row];
                const ErrorWeight weight = samples.weight_of[row];
                if (code == 0) {
                    lose(row, run);
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
        node.content->with_rows(row_width_, [&](const auto* rows) { count(codes, rows + node.n_building); });
    });
}

/// A sample that is whole until here is judged inside this subtree alone. Where the branches that are leaves outvote all
/// that the others can still say, it is known to err, or known not to, and goes no further.
template <std::size_t Words>
void SplitMaker<Words>::settle_homeless(const Node& node, Split& split) {
    constexpr double margin = 1e-9;  // shares are sums of rounded numbers
    const SearchSamples& samples = samples_[node.fold];
    Weight total = 0;
    for (const Branch& branch : branches_) total += branch.weight;
    // Votes of the leaves, and the most that the other branches can add; the same for all, since each goes everywhere.
    const std::size_t n_present = present_.size();
    least_votes_.assign(n_present, 0.0);
    most_votes_.assign(n_present, 0.0);
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Branch& branch = branches_[j];
        const Weight* by_class = weights_of(j);
        const double share = static_cast<double>(branch.weight) / static_cast<double>(total);
        for (std::size_t k = 0; k < n_present; ++k) {
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
        const Label own = number_of_[dataset_.labels()[row]];
        double rival_least = 0, rival_most = 0;
        for (std::size_t k = 0; k < n_present; ++k) {
            if (k == own) continue;
            rival_least = std::max(rival_least, least_votes_[k]);
            rival_most = std::max(rival_most, most_votes_[k]);
        }
        rival_least = std::max(rival_least, least_of_strongest_rival(1.0 - most_votes_[own], n_present));
        if (rival_least > most_votes_[own] + margin) {
            split.fixed_error += samples.weight_of[row];
            return true;
        }
        return least_votes_[own] > rival_most + margin;
    };
    std::erase_if(homeless_, has_settled);
}

/// Children for the branches in which something is left to find out about whole samples (P2).
template <std::size_t Words>
TrieSplit<Words>& SplitMaker<Words>::make_children(Node& node, std::uint32_t rank, Split split) {
    split.bound = split.fixed_error;
    std::byte* piece = pool_.allocate<std::byte>(Split::nbytes(split.n_children));
    Split& made = *::new (piece) Split(split);
    made.children = reinterpret_cast<Node*>(piece + sizeof(Split));
    Node* child = made.children;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Branch& branch = branches_[j];
        if (branch.is_settled) continue;
        start_child(*child, node, rank, j);
        child->n_whole = branch.n_whole;
        if (!split.unit_weights) {
            child->shares = pool_.allocate<NodeShares>(1);
            *child->shares = {branch.known_weight, nullptr, nullptr};
        }
        child->leaf_error = branch.leaf_error;
        child->whole_weight = branch.whole_weight;
        child->base_bound = std::min(branch.base_bound, branch.leaf_error);
        made.bound += child->base_bound;
        ++child;
    }
    return made;
}

/// A child of a node, without its samples.
template <std::size_t Words>
void SplitMaker<Words>::start_child(Node& child, Node& node, std::uint32_t rank) const {
    ::new (&child) Node{};
    child.parent = &node;
    child.rank = rank;
    child.depth = node.depth + 1;
    child.fold = node.fold;
}

/// The same for a branch with building samples.
template <std::size_t Words>
void SplitMaker<Words>::start_child(Node& child, Node& node, std::uint32_t rank, std::size_t place) const {
    const Branch& branch = branches_[place];
    start_child(child, node, rank);
    child.branch = branch.code;
    child.label = branch.label;
    child.is_leaf = child.expanded = branch.is_leaf;
    const Weight* by_class = weights_of(place);
    for (std::size_t k = 0; k < present_.size(); ++k)
        if (by_class[k] > 0) child.classes |= mask_of(present_[k]);
    child.n_building = branch.n_known + static_cast<std::uint32_t>(missing_.size());
}

/// How many parts of samples come to each branch.
template <std::size_t Words>
void SplitMaker<Words>::count_parts(const Node& node, const Ranked& ranked, const Split& split) {
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    empty_parts_.clear();
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

/// Hands out the parts, with side children for those that come to a branch without a child.
template <std::size_t Words>
void SplitMaker<Words>::add_parts(Node& node, std::uint32_t rank, Split& split) {
    split.has_parts = true;
    if (node.n_parts == 0 && homeless_.empty()) return;
    const Ranked& ranked = node.ranking[rank];
    count_parts(node, ranked, split);
    for (const Branch& branch : branches_) split.n_side_children += branch.is_settled && branch.n_parts > 0;
    if (!empty_parts_.empty()) ++split.n_side_children;
    split.side_children = pool_.allocate<Node>(split.n_side_children);
    Node* child = split.children;
    Node* side_child = split.side_children;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Branch& branch = branches_[j];
        if (!branch.is_settled) {
            if (branch.n_parts > 0) make_room_for_parts(*child, j);
            ++child;
        } else if (branch.n_parts > 0) {
            start_child(*side_child, node, rank, j);
            make_room_for_parts(*side_child++, j);
        }
    }
    if (!empty_parts_.empty()) {
        start_child(*side_child, node, rank);
        side_child->branch = nowhere;
        side_child->label = node.label;
        side_child->is_leaf = side_child->expanded = true;
        side_child->n_parts = static_cast<std::uint32_t>(empty_parts_.size());
        side_child->shares = pool_.allocate<NodeShares>(1);
        *side_child->shares = {0, pool_.allocate<Part>(side_child->n_parts), pool_.allocate<double>(n_classes_)};
        std::ranges::copy(empty_parts_, side_child->shares->parts);
        std::fill_n(side_child->shares->votes, n_classes_, 0.0);
        side_child->shares->votes[node.label] = 1.0;
    }
    share_out_parts(node, ranked, split);
}

template <std::size_t Words>
void SplitMaker<Words>::make_room_for_parts(Node& child, std::size_t place) {
    const Branch& branch = branches_[place];
    if (child.shares == nullptr) child.shares = pool_.allocate<NodeShares>(1);
    *child.shares = {branch.known_weight, pool_.allocate<Part>(branch.n_parts), pool_.allocate<double>(n_classes_)};
    const double factor = dataset_.scale().factor();
    const double weight = static_cast<double>(branch.weight) / factor;
    const Weight* by_class = weights_of(place);
    std::fill_n(child.shares->votes, n_classes_, 0.0);
    for (std::size_t k = 0; k < present_.size(); ++k)
        if (by_class[k] > 0) child.shares->votes[present_[k]] = static_cast<double>(by_class[k]) / factor / weight;
}

/// Fills the parts of the children, with the arithmetic of prediction.cpp: an error found here is one of `predict`.
template <std::size_t Words>
void SplitMaker<Words>::share_out_parts(const Node& node, const Ranked& ranked, Split& split) {
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    const double factor = dataset_.scale().factor();
    double weight_below = 0;
    for (const Branch& branch : branches_) weight_below += static_cast<double>(branch.weight) / factor;
    Node* next = split.children;
    Node* next_side = split.side_children;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Branch& branch = branches_[j];
        if (branch.n_parts == 0) {
            next += !branch.is_settled;
            continue;
        }
        Node& child = branch.is_settled ? *next_side++ : *next++;
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

template class SplitMaker<1>;
template class SplitMaker<4>;
template class SplitMaker<most_searched_units / 64>;

}  // namespace palmette
