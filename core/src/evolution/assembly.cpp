#include "assembly.hpp"

#include <algorithm>
#include <utility>

#include "../tree/grown_nodes.hpp"
#include "../tree/scores.hpp"
#include "palmette/tree/partition.hpp"

namespace palmette {

/// What one walk down a genome reads and leaves behind.
struct Assembler::Visit {
    const Genome& genome;
    Genome& mended;
    Arena* arena;  // null: no tree is wanted
};

struct Assembler::Outcome {
    bool leaf = true;
    Label label = 0;
    Judgement judgement;
    GrownNode node;  // if a tree is wanted
    std::vector<Weight> class_weights;
};

Assembler::Assembler(const EvolutionProblem& problem, const Stumps& stumps, std::uint32_t max_height)
    : problem_(problem), stumps_(stumps), max_height_(max_height), block_(problem.dataset) {
    const auto weights = problem.dataset.weights();
    for (std::uint32_t row = 0; row < problem.dataset.n_rows(); ++row) {
        if (!weights.empty() && weights[row] <= 0) continue;
        all_.ids.push_back(row);
        if (!weights.empty()) all_.weights.push_back(weights[row]);
    }
}

Assembled Assembler::assemble(const Genome& genome) const {
    Assembled result;
    result.judgement = follow_genes({genome, result.genome, nullptr}, 0, all_, problem_.all_watched(), 1).judgement;
    return result;
}

GrownTree Assembler::tree_of(const Genome& genome) const {
    GrownTree tree;
    Genome mended;
    Arena& arena = tree.new_arena();
    tree.root = arena.make<GrownNode>(1);
    *tree.root = follow_genes({genome, mended, &arena}, 0, all_, problem_.all_watched(), 1).node;
    return tree;
}

Assembler::Outcome Assembler::follow_genes(const Visit& visit, std::size_t place, const NodeSamples& samples,
                                           const std::vector<WatchedRows>& watched, std::uint32_t level) const {
    const Dataset& dataset = problem_.dataset;
    NodeTotals totals;
    totals.compute(block_, samples, dataset);
    Outcome leaf;
    leaf.label = totals.majority;
    leaf.judgement.right = totals.class_weights[totals.majority];
    for (std::size_t i = 0; i < watched.size(); ++i)
        leaf.judgement.watched[i] = weight_of_label(problem_.watched[i], watched[i], totals.majority);
    leaf.class_weights = totals.class_weights;
    if (visit.arena != nullptr) leaf.node.describe(totals.class_weights, *visit.arena);
    const std::size_t mark = visit.mended.size();
    const auto end_as_leaf = [&] {
        visit.mended.resize(mark);
        visit.mended.push_back(-1);
        return leaf;
    };
    if (visit.genome[place] < 0 || totals.pure || level >= max_height_) return end_as_leaf();

    const Stump& stump = stumps_[visit.genome[place]];
    const bool nominal = problem_.nominal(stump.feature);
    std::vector<std::size_t> starts{place + 1};
    while (starts.size() < stump.n_branches) starts.push_back(stumps_.end_of_subtree(visit.genome, starts.back()));
    const auto branch_of = [&](std::uint32_t code) -> std::size_t {
        return nominal ? code - 1 : (code > stump.cut ? 1 : 0);
    };
    std::vector<char> taken(stump.n_branches, 0);
    const Column& column = dataset.column(stump.feature);
    for (const std::uint32_t id : samples.ids)
        if (const std::uint32_t code = column.codes[id]; code != 0) taken[branch_of(code)] = 1;
    const auto n_taken = std::ranges::count(taken, 1);
    if (n_taken == 0) return end_as_leaf();
    if (n_taken == 1) {
        const auto only = static_cast<std::size_t>(std::ranges::find(taken, 1) - taken.begin());
        return follow_genes(visit, starts[only], samples, watched, level);
    }

    Candidate split;
    split.slot = split.feature = stump.feature;
    split.cut = stump.cut;
    Partition parts(dataset, block_, samples, split);
    std::vector<NodeSamples> below;
    std::vector<Weight> weights;
    std::vector<std::uint32_t> codes;
    for (std::size_t j = 0; j < parts.n_parts(); ++j) {
        below.push_back(parts.take(j));
        codes.push_back(parts.code(j));
        NodeTotals part;
        part.compute(block_, below[j], dataset);
        weights.push_back(part.weight);
    }
    std::vector<std::vector<WatchedRows>> watched_below(below.size());
    Outcome outcome = leaf;
    outcome.leaf = false;
    Judgement& sum = outcome.judgement;
    sum = Judgement{};
    for (std::size_t i = 0; i < watched.size(); ++i) {
        WatchedParts followed =
            follow(problem_.watched[i], watched[i], {stump.feature, nominal, stump.threshold, codes, weights});
        for (std::size_t j = 0; j < below.size(); ++j) watched_below[j].push_back(std::move(followed.branches[j]));
        sum.watched[i] = weight_of_label(problem_.watched[i], followed.elsewhere, totals.majority);
    }
    sum.n_nodes += below.size() < stump.n_branches ? 1 : 0;  // the empty leaf of categories without samples

    visit.mended.push_back(visit.genome[place]);
    const Entropy<WeightCounts> entropy(dataset);
    const std::size_t n_classes = dataset.n_classes();
    std::int64_t gain = -entropy.score(totals.weight, totals.class_weights.data(), n_classes);
    std::vector<Outcome> outcomes;
    std::size_t next = 0;
    for (std::size_t branch = 0; branch < stump.n_branches; ++branch) {
        if (taken[branch] == 0) {
            visit.mended.push_back(-1);
            continue;
        }
        outcomes.push_back(follow_genes(visit, starts[branch], below[next], watched_below[next], level + 1));
        const Outcome& child = outcomes.back();
        gain += entropy.score(weights[next], child.class_weights.data(), n_classes);
        sum.right += child.judgement.right;
        sum.n_nodes += child.judgement.n_nodes;
        sum.height = std::max(sum.height, 1 + child.judgement.height);
        for (std::size_t i = 0; i < most_watched; ++i) sum.watched[i] += child.judgement.watched[i];
        ++next;
    }
    if (std::ranges::all_of(outcomes, [&](const Outcome& one) { return one.leaf && one.label == outcomes[0].label; }))
        return end_as_leaf();
    if (visit.arena != nullptr) {
        const std::span<GrownNode> children =
            add_split(outcome.node, dataset, stump.feature, std::max<std::int64_t>(gain, 0), stump.lower, stump.upper,
                      codes, *visit.arena);
        for (std::size_t j = 0; j < outcomes.size(); ++j) children[j] = outcomes[j].node;
    }
    return outcome;
}

}  // namespace palmette
