#include "sampler.hpp"

#include <algorithm>
#include <utility>

namespace palmette {
namespace {

/// So many tasks for each worker, that the last ones to finish leave nobody idle for long.
constexpr std::size_t tasks_per_worker = 8;

}  // namespace

Sampler::Sampler(PathTrie& trie, WorkerPool& pool, Budget& budget)
    : trie_(trie), pool_(pool), budget_(budget), scratch_(pool.size()), emitted_(pool.size()) {
    PathNode& root = trie.root();
    if (root.final) return;
    const std::size_t n_features = trie.problem().dataset.n_features();
    std::vector<PathEdge*> edges;
    for (std::uint32_t feature = 0; feature < n_features; ++feature) edges.push_back(&trie.edge_of(root, feature));
    std::vector<char> splits(n_features, 0);
    std::atomic<bool> some{false};
    pool.run(n_features, [&](std::size_t worker, std::size_t feature) {
        // One feature is found whatever is left of the budget: the root is no leaf.
        if (budget_.check_deadline() && some.load(std::memory_order_relaxed)) return;
        trie_.make(root, *edges[feature], 1, scratch_[worker]);
        splits[feature] = !edges[feature]->children.empty();
        if (splits[feature] != 0) some.store(true, std::memory_order_relaxed);
        if (trie_.too_large()) trie_.drop(*edges[feature]);
    });
    for (std::uint32_t feature = 0; feature < n_features; ++feature)
        if (splits[feature] != 0) root_features_.push_back(feature);
}

Sampler::Outcome Sampler::leaf_of(const PathNode& node) {
    Outcome leaf;
    leaf.label = node.totals.majority;
    leaf.judgement.right = node.right();
    leaf.judgement.watched = node.watched_right;
    return leaf;
}

std::int32_t Sampler::draw(Position position, std::uint32_t level, std::uint32_t individual) const {
    RandomStream stream = streams_[individual].child(position);
    if (level > 1 || !distribution_->uniform()) return distribution_->draw(position, stream);
    return root_features_.empty() ? -1 : static_cast<std::int32_t>(root_features_[stream.below(root_features_.size())]);
}

std::vector<Sampler::Group> Sampler::draw_groups(PathNode& node, Position position, std::uint32_t level,
                                                 std::span<const std::uint32_t> who, std::span<Outcome> outcomes) {
    const Outcome leaf = leaf_of(node);
    std::vector<std::pair<std::int32_t, std::uint32_t>> drawn;
    const bool stopped = level > 1 && budget_.check_deadline();
    for (std::uint32_t place = 0; place < who.size(); ++place) {
        const std::int32_t feature = node.final || stopped ? -1 : draw(position, level, who[place]);
        if (feature < 0)
            outcomes[place] = leaf;
        else
            drawn.emplace_back(feature, place);
    }
    std::ranges::sort(drawn);
    std::vector<Group> groups;
    for (const auto& [feature, place] : drawn) {
        if (groups.empty() || groups.back().edge->feature != static_cast<std::uint32_t>(feature)) {
            Group& group = groups.emplace_back();
            group.node = &node;
            group.edge = &trie_.edge_of(node, static_cast<std::uint32_t>(feature));
            group.position = position;
            group.level = level;
        }
        groups.back().places.push_back(place);
        groups.back().who.push_back(who[place]);
    }
    return groups;
}

void Sampler::join(Group& group, const std::vector<std::vector<Outcome>>& below, std::size_t worker) {
    const PathEdge& edge = *group.edge;
    const Outcome leaf = leaf_of(*group.node);
    std::vector<Position> positions;
    for (std::size_t j = 0; j < below.size(); ++j)
        positions.push_back(position_of_branch(group.position, trie_.branch_number(edge, j)));
    group.outcomes.resize(group.who.size());
    for (std::size_t i = 0; i < group.who.size(); ++i) {
        const bool same = std::ranges::all_of(below, [&](const std::vector<Outcome>& branch) {
            return branch[i].leaf && branch[i].label == below[0][i].label;
        });
        Outcome& outcome = group.outcomes[i];
        if (below.empty() || (same && group.level > 1)) {
            outcome = leaf;
            continue;
        }
        std::vector<Emitted>& emitted = emitted_[worker];
        emitted.push_back({group.who[i], {group.position, static_cast<std::int32_t>(edge.feature), group.level}});
        outcome = Outcome{};
        outcome.leaf = false;
        Judgement& sum = outcome.judgement;
        sum.n_nodes += edge.has_empty_leaf ? 1 : 0;
        sum.watched = edge.right_elsewhere;
        std::uint32_t highest = 0;
        for (std::size_t j = 0; j < below.size(); ++j) {
            const Outcome& branch = below[j][i];
            if (branch.leaf) emitted.push_back({group.who[i], {positions[j], -1, group.level + 1}});
            sum.right += branch.judgement.right;
            sum.n_nodes += branch.judgement.n_nodes;
            for (std::size_t k = 0; k < most_watched; ++k) sum.watched[k] += branch.judgement.watched[k];
            highest = std::max(highest, branch.judgement.height);
        }
        sum.height = 1 + highest;
    }
    if (trie_.too_large()) trie_.drop(*group.edge);
}

void Sampler::grow_group(Group& group, std::size_t worker) {
    trie_.make(*group.node, *group.edge, group.level, scratch_[worker]);
    std::vector<std::vector<Outcome>> below;
    for (std::size_t j = 0; j < group.edge->children.size(); ++j) {
        below.emplace_back(group.who.size());
        grow_node(*group.edge->children[j], position_of_branch(group.position, trie_.branch_number(*group.edge, j)),
                  group.level + 1, group.who, below.back(), worker);
    }
    join(group, below, worker);
}

void Sampler::grow_node(PathNode& node, Position position, std::uint32_t level, std::span<const std::uint32_t> who,
                        std::span<Outcome> outcomes, std::size_t worker) {
    for (Group& group : draw_groups(node, position, level, who, outcomes)) {
        grow_group(group, worker);
        for (std::size_t i = 0; i < group.places.size(); ++i) outcomes[group.places[i]] = group.outcomes[i];
    }
}

void Sampler::plan(Plan& out, PathNode& node, Position position, std::uint32_t level,
                   std::span<const std::uint32_t> who, std::size_t largest_task, std::vector<Group*>& tasks) {
    out.node = &node;
    out.outcomes.resize(who.size());
    out.groups = draw_groups(node, position, level, who, out.outcomes);
    for (Group& group : out.groups) {
        if (node.samples.ids.size() * group.who.size() <= largest_task) {
            tasks.push_back(&group);
            continue;
        }
        trie_.make(node, *group.edge, level, scratch_[0]);
        group.children.resize(group.edge->children.size());
        if (group.children.empty()) tasks.push_back(&group);
        for (std::size_t j = 0; j < group.children.size(); ++j)
            plan(group.children[j], *group.edge->children[j],
                 position_of_branch(position, trie_.branch_number(*group.edge, j)), level + 1, group.who, largest_task,
                 tasks);
    }
}

void Sampler::finish(Plan& plan) {
    for (Group& group : plan.groups) {
        if (!group.children.empty()) {
            std::vector<std::vector<Outcome>> below;
            for (Plan& child : group.children) {
                finish(child);
                below.push_back(std::move(child.outcomes));
            }
            join(group, below, 0);
        }
        for (std::size_t i = 0; i < group.places.size(); ++i) plan.outcomes[group.places[i]] = group.outcomes[i];
    }
}

std::vector<Individual> Sampler::sample(const TreeDistribution& distribution, RandomStream generation,
                                        std::size_t count) {
    distribution_ = &distribution;
    streams_.clear();
    std::vector<std::uint32_t> everybody;
    for (std::uint32_t i = 0; i < count; ++i) {
        streams_.push_back(generation.child(i));
        everybody.push_back(i);
    }
    const std::size_t whole = trie_.root().samples.ids.size() * count;
    const std::size_t largest_task = pool_.size() == 1 ? whole : whole / (tasks_per_worker * pool_.size());
    Plan top;
    std::vector<Group*> tasks;
    plan(top, trie_.root(), root_position, 1, everybody, largest_task, tasks);
    pool_.run(tasks.size(), [&](std::size_t worker, std::size_t i) { grow_group(*tasks[i], worker); });
    finish(top);

    std::vector<Individual> individuals(count);
    for (std::size_t i = 0; i < count; ++i) {
        individuals[i].judgement = top.outcomes[i].judgement;
        if (top.outcomes[i].leaf) individuals[i].genes.push_back({});
    }
    for (std::vector<Emitted>& emitted : emitted_) {
        for (const Emitted& one : emitted) individuals[one.individual].genes.push_back(one.gene);
        emitted.clear();
    }
    for (Individual& individual : individuals) {
        std::ranges::sort(individual.genes, {}, &Gene::position);
        individual.genes.shrink_to_fit();
    }
    return individuals;
}

}  // namespace palmette
