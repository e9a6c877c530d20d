// Branches: the samples of a node on their way to the branches of a split.
//
// One worker makes one split at a time, so a worker has one of these and its memory is used again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "elimination_node.hpp"
#include "palmette/search/problem.hpp"
#include "palmette/tree/ranking.hpp"
#include "search_samples.hpp"

namespace palmette::elimination {

inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// What all nodes of a trie have in common.
struct Surroundings {
    const SearchProblem& problem;
    const Dataset& dataset;  // in the order of the trie
    const Ranker& ranker;
    std::vector<SearchRows> search;         // by fold
    std::vector<std::uint8_t> has_missing;  // by feature
};

/// Says that samples follow after `n_before` others. The end of the last run is left to be told.
void begin_run(std::vector<Run>& runs, Label label, Weight weight, std::uint32_t n_before);

class Branches {
  public:
    struct Branch {
        std::uint32_t code;
        std::uint32_t begin, n_building;  // in `rows`
        std::uint32_t run;                // of the node, that its last sample is of
        std::uint32_t begin_whole, n_whole, n_live, n_parts;
        Weight known_weight, weight;
        Label label;
        bool is_leaf, is_settled;
        ErrorWeight leaf_error, whole_weight;
    };
    std::vector<Branch> list;            // in order of code
    std::vector<std::vector<Run>> runs;  // of the building samples, by branch
    std::vector<std::uint32_t> rows, whole_rows;
    std::vector<Weight> class_weights;  // branches × classes
    std::vector<std::uint32_t> whole_counts;
    std::vector<Part> homeless, empty_parts;  // parts that go down every branch, and those that fall into an empty one
    std::vector<std::uint32_t> homeless_whole;

    /// Hands out the samples of the node by its split; tells the split what is fixed and how many children it needs.
    void part(const Surroundings& around, const Node& node, Split& split);

  private:
    void add(std::uint32_t code);
    void part_by_cut(const Node& node, const Column& column, std::uint32_t cut);
    void part_by_value(const Node& node, const Column& column, std::uint32_t cut);
    void judge(const Surroundings& around, const Node& node);
    void send_by_cut(const Surroundings& around, const Node& node, const Column& column, std::uint32_t cut);
    void send_by_value(const Surroundings& around, const Node& node, const Column& column, Split& split);
    void sum_up(std::size_t n_classes);
    void settle(Split& split);

    std::vector<std::uint32_t> missing_rows_, places_, next_;
    std::vector<std::uint32_t> branch_of_code_;
    std::vector<ErrorWeight> whole_weights_;
};

}  // namespace palmette::elimination
