#include "palmette/search/paper_votes.hpp"

#include <algorithm>

namespace palmette::paper {

template <std::size_t Words>
double SharedVotes<Words>::descend(std::span<const Entry<Words>> entries, std::size_t start, std::uint32_t row,
                                   const FeatureSet<Words>* kept) {
    const Dataset& dataset = problem_->dataset();
    std::ranges::fill(votes_, 0.0);
    double undecided = 0.0;
    stack_.push_back({start, 1.0});
    while (!stack_.empty()) {
        const auto [at, share] = stack_.back();
        stack_.pop_back();
        const Entry<Words>& entry = entries[at];
        const Node& node = *entry.node;
        if (entry.is_leaf()) {
            for (std::size_t k = 0; k < votes_.size(); ++k) votes_[k] += share * node.votes[k];
            continue;
        }
        if (kept != nullptr && !kept->contains(static_cast<std::size_t>(entry.unit))) {
            undecided += share;
            continue;
        }
        children_.clear();
        for (std::size_t j = 0, child = at + 1; j < node.n_children; child += entries[child].size, ++j)
            children_.push_back(child);

        const std::uint32_t code = dataset.column(node.feature).codes[row];
        if (code == 0) {
            double weight_below = 0.0;
            const auto weight_of = [&](std::size_t child) {
                return dataset.scale().to_double(entries[child].node->weight);
            };
            for (const std::size_t child : children_) weight_below += weight_of(child);
            // Pushed last to first, so that the leftmost leaves vote first.
            for (std::size_t j = children_.size(); j-- > 0;)
                stack_.push_back({children_[j], share * (weight_of(children_[j]) / weight_below)});
        } else if (node.kind == FeatureKind::continuous) {
            stack_.push_back({children_[code <= node.cut ? 0 : 1], share});
        } else if (const auto found = std::ranges::lower_bound(node.codes, code);
                   found != node.codes.end() && *found == code) {
            stack_.push_back({children_[static_cast<std::size_t>(found - node.codes.begin())], share});
        } else {
            votes_[node.label] += share;
        }
    }
    return undecided;
}

template <std::size_t Words>
bool SharedVotes<Words>::another_wins(Label own) const noexcept {
    return std::ranges::max_element(votes_) - votes_.begin() != own;
}

template <std::size_t Words>
bool SharedVotes<Words>::errs(std::span<const Entry<Words>> entries, std::size_t start, std::uint32_t row) {
    descend(entries, start, row, nullptr);
    return another_wins(problem_->dataset().labels()[row]);
}

template <std::size_t Words>
bool SharedVotes<Words>::must_err(std::span<const Entry<Words>> entries, std::size_t start, std::uint32_t row,
                                  const FeatureSet<Words>& kept) {
    // The votes of another tree are sums in another order: a lead within rounding is no lead.
    constexpr double rounding = 1e-9;
    const Label own = problem_->dataset().labels()[row];
    const double undecided = descend(entries, start, row, &kept);
    if (undecided == 0.0) return another_wins(own);
    votes_[own] += undecided + rounding;
    return *std::ranges::max_element(votes_) > votes_[own];
}

template class SharedVotes<1>;
template class SharedVotes<4>;
template class SharedVotes<most_searched_units / 64>;

}  // namespace palmette::paper
