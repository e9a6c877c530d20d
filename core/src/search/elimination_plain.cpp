// The trees of an elimination made the plain way: grown from scratch for every candidate (the black box), or cloned and
// grown again below the removed unit (DTsbe, Section 6 of Ruggieri 2019). Slow, obvious, and what the trie must equal.
//
// A tree is an array of nodes in preorder, so that growing, cloning and asking need no recursion: a degenerate tree may
// be as deep as it has samples.

#include <algorithm>
#include <numeric>
#include <utility>

#include "elimination_engine.hpp"
#include "palmette/tree/partition.hpp"

namespace palmette::elimination {
namespace {

struct PlainNode {
    static constexpr std::uint32_t leaf = ~std::uint32_t{0};

    NodeSamples samples;
    std::uint32_t fold = 0, depth = 0;
    Label label = 0;
    Weight weight = 0;
    std::vector<Weight> class_weights;
    std::uint32_t unit = leaf, feature = 0;
    std::uint32_t cut = 0;             // continuous: codes up to this go left
    std::vector<std::uint32_t> codes;  // nominal: the category of each child
    std::uint32_t n_children = 0;
};

struct PlainEntry {
    std::shared_ptr<const PlainNode> node;  // trees that are clones share it
    std::uint32_t size = 1;                 // of the subtree: the next sibling is this far
};

/// The trees of all folds, one after the other.
struct PlainTrees {
    std::vector<PlainEntry> entries;
    std::vector<std::uint32_t> tested;  // units anywhere in the trees, ascending
    Assessment assessment;
};

struct PlainWorker {
    RankingScratch ranking;
    NodeTotals totals;
    std::vector<double> votes;
    struct Visit {
        std::size_t entry;
        double share;
        bool marks;
    };
    std::vector<Visit> visits;
    std::vector<std::size_t> children;
    std::uint64_t n_scans = 0;
    Watch watch;
};

class PlainTreeMaker {
  public:
    PlainTreeMaker(const SearchProblem& problem, Budget& budget, Progress& progress)
        : problem_(problem),
          dataset_(problem.dataset()),
          block_(problem.dataset()),
          ranker_(problem.dataset(), problem.growth()),
          budget_(budget),
          progress_(progress) {}

    /// The trees of a subset, from scratch; null if the budget ended it.
    std::shared_ptr<PlainTrees> grow(const UnitSet& subset, PlainWorker& worker, bool at_any_cost = false) {
        auto trees = std::make_shared<PlainTrees>();
        for (std::uint32_t fold = 0; fold < problem_.folds().size(); ++fold) {
            PlainNode root;
            root.fold = fold;
            root.samples.ids = problem_.folds()[fold].building;
            if (!dataset_.weights().empty())
                for (const std::uint32_t row : root.samples.ids)
                    root.samples.weights.push_back(dataset_.weights()[row]);
            if (!grow_below(std::move(root), subset, worker, at_any_cost, *trees)) return nullptr;
        }
        finish(*trees, worker);
        return trees;
    }

    /// The trees of `subset`, given those of `subset` and `removed`: only below nodes of `removed` are they grown
    /// again.
    std::shared_ptr<PlainTrees> grow_without(std::uint32_t removed, const UnitSet& subset, const PlainTrees& before,
                                             PlainWorker& worker) {
        auto trees = std::make_shared<PlainTrees>();
        for (std::size_t i = 0; i < before.entries.size();) {
            const PlainNode& node = *before.entries[i].node;
            if (node.unit != removed) {
                trees->entries.push_back(before.entries[i++]);
                continue;
            }
            PlainNode again;
            again.samples = node.samples;
            again.fold = node.fold;
            again.depth = node.depth;
            if (!grow_below(std::move(again), subset, worker, false, *trees)) return nullptr;
            i += before.entries[i].size;
        }
        finish(*trees, worker);
        return trees;
    }

  private:
    bool grow_below(PlainNode root, const UnitSet& subset, PlainWorker& worker, bool at_any_cost, PlainTrees& trees) {
        std::vector<PlainNode> pending;
        pending.push_back(std::move(root));
        while (!pending.empty()) {
            auto node = std::make_shared<PlainNode>(std::move(pending.back()));
            pending.pop_back();
            NodeTotals& totals = worker.totals;
            totals.compute(block_, node->samples, dataset_);
            node->label = totals.majority;
            node->weight = totals.weight;
            node->class_weights = totals.class_weights;
            if (node->depth < problem_.growth().max_depth && !ranker_.is_leaf(totals)) {
                const std::size_t cells = totals.labels.size() * problem_.n_units();
                if (!at_any_cost && worker.watch.is_over(budget_, cells)) return false;
                ++worker.n_scans;
                progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);
                Candidate best;
                subset.for_each([&](std::uint32_t unit) {
                    for (const std::uint32_t feature : problem_.features_of(unit)) {
                        const Candidate candidate =
                            ranker_.evaluate(block_, node->samples, totals, feature, worker.ranking);
                        if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best)))
                            best = candidate;
                    }
                });
                if (best.eligible()) split(*node, best, pending);
            }
            trees.entries.push_back({std::move(node), 1});
        }
        return true;
    }

    void split(PlainNode& node, const Candidate& best, std::vector<PlainNode>& pending) {
        Partition partition(dataset_, block_, node.samples, best);
        node.unit = problem_.unit_of(best.feature);
        node.feature = best.feature;
        node.n_children = static_cast<std::uint32_t>(partition.n_parts());
        if (dataset_.column(best.feature).kind == FeatureKind::continuous)
            node.cut = problem_.cut_code(node.fold, best.feature, partition.lower(), partition.upper());
        else
            for (std::size_t j = 0; j < partition.n_parts(); ++j) node.codes.push_back(partition.code(j));
        for (std::size_t j = partition.n_parts(); j-- > 0;) {
            PlainNode& child = pending.emplace_back();
            child.fold = node.fold;
            child.depth = node.depth + 1;
            child.samples = partition.take(j);
        }
    }

    /// Sizes, units and errors of trees that are all there.
    void finish(PlainTrees& trees, PlainWorker& worker) {
        std::vector<PlainEntry>& entries = trees.entries;
        UnitSet tested(problem_.n_units()), used(problem_.n_units());
        for (std::size_t i = entries.size(); i-- > 0;) {
            const PlainNode& node = *entries[i].node;
            std::uint32_t size = 1;
            for (std::uint32_t j = 0; j < node.n_children; ++j) size += entries[i + size].size;
            entries[i].size = size;
            if (node.unit != PlainNode::leaf) tested.insert(node.unit);
        }
        trees.tested = tested.list();
        std::size_t root = 0;
        for (const Fold& fold : problem_.folds()) {
            for (const std::uint32_t row : fold.search)
                if (predicted(entries, root, row, used, worker) != dataset_.labels()[row])
                    trees.assessment.error += problem_.weight_of_row(row);
            root += entries[root].size;
        }
        trees.assessment.used = used.list();
        progress_.trees_built.fetch_add(1, std::memory_order_relaxed);
    }

    /// The class that the tree tells: the arithmetic of tree/prediction.cpp, in its order. Marks the units that count
    /// as used by the row.
    std::size_t predicted(const std::vector<PlainEntry>& entries, std::size_t root, std::uint32_t row, UnitSet& used,
                          PlainWorker& worker) const {
        std::vector<double>& votes = worker.votes;
        votes.assign(dataset_.n_classes(), 0.0);
        const Label own = dataset_.labels()[row];
        const WeightScale& scale = dataset_.scale();
        worker.visits.assign(1, {root, 1.0, true});
        bool whole = true;
        while (!worker.visits.empty()) {
            auto [at, share, marks] = worker.visits.back();
            worker.visits.pop_back();
            const PlainNode& node = *entries[at].node;
            if (node.unit == PlainNode::leaf) {
                if (whole) return node.label;
                for (std::size_t k = 0; k < votes.size(); ++k)
                    votes[k] += share * (scale.to_double(node.class_weights[k]) / scale.to_double(node.weight));
                continue;
            }
            if (whole) marks = marks && node.class_weights[own] > 0;
            if (marks) used.insert(node.unit);
            std::vector<std::size_t>& children = worker.children;
            children.clear();
            for (std::size_t j = 0, child = at + 1; j < node.n_children; child += entries[child].size, ++j)
                children.push_back(child);
            const Column& column = dataset_.column(node.feature);
            const std::uint32_t code = column.codes[row];
            if (code == 0) {
                whole = false;
                const auto weight_of = [&](std::size_t child) { return scale.to_double(entries[child].node->weight); };
                double weight_below = 0.0;
                for (const std::size_t child : children) weight_below += weight_of(child);
                // Pushed last to first, so that the leftmost leaves vote first.
                for (std::size_t j = children.size(); j-- > 0;)
                    worker.visits.push_back({children[j], share * (weight_of(children[j]) / weight_below), marks});
            } else if (column.kind == FeatureKind::continuous) {
                worker.visits.push_back({children[code <= node.cut ? 0 : 1], share, marks});
            } else if (const auto found = std::ranges::lower_bound(node.codes, code);
                       found != node.codes.end() && *found == code) {
                worker.visits.push_back({children[static_cast<std::size_t>(found - node.codes.begin())], share, marks});
            } else {
                if (whole) return node.label;
                votes[node.label] += share;
            }
        }
        return static_cast<std::size_t>(std::ranges::max_element(votes) - votes.begin());
    }

    const SearchProblem& problem_;
    const Dataset& dataset_;
    Block block_;
    Ranker ranker_;
    Budget& budget_;
    Progress& progress_;
};

class PlainEliminator final : public Eliminator {
  public:
    PlainEliminator(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget,
                    Progress& progress)
        : maker_(problem, budget, progress),
          reuses_(settings.algorithm == EliminationAlgorithm::paper),
          pool_(std::max<std::size_t>(1, settings.n_jobs)),
          workers_(pool_.size()),
          subset_(problem.n_units()),
          without_(problem.n_units()) {
        for (std::size_t unit = 0; unit < problem.n_units(); ++unit) subset_.insert(unit);
    }

    std::optional<Assessment> assess(bool at_any_cost) override {
        if (trees_ == nullptr) {
            trees_ = maker_.grow(subset_, workers_[0], at_any_cost);
            if (trees_ == nullptr) return std::nullopt;
            ++n_trees_;
        }
        return trees_->assessment;
    }

    std::optional<Removal> best_removal(const UnitSet& removable, ErrorWeight limit) override {
        std::vector<std::uint32_t> units;
        removable.for_each([&](std::uint32_t unit) {
            // DTsbe: T_a = T if T does not test a; and a tree that is known from an earlier step need not be built.
            if (reuses_ && (without_[unit] != nullptr || !std::ranges::binary_search(trees_->tested, unit))) return;
            units.push_back(unit);
        });
        n_trees_ += units.size();
        pool_.run(units.size(), [&](std::size_t number, std::size_t i) {
            UnitSet smaller = subset_;
            smaller.erase(units[i]);
            auto& trees = without_[units[i]];
            trees = reuses_ ? maker_.grow_without(units[i], smaller, *trees_, workers_[number])
                            : maker_.grow(smaller, workers_[number]);
            // The black box starts from scratch each time, so it needs no more than the errors.
            if (trees != nullptr && !reuses_) trees->entries = {};
        });
        if (std::ranges::any_of(units, [&](std::uint32_t unit) { return without_[unit] == nullptr; }))
            return std::nullopt;
        std::optional<Removal> best;
        removable.for_each([&](std::uint32_t unit) {
            const ErrorWeight error = (without_[unit] != nullptr ? without_[unit] : trees_)->assessment.error;
            if (error <= limit && (!best || error < best->error)) best = {unit, error};
        });
        return best;
    }

    void remove(std::uint32_t unit) override {
        subset_.erase(unit);
        if (without_[unit] != nullptr) trees_ = std::exchange(without_[unit], nullptr);
        for (auto& other : without_) {
            // DTsbe: (T_b)_a = T_a if T_a does not test b.
            if (other == nullptr || (reuses_ && !std::ranges::binary_search(other->tested, unit))) continue;
            other = nullptr;
        }
    }

    [[nodiscard]] Counters counters() const override {
        Counters counters;
        counters.n_trees = n_trees_;
        for (const PlainWorker& worker : workers_) counters.n_scans += worker.n_scans;
        counters.n_expansions = counters.n_scans;
        return counters;
    }

  private:
    PlainTreeMaker maker_;
    bool reuses_;
    WorkerPool pool_;
    std::vector<PlainWorker> workers_;
    UnitSet subset_;
    std::shared_ptr<PlainTrees> trees_;
    std::vector<std::shared_ptr<PlainTrees>> without_;  // by unit
    std::uint64_t n_trees_ = 0;
};

class PlainAssessor final : public Assessor {
  public:
    PlainAssessor(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget, Progress& progress)
        : maker_(problem, budget, progress), pool_(std::max<std::size_t>(1, settings.n_jobs)), workers_(pool_.size()) {}

    std::vector<std::optional<Assessment>> assess(std::span<const UnitSet> subsets, bool at_any_cost) override {
        std::vector<std::optional<Assessment>> assessments(subsets.size());
        pool_.run(subsets.size(), [&](std::size_t number, std::size_t i) {
            if (const auto trees = maker_.grow(subsets[i], workers_[number], at_any_cost))
                assessments[i] = trees->assessment;
        });
        n_trees_ += subsets.size();
        return assessments;
    }

    [[nodiscard]] Counters counters() const override {
        Counters counters;
        counters.n_trees = n_trees_;
        for (const PlainWorker& worker : workers_) counters.n_scans += worker.n_scans;
        counters.n_expansions = counters.n_scans;
        return counters;
    }

  private:
    PlainTreeMaker maker_;
    WorkerPool pool_;
    std::vector<PlainWorker> workers_;
    std::uint64_t n_trees_ = 0;
};

}  // namespace

std::unique_ptr<Eliminator> make_plain_eliminator(const SearchProblem& problem, const EliminationSettings& settings,
                                                  Budget& budget, Progress& progress) {
    return std::make_unique<PlainEliminator>(problem, settings, budget, progress);
}

std::unique_ptr<Assessor> make_plain_assessor(const SearchProblem& problem, const EliminationSettings& settings,
                                              Budget& budget, Progress& progress) {
    return std::make_unique<PlainAssessor>(problem, settings, budget, progress);
}

}  // namespace palmette::elimination
