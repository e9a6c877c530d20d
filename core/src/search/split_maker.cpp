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
}

template <std::size_t Words>
TrieSplit<Words>& SplitMaker<Words>::make(Node& node, std::uint32_t rank) {
    const Ranked& ranked = node.ranking[rank];
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
    return made;
}

/// True if the feature is nominal, misses no value, and has so few that CodeLanes can count them.
template <std::size_t Words>
bool SplitMaker<Words>::has_few_codes(std::uint32_t feature) const {
    const Column& column = dataset_.column(feature);
    return column.kind == FeatureKind::nominal && column.n_values <= CodeLanes::most_values && !has_missing_[feature];
}

template <std::size_t Words>
void SplitMaker<Words>::add_branch(std::uint32_t code) {
    branches_.push_back(Branch{});
    branches_.back().code = code;
    class_weights_.resize(branches_.size() * n_classes_, 0);
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
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        node.content->with_rows(row_width_, [&](const auto* rows) { count(codes, rows); });
    });
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
            class_weights_[j * n_classes_ + run->label] += share;
            branches_[j].weight += share;
        }
    }
}

template <std::size_t Words>
void SplitMaker<Words>::judge_branches(const Node& node) {
    const bool deepest = node.depth + 1 >= problem_.growth().max_depth;
    for (std::size_t j = 0; j < branches_.size(); ++j) {
        const Weight* by_class = class_weights_.data() + j * n_classes_;
        Branch& branch = branches_[j];
        branch.label = static_cast<Label>(std::max_element(by_class, by_class + n_classes_) - by_class);
        branch.is_leaf = deepest || ranker_.is_leaf(branch.weight, by_class[branch.label] == branch.weight);
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
        rival_least = std::max(rival_least, least_of_strongest_rival(1.0 - most_votes_[own], n_classes_));
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
void SplitMaker<Words>::count_parts(const Node& node, const Ranked& ranked, const Split& split) {
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
TrieSplit<Words>& SplitMaker<Words>::make_children(Node& node, std::uint32_t rank, Split split) {
    for (Branch& branch : branches_) {
        branch.is_settled = branch.n_parts == 0 && (branch.is_leaf || (!keep_unreached_ && branch.n_live == 0));
        if (branch.is_settled)
            split.fixed_error += branch.is_leaf ? branch.leaf_error : branch.whole_weight;
        else
            ++split.n_children;
    }
    if (!empty_parts_.empty()) ++split.n_children;
    split.bound = split.fixed_error;
    std::byte* piece = pool_.allocate<std::byte>(Split::nbytes(split.n_children));
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
        const Weight* by_class = class_weights_.data() + j * n_classes_;
        for (std::size_t k = 0; k < n_classes_; ++k)
            if (by_class[k] > 0) child->classes |= mask_of(static_cast<Label>(k));
        child->n_building = branch.n_known + static_cast<std::uint32_t>(missing_.size());
        child->n_whole = branch.n_whole;
        if (!split.unit_weights || branch.n_parts > 0) {
            child->shares = pool_.allocate<NodeShares>(1);
            *child->shares = {branch.known_weight, nullptr, nullptr};
        }
        child->leaf_error = branch.leaf_error;
        child->whole_weight = branch.whole_weight;
        child->is_leaf = child->expanded = branch.is_leaf;
        child->base_bound = branch.is_leaf ? branch.leaf_error : std::min(branch.base_bound, branch.leaf_error);
        if (branch.n_parts > 0) {
            NodeShares& shares = *child->shares;
            shares.parts = pool_.allocate<Part>(branch.n_parts);
            shares.votes = pool_.allocate<double>(n_classes_);
            const double weight = static_cast<double>(branch.weight) / factor;
            for (std::size_t k = 0; k < n_classes_; ++k)
                shares.votes[k] = by_class[k] > 0 ? static_cast<double>(by_class[k]) / factor / weight : 0.0;
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
        child->shares = pool_.allocate<NodeShares>(1);
        *child->shares = {0, pool_.allocate<Part>(child->n_parts), pool_.allocate<double>(n_classes_)};
        std::ranges::copy(empty_parts_, child->shares->parts);
        std::fill_n(child->shares->votes, n_classes_, 0.0);
        child->shares->votes[node.label] = 1.0;
    }
    if (node.n_parts > 0 || !homeless_.empty()) share_out_parts(node, node.ranking[rank], made);
    return made;
}

/// Fills the parts of the children, with the arithmetic of prediction.cpp: an error found here is one of `predict`.
template <std::size_t Words>
void SplitMaker<Words>::share_out_parts(const Node& node, const Ranked& ranked, Split& split) {
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

template class SplitMaker<1>;
template class SplitMaker<4>;
template class SplitMaker<most_searched_units / 64>;

}  // namespace palmette
