#include "trie.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace palmette {

template <std::size_t Words>
template <class Visit>
void Trie<Words>::for_each_row(const Node& node, std::size_t begin, std::size_t end, Visit visit) const {
    if (row_width_ == 2) {
        const auto* rows = static_cast<const std::uint16_t*>(node.rows);
        for (std::size_t i = begin; i < end; ++i) visit(i, std::uint32_t{rows[i]});
    } else {
        const auto* rows = static_cast<const std::uint32_t*>(node.rows);
        for (std::size_t i = begin; i < end; ++i) visit(i, rows[i]);
    }
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

    roots_.resize(problem.folds().size());
    for (std::size_t fold = 0; fold < roots_.size(); ++fold) {
        Node& root = roots_[fold];
        root = Node{};
        root.fold = static_cast<std::uint16_t>(fold);
        gathered_.ids = problem.folds()[fold].building;
        gathered_.weights.clear();
        if (!dataset_.weights().empty())
            for (const std::uint32_t row : gathered_.ids) gathered_.weights.push_back(dataset_.weights()[row]);
        gathered_whole_ = samples[fold].rows;
        totals_.compute(block_, gathered_, dataset_);
        root.label = totals_.majority;
        root.is_leaf = ranker_.is_leaf(totals_) || problem.growth().max_depth == 0;
        root.expanded = root.is_leaf;
        for (const std::uint32_t row : gathered_whole_) {
            const ErrorWeight weight = samples[fold].weight_of[row];
            const Label label = dataset_.labels()[row];
            const Label majority = samples[fold].group_majority[row];
            root.whole_weight += weight;
            if (label != root.label) root.leaf_error += weight;
            if (totals_.class_weights[label] == 0 || (majority != label && totals_.class_weights[majority] > 0))
                root.base_bound += weight;
        }
        root.base_bound = std::min(root.base_bound, root.leaf_error);
        store(root);
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit) root.alive.insert(unit);
    }
}

/// Puts the gathered samples into the node's own memory.
template <std::size_t Words>
void Trie<Words>::store(Node& node) {
    node.n_building = static_cast<std::uint32_t>(gathered_.ids.size());
    node.n_whole = static_cast<std::uint32_t>(gathered_whole_.size());
    node.rows = pool_.template allocate<std::byte>(row_bytes(node));
    const auto copy = [&](auto* out) {
        using Row = std::remove_pointer_t<decltype(out)>;
        for (const std::uint32_t row : gathered_.ids) *out++ = static_cast<Row>(row);
        for (const std::uint32_t row : gathered_whole_) *out++ = static_cast<Row>(row);
    };
    if (row_width_ == 2)
        copy(static_cast<std::uint16_t*>(node.rows));
    else
        copy(static_cast<std::uint32_t*>(node.rows));
    node.weights = nullptr;
    if (!gathered_.weights.empty()) {
        node.weights = pool_.template allocate<Weight>(node.n_building);
        std::ranges::copy(gathered_.weights, node.weights);
    }
}

/// The samples of a node out of its parent's, as Partition would hand them out.
template <std::size_t Words>
void Trie<Words>::gather(const Node& node) {
    const Node& parent = *node.parent;
    const Ranked& ranked = parent.ranking[node.rank];
    const Split& split = *ranked.split;
    const Column& column = dataset_.column(ranked.feature);
    const bool continuous = column.kind == FeatureKind::continuous;
    gathered_.ids.clear();
    gathered_.weights.clear();
    gathered_whole_.clear();
    missing_.clear();
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        const auto select = [&](auto belongs) {
            if (split.unit_weights) {
                for_each_row(parent, 0, parent.n_building, [&](std::size_t, std::uint32_t row) {
                    if (belongs(std::uint32_t{codes[row]})) gathered_.ids.push_back(row);
                });
            } else {
                const Weight one = dataset_.scale().one();
                for_each_row(parent, 0, parent.n_building, [&](std::size_t i, std::uint32_t row) {
                    const std::uint32_t code = codes[row];
                    if (code == 0) {
                        missing_.push_back(static_cast<std::uint32_t>(i));
                    } else if (belongs(code)) {
                        gathered_.ids.push_back(row);
                        gathered_.weights.push_back(parent.weights != nullptr ? parent.weights[i] : one);
                    }
                });
                for (const std::uint32_t i : missing_) {
                    const Weight whole = parent.weights != nullptr ? parent.weights[i] : one;
                    const Weight share = share_of_weight(whole, node.known_weight, split.known_weight);
                    if (share == 0) continue;
                    for_each_row(parent, i, i + 1,
                                 [&](std::size_t, std::uint32_t row) { gathered_.ids.push_back(row); });
                    gathered_.weights.push_back(share);
                }
            }
            for_each_row(parent, parent.n_building, std::size_t{parent.n_building} + parent.n_whole,
                         [&](std::size_t, std::uint32_t row) {
                             if (belongs(std::uint32_t{codes[row]})) gathered_whole_.push_back(row);
                         });
        };
        if (!continuous)
            select([branch = node.branch](std::uint32_t code) { return code == branch; });
        else if (node.branch == 0)
            select([cut = ranked.cut](std::uint32_t code) { return code - 1 < cut; });  // 0, missing, wraps around
        else
            select([cut = ranked.cut](std::uint32_t code) { return code > cut; });
    });
}

template <std::size_t Words>
bool Trie<Words>::expand(Node& node) {
    if (node.expanded) return true;
    if (budget_.spent()) return false;
    ++n_expansions_;
    if (node.parent != nullptr) {
        gather(node);
        store(node);
        // P1: whoever comes here holds none of the features ranked before the edge taken.
        node.alive = node.parent->alive;
        for (std::uint32_t i = 0; i < node.rank; ++i) node.alive.erase(node.parent->ranking[i].unit);
    } else {
        const std::size_t n = node.n_building;
        gathered_.ids.clear();
        for_each_row(node, 0, n, [&](std::size_t, std::uint32_t row) { gathered_.ids.push_back(row); });
        gathered_.weights.assign(node.weights, node.weights + (node.weights != nullptr ? n : 0));
    }
    totals_.compute(block_, gathered_, dataset_);
    candidates_.clear();
    const Set alive = node.alive;
    alive.for_each([&](std::size_t unit) {
        Candidate best;
        bool constant = true;
        for (const std::uint32_t feature : problem_.features_of(unit)) {
            if (budget_.spent()) return;
            const Candidate candidate = ranker_.evaluate(block_, gathered_, totals_, feature, ranking_scratch_);
            constant = constant && candidate.constant;
            // Of the features of a unit only the first in the ranking can ever be chosen.
            if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        }
        if (constant) node.alive.erase(unit);
        if (best.eligible()) candidates_.push_back(best);
    });
    work_ += (alive.size() + 4) * (gathered_.ids.size() + 16);
    if (budget_.spent()) {  // the ranking may be incomplete
        if (node.parent != nullptr) release_contents(node);
        node.alive = alive;
        return false;
    }
    std::ranges::sort(candidates_, ranks_before);
    node.n_ranked = static_cast<std::uint32_t>(candidates_.size());
    node.ranking = pool_.template allocate<Ranked>(candidates_.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& candidate = candidates_[i];
        node.ranking[i] = {candidate.feature, problem_.unit_of(candidate.feature), candidate.cut, nullptr};
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
    count_building(node, ranked);
    Split split;
    split.unit_weights = node.weights == nullptr && missing_.empty();
    for (Branch& branch : branches_) split.known_weight += branch.known_weight;
    if (!missing_.empty()) share_out_missing(node);
    judge_branches(node);
    count_search(node, ranked, split);
    make_children(node, rank, split);
    for (const Branch& branch : branches_)
        if (branch.code < branch_of_code_.size()) branch_of_code_[branch.code] = nowhere;
    // Last, so that a failed allocation leaves the node as it was.
    ranked.split = pool_.template allocate<Split>(1);
    *ranked.split = split;
    return *ranked.split;
}

/// The branches that hold building samples, in order of their codes, with their class weights.
template <std::size_t Words>
void Trie<Words>::count_building(const Node& node, Ranked& ranked) {
    const Column& column = dataset_.column(ranked.feature);
    const Label* labels = dataset_.labels().data();
    const Weight one = dataset_.scale().one();
    const auto weight_of = [&](std::size_t i) { return node.weights != nullptr ? node.weights[i] : one; };
    if (column.kind == FeatureKind::continuous) {
        branches_.resize(2);
        branches_[0] = Branch{};
        branches_[1] = Branch{};
        branches_[1].code = 1;
        class_weights_.assign(2 * n_classes_, 0);
        // The neighbours of the cut among the samples here; the cut itself may lie between them.
        std::uint32_t lower = 0, upper = std::numeric_limits<std::uint32_t>::max();
        visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
            for_each_row(node, 0, node.n_building, [&](std::size_t i, std::uint32_t row) {
                const std::uint32_t code = codes[row];
                if (code == 0) {
                    missing_.push_back(static_cast<std::uint32_t>(i));
                    return;
                }
                const std::size_t side = code > ranked.cut ? 1 : 0;
                if (side == 1)
                    upper = std::min(upper, code);
                else
                    lower = std::max(lower, code);
                class_weights_[side * n_classes_ + labels[row]] += weight_of(i);
                ++branches_[side].n_known;
            });
        });
        ranked.cut = problem_.cut_code(node.fold, ranked.feature, lower, upper);
    } else {
        class_weights_.clear();
        visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
            for_each_row(node, 0, node.n_building, [&](std::size_t i, std::uint32_t row) {
                const std::uint32_t code = codes[row];
                if (code == 0) {
                    missing_.push_back(static_cast<std::uint32_t>(i));
                    return;
                }
                std::uint32_t& place = branch_of_code_[code];
                if (place == nowhere) {
                    place = static_cast<std::uint32_t>(branches_.size());
                    branches_.push_back(Branch{});
                    branches_.back().code = code;
                    class_weights_.resize(class_weights_.size() + n_classes_, 0);
                }
                class_weights_[place * n_classes_ + labels[row]] += weight_of(i);
                ++branches_[place].n_known;
            });
        });
        // In order of code, as a tree has them.
        if (!std::ranges::is_sorted(branches_, {}, &Branch::code)) {
            std::vector<Weight> unsorted = class_weights_;
            std::ranges::sort(branches_, {}, &Branch::code);
            for (std::uint32_t j = 0; j < branches_.size(); ++j) {
                const std::uint32_t from = std::exchange(branch_of_code_[branches_[j].code], j);
                std::copy_n(unsorted.data() + from * n_classes_, n_classes_, class_weights_.data() + j * n_classes_);
            }
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
    const Label* labels = dataset_.labels().data();
    const Weight one = dataset_.scale().one();
    Weight known_weight = 0;
    for (const Branch& branch : branches_) known_weight += branch.known_weight;
    for (const std::uint32_t i : missing_) {
        const Weight whole = node.weights != nullptr ? node.weights[i] : one;
        for_each_row(node, i, i + 1, [&](std::size_t, std::uint32_t row) {
            for (std::size_t j = 0; j < branches_.size(); ++j) {
                const Weight share = share_of_weight(whole, branches_[j].known_weight, known_weight);
                class_weights_[j * n_classes_ + labels[row]] += share;
                branches_[j].weight += share;
            }
        });
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
std::uint32_t Trie<Words>::branch_of(const Column& column, const Ranked& ranked, std::uint32_t code) const {
    if (column.kind == FeatureKind::continuous) return code > ranked.cut ? 1 : 0;
    return branch_of_code_[code];
}

/// Errors and bounds of the branches, and the parts of samples that come to each.
template <std::size_t Words>
void Trie<Words>::count_search(const Node& node, const Ranked& ranked, Split& split) {
    const Column& column = dataset_.column(ranked.feature);
    const SearchSamples& samples = samples_[node.fold];
    const Label* labels = dataset_.labels().data();
    bool totals_known = false;
    const auto absent_here = [&](Label label) {
        if (!totals_known) {
            node_class_weights_.assign(n_classes_, 0);
            for (std::size_t j = 0; j < branches_.size(); ++j)
                for (std::size_t k = 0; k < n_classes_; ++k)
                    node_class_weights_[k] += class_weights_[j * n_classes_ + k];
            for (const std::uint32_t i : missing_)
                for_each_row(node, i, i + 1,
                             [&](std::size_t, std::uint32_t row) { node_class_weights_[labels[row]] += 1; });
            totals_known = true;
        }
        return node_class_weights_[label] == 0;
    };
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        for_each_row(node, node.n_building, std::size_t{node.n_building} + node.n_whole,
                     [&](std::size_t, std::uint32_t row) {
                         const ErrorWeight weight = samples.weight_of[row];
                         const Label label = labels[row];
                         const std::uint32_t code = codes[row];
                         if (code == 0) {
                             // A class that no building sample here has wins in no leaf below: a sure error.
                             if (absent_here(label))
                                 split.fixed_error += weight;
                             else
                                 homeless_.push_back({samples.number_of[row], 1.0});
                             return;
                         }
                         const std::uint32_t place = branch_of(column, ranked, code);
                         if (place == nowhere) {
                             if (label != node.label) split.fixed_error += weight;
                             return;
                         }
                         Branch& branch = branches_[place];
                         const Weight* by_class = class_weights_.data() + place * n_classes_;
                         ++branch.n_whole;
                         branch.whole_weight += weight;
                         if (label != branch.label) branch.leaf_error += weight;
                         const Label majority = samples.group_majority[row];
                         if (by_class[label] == 0) {
                             branch.base_bound += weight;
                         } else {
                             ++branch.n_live;
                             if (majority != label && by_class[majority] > 0) branch.base_bound += weight;
                         }
                     });
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            const Part& part = node.parts[i];
            const std::uint32_t row = samples.rows[part.sample - samples.first_number];
            const std::uint32_t code = codes[row];
            if (code == 0) {
                homeless_.push_back(part);
                continue;
            }
            const std::uint32_t place = branch_of(column, ranked, code);
            if (place == nowhere)
                empty_parts_.push_back(part);
            else
                ++branches_[place].n_parts;
        }
    });
    if (!homeless_.empty())
        for (Branch& branch : branches_)
            branch.n_parts += static_cast<std::uint32_t>(homeless_.size());
}

/// Keeps the branches in which something is left to find out; the errors of the others are known (P2).
template <std::size_t Words>
void Trie<Words>::make_children(Node& node, std::uint32_t rank, Split& split) {
    for (Branch& branch : branches_) {
        branch.is_settled = branch.n_parts == 0 && (branch.is_leaf || (!keep_unreached_ && branch.n_live == 0));
        if (branch.is_settled)
            split.fixed_error += branch.is_leaf ? branch.leaf_error : branch.whole_weight;
        else
            ++split.n_children;
    }
    if (!empty_parts_.empty()) ++split.n_children;
    split.bound = split.fixed_error;
    if (split.n_children == 0) return;

    split.children = pool_.template allocate<Node>(split.n_children);
    Node* child = split.children;
    const auto start = [&](Node& made) {
        made = Node{};
        made.parent = &node;
        made.rank = rank;
        made.depth = node.depth + 1;
        made.fold = node.fold;
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
        child->known_weight = branch.known_weight;
        child->leaf_error = branch.leaf_error;
        child->whole_weight = branch.whole_weight;
        child->is_leaf = child->expanded = branch.is_leaf;
        child->base_bound = branch.is_leaf ? branch.leaf_error : std::min(branch.base_bound, branch.leaf_error);
        if (branch.n_parts > 0) {
            child->parts = pool_.template allocate<Part>(branch.n_parts);
            child->votes = pool_.template allocate<double>(n_classes_);
            const Weight* by_class = class_weights_.data() + j * n_classes_;
            const double weight = static_cast<double>(branch.weight) / factor;
            for (std::size_t k = 0; k < n_classes_; ++k)
                child->votes[k] = static_cast<double>(by_class[k]) / factor / weight;
        }
        split.bound += child->base_bound;
        ++child;
    }
    if (!empty_parts_.empty()) {
        start(*child);
        child->branch = nowhere;
        child->label = node.label;
        child->is_leaf = child->expanded = true;
        child->n_parts = static_cast<std::uint32_t>(empty_parts_.size());
        child->parts = pool_.template allocate<Part>(child->n_parts);
        std::ranges::copy(empty_parts_, child->parts);
        child->votes = pool_.template allocate<double>(n_classes_);
        std::fill_n(child->votes, n_classes_, 0.0);
        child->votes[node.label] = 1.0;
    }
    share_out_parts(node, node.ranking[rank], split);
}

/// Fills the parts of the children, with the arithmetic of prediction.cpp: an error found here is one of `predict`.
template <std::size_t Words>
void Trie<Words>::share_out_parts(const Node& node, const Ranked& ranked, Split& split) {
    if (node.n_parts == 0 && homeless_.empty()) return;
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
        if (child.parts == nullptr) continue;
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            const Part& part = node.parts[i];
            const std::uint32_t code = column.codes[samples.rows[part.sample - samples.first_number]];
            if (code != 0 && branch_of(column, ranked, code) == j) child.parts[child.n_parts++] = part;
        }
        const double fraction = static_cast<double>(branch.weight) / factor / weight_below;
        for (const Part& part : homeless_) child.parts[child.n_parts++] = {part.sample, part.share * fraction};
    }
}

template <std::size_t Words>
void Trie<Words>::release_contents(Node& node) {
    pool_.release(node.ranking, node.n_ranked);
    pool_.release(static_cast<std::byte*>(node.rows), row_bytes(node));
    if (node.weights != nullptr) pool_.release(node.weights, node.n_building);
    pool_.release(node.memo, 1);
    node.ranking = nullptr;
    node.rows = nullptr;
    node.weights = nullptr;
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
                if (child.ranking[i].split != nullptr) splits.push_back(child.ranking[i].split);
            if (child.parts != nullptr) {
                pool_.release(child.parts, child.n_parts);
                pool_.release(child.votes, n_classes_);
            }
            release_contents(child);
        }
        pool_.release(split->children, split->n_children);
        pool_.release(split, 1);
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
template class Trie<3>;
template class Trie<8>;
template class Trie<most_searched_units / 64>;

}  // namespace palmette
