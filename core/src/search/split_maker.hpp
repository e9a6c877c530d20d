// SplitMaker: the split of a node on one feature, with the errors and bounds of its branches.
//
// One counting pass over the samples of the node; no row is copied. A branch in which nothing is left to find out gets
// no child: its errors are known. Classes are numbered among those of the node: there are few of them where nodes are
// many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "node_pool.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/tree/ranking.hpp"
#include "search_samples.hpp"
#include "trie_node.hpp"

namespace palmette {

template <std::size_t Words>
class SplitMaker {
  public:
    using Node = TrieNode<Words>;
    using Split = TrieSplit<Words>;

    /// With `keep_unreached`, branches that no search sample reaches get a child too (rule P2 is off).
    SplitMaker(const SearchProblem& problem, std::span<const SearchSamples> samples, bool keep_unreached,
               const Ranker& ranker, NodePool& pool);

    /// The split on the feature at `rank` of an expanded node, in memory of the pool. With `hand_out`, the parts of the
    /// node, which must have its own, go to the children.
    Split& make(Node& node, std::uint32_t rank, bool hand_out);
    /// Hands out the parts of the node to the children of a split that was made without.
    void hand_out_parts(Node& node, std::uint32_t rank);

  private:
    using Ranked = RankedFeature<Words>;
    using Content = NodeContent<Words>;

    /// A branch of a split in the making.
    struct Branch {
        std::uint32_t code;
        std::uint32_t n_known;
        Weight known_weight;
        Weight weight;
        Label label;
        bool is_leaf;
        bool is_settled;  // nothing is left to find out about whole samples: no child
        std::uint32_t n_whole, n_live, n_parts;
        ErrorWeight leaf_error, base_bound, whole_weight;
    };

    [[nodiscard]] Split count(const Node& node, const Ranked& ranked);
    void forget(const Ranked& ranked);
    void number_classes(const Node& node);
    template <class Code, class Row, class Use>
    bool count_codes(std::uint32_t n_values, const Code* codes, std::span<const Row> rows, Use use);
    void count_building(const Node& node, const Ranked& ranked, const Split& split);
    void share_out_missing(const Node& node);
    void judge_branches(const Node& node);
    void count_search(const Node& node, const Ranked& ranked, Split& split);
    void settle_homeless(const Node& node, Split& split);
    Split& make_children(Node& node, std::uint32_t rank, Split split);
    void start_child(Node& child, Node& node, std::uint32_t rank) const;
    void start_child(Node& child, Node& node, std::uint32_t rank, std::size_t place) const;
    void count_parts(const Node& node, const Ranked& ranked, const Split& split);
    void add_parts(Node& node, std::uint32_t rank, Split& split);
    void make_room_for_parts(Node& child, std::size_t place);
    void share_out_parts(const Node& node, const Ranked& ranked, Split& split);
    [[nodiscard]] const Weight* weights_of(std::size_t place) const {
        return class_weights_.data() + place * present_.size();
    }
    void add_branch(std::uint32_t code);
    [[nodiscard]] std::uint32_t branch_of(const Column& column, const Split& split, std::uint32_t code) const;

    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    static constexpr Label absent = 0xffff;

    const SearchProblem& problem_;
    const Dataset& dataset_;
    std::span<const SearchSamples> samples_;
    bool keep_unreached_;
    const Ranker& ranker_;
    NodePool& pool_;
    std::size_t n_classes_;
    std::size_t row_width_;
    std::vector<std::uint8_t> has_missing_;  // by feature

    // Scratch of one split.
    std::vector<std::uint32_t> missing_;  // positions of building samples without a value
    std::vector<Branch> branches_;
    std::vector<Label> present_;         // the classes of the node's building samples, ascending
    std::vector<Label> number_of_;       // by class: its place among them, or `absent`
    std::vector<Weight> class_weights_;  // branches × classes that are present
    std::vector<Weight> unsorted_;
    std::vector<Weight> shares_of_one_;         // by branch: what a missing sample that weighs one brings
    std::vector<std::uint32_t> count_of_code_;  // zeros between two uses
    std::vector<std::uint32_t> branch_of_code_;
    std::vector<double> least_votes_, most_votes_;
    std::vector<Part> homeless_;     // parts, and samples that become parts, whose value is missing
    std::vector<Part> empty_parts_;  // parts that come to a category without building samples
};

}  // namespace palmette
