// Walk: the tree of one subset, read off the trie, and its error on the search sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trie.hpp"

namespace palmette {

template <std::size_t Words>
class Walk {
  public:
    using Set = FeatureSet<Words>;
    using Node = typename Trie<Words>::Node;

    explicit Walk(Trie<Words>& trie) : trie_(trie), n_classes_(trie.problem().dataset().n_classes()) {}

    struct Found {
        ErrorWeight error = 0;
        Set used;  // units that the part of the tree that search samples reach tests
    };

    /// Empty if the budget ended it.
    std::optional<Found> operator()(const Set& allowed) {
        Found found;
        sequence_.clear();
        for (Node& root : trie_.roots()) {
            stack_.assign(1, &root);
            while (!stack_.empty()) {
                Node& node = *stack_.back();
                stack_.pop_back();
                if (!trie_.expand(node)) return forget();
                std::uint32_t rank = 0;
                while (rank < node.n_ranked && !allowed.contains(node.ranking[rank].unit)) ++rank;
                if (rank == node.n_ranked) {
                    found.error += node.leaf_error;
                    vote(node);
                    continue;
                }
                found.used.insert(node.ranking[rank].unit);
                const auto& split = trie_.split_with_parts(node, rank);
                found.error += split.fixed_error;
                split.for_each_child_from_right([&](Node& child) { stack_.push_back(&child); });
            }
        }
        found.error += errors_of_split_samples();
        return found;
    }

  private:
    std::optional<Found> forget() {
        errors_of_split_samples();
        return std::nullopt;
    }

    /// Leaves come leftmost first, so the sums are those of `predict`, bit for bit.
    void vote(const Node& node) {
        if (node.n_parts == 0) return;
        const SearchSamples& samples = trie_.samples()[node.fold];
        if (votes_.empty()) {
            const SearchSamples& last = trie_.samples().back();
            votes_.assign((last.first_number + last.rows.size()) * n_classes_, 0.0);
        }
        for (std::uint32_t i = 0; i < node.n_parts; ++i) {
            const Part& part = node.shares->parts[i];
            double* votes = votes_.data() + part.sample * n_classes_;
            for (std::size_t k = 0; k < n_classes_; ++k) votes[k] += part.share * node.shares->votes[k];
            const std::uint32_t row = samples.rows[part.sample - samples.first_number];
            sequence_.push_back({part.sample, trie_.problem().dataset().labels()[row], samples.weight_of[row]});
        }
    }

    /// Clears the votes on the way: each sample is judged at its first occurrence.
    ErrorWeight errors_of_split_samples() {
        ErrorWeight error = 0;
        for (const Voter& voter : sequence_) {
            double* votes = votes_.data() + voter.sample * n_classes_;
            const double* greatest = std::max_element(votes, votes + n_classes_);
            if (*greatest == 0) continue;
            if (greatest - votes != static_cast<std::ptrdiff_t>(voter.label)) error += voter.weight;
            std::fill_n(votes, n_classes_, 0.0);
        }
        sequence_.clear();
        return error;
    }

    struct Voter {
        std::uint32_t sample;
        Label label;
        ErrorWeight weight;
    };

    Trie<Words>& trie_;
    std::size_t n_classes_;
    std::vector<Node*> stack_;
    std::vector<double> votes_;
    std::vector<Voter> sequence_;
};

}  // namespace palmette
