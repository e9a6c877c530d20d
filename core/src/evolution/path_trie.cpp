#include "path_trie.hpp"

#include <algorithm>
#include <utility>

#include "../tree/grown_nodes.hpp"
#include "palmette/evolution/ratio_split.hpp"
#include "palmette/tree/midpoint.hpp"
#include "palmette/tree/partition.hpp"

namespace palmette {

PathEdge& PathTrie::edge_of(PathNode& node, std::uint32_t feature) {
    const auto found = std::ranges::lower_bound(node.edges, feature, {}, [](const auto& one) { return one->feature; });
    if (found != node.edges.end() && (*found)->feature == feature) return **found;
    auto added = std::make_unique<PathEdge>();
    added->feature = feature;
    nbytes_.fetch_add(sizeof(PathEdge), std::memory_order_relaxed);
    return **node.edges.insert(found, std::move(added));
}

PathTrie::PathTrie(const EvolutionProblem& problem, std::uint32_t max_height, std::size_t memory_limit)
    : problem_(problem), block_(problem.dataset), max_height_(max_height), memory_limit_(memory_limit) {
    NodeSamples samples;
    const auto weights = problem.dataset.weights();
    for (std::uint32_t row = 0; row < problem.dataset.n_rows(); ++row) {
        if (!weights.empty() && weights[row] <= 0) continue;
        samples.ids.push_back(row);
        if (!weights.empty()) samples.weights.push_back(weights[row]);
    }
    root_ = new_node(std::move(samples), problem.all_watched(), 1);
}

std::unique_ptr<PathNode> PathTrie::new_node(NodeSamples samples, std::vector<WatchedRows> watched,
                                             std::uint32_t level) {
    auto node = std::make_unique<PathNode>();
    node->totals.compute(block_, samples, problem_.dataset);
    for (std::size_t i = 0; i < watched.size(); ++i)
        node->watched_right[i] = weight_of_label(problem_.watched[i], watched[i], node->totals.majority);
    node->final = node->totals.pure || level >= max_height_;
    std::size_t nbytes = sizeof(PathNode) + node->totals.class_weights.size() * (sizeof(Weight) + 4);
    if (node->final) {
        node->totals.labels = {};
    } else {
        node->samples = std::move(samples);
        node->watched = std::move(watched);
        nbytes += node->samples.ids.size() * (sizeof(std::uint32_t) + sizeof(Label)) +
                  node->samples.weights.size() * sizeof(Weight);
        for (const WatchedRows& rows : node->watched) nbytes += rows.nbytes();
    }
    node->nbytes = nbytes;
    nbytes_.fetch_add(nbytes, std::memory_order_relaxed);
    return node;
}

void PathTrie::make(PathNode& node, PathEdge& edge, std::uint32_t level, RankingScratch& scratch) {
    if (edge.made) return;
    edge.made = true;
    n_made_.fetch_add(1, std::memory_order_relaxed);
    const Dataset& dataset = problem_.dataset;
    const Candidate split = best_ratio_split(dataset, block_, node.samples, node.totals, edge.feature, scratch);
    if (!split.eligible()) return;
    Partition parts(dataset, block_, node.samples, split);
    edge.gain = split.gain;
    edge.lower = parts.lower();
    edge.upper = parts.upper();
    WatchedTest test{edge.feature, problem_.nominal(edge.feature), 0, {}, {}};
    if (!test.nominal) {
        const std::vector<double>& values = problem_.values[edge.feature];
        test.threshold = midpoint(values[edge.lower - 1], values[edge.upper - 1]);
    }
    std::vector<NodeSamples> samples;
    std::vector<Weight> weights;
    for (std::size_t j = 0; j < parts.n_parts(); ++j) {
        edge.codes.push_back(parts.code(j));
        samples.push_back(parts.take(j));
        Weight weight = 0;
        for (const Weight one : samples[j].weights) weight += one;
        if (samples[j].weights.empty()) weight = static_cast<Weight>(samples[j].ids.size()) * dataset.scale().one();
        weights.push_back(weight);
    }
    edge.has_empty_leaf = test.nominal && parts.n_parts() < dataset.column(edge.feature).n_values;
    test.codes = edge.codes;
    test.branch_weights = weights;
    std::vector<std::vector<WatchedRows>> watched(parts.n_parts());
    for (std::size_t i = 0; i < node.watched.size(); ++i) {
        WatchedParts followed = follow(problem_.watched[i], node.watched[i], test);
        for (std::size_t j = 0; j < watched.size(); ++j) watched[j].push_back(std::move(followed.branches[j]));
        edge.right_elsewhere[i] = weight_of_label(problem_.watched[i], followed.elsewhere, node.totals.majority);
    }
    for (std::size_t j = 0; j < samples.size(); ++j)
        edge.children.push_back(new_node(std::move(samples[j]), std::move(watched[j]), level + 1));
}

std::size_t PathTrie::size_of(const PathEdge& edge) const {
    std::size_t nbytes = 0;
    for (const auto& child : edge.children) {
        nbytes += child->nbytes;
        for (const auto& below : child->edges) nbytes += sizeof(PathEdge) + size_of(*below);
    }
    return nbytes;
}

void PathTrie::drop(PathEdge& edge) {
    nbytes_.fetch_sub(size_of(edge), std::memory_order_relaxed);
    edge.children.clear();
    edge.codes.clear();
    edge.made = false;
}

GrownTree PathTrie::tree_of(std::span<const Gene> genes, RankingScratch& scratch) {
    GrownTree tree;
    Arena& arena = tree.new_arena();
    tree.root = arena.make<GrownNode>(1);
    const auto grow = [&](const auto& self, PathNode& node, Position position, std::uint32_t level,
                          GrownNode& grown) -> void {
        grown.describe(node.totals.class_weights, arena);
        const auto gene = std::ranges::lower_bound(genes, position, {}, &Gene::position);
        if (gene == genes.end() || gene->position != position || gene->feature < 0 || node.final) return;
        PathEdge& edge = edge_of(node, static_cast<std::uint32_t>(gene->feature));
        make(node, edge, level, scratch);
        if (edge.children.empty()) return;
        const std::span<GrownNode> children =
            add_split(grown, problem_.dataset, edge.feature, edge.gain, edge.lower, edge.upper, edge.codes, arena);
        for (std::size_t j = 0; j < edge.children.size(); ++j) {
            const Position below = position_of_branch(position, branch_number(edge, j));
            self(self, *edge.children[j], below, level + 1, children[j]);
        }
    };
    grow(grow, *root_, root_position, 1, *tree.root);
    return tree;
}

}  // namespace palmette
