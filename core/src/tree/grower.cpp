// One work list per thread. Large nodes are expanded by all workers together, feature by feature; the
// subtrees below are then handed out whole. Since the ranking of a node is a function of its samples, who
// expands it does not matter.

#include "palmette/tree/grower.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace palmette {
namespace {

using Slots = std::shared_ptr<const std::vector<std::uint32_t>>;

/// A node whose samples are known and whose split is not.
struct Pending {
    GrownNode* node = nullptr;
    std::shared_ptr<const Block> block;
    NodeSamples samples;
    Slots slots;  // columns of the block that may still vary here
    std::uint32_t depth = 0;
    RandomStream stream{0};
};

/// What a worker owns while it expands nodes.
struct Workplace {
    RankingScratch& ranking;
    Arena& arena;
    NodeTotals totals;
    std::vector<std::uint32_t> drawn;
    std::uint32_t nodes_since_clock = 0;
};

// A block is made when a node holds at most this fraction of the block it lives in: small enough that copies
// are rare, large enough that codes stay dense. 1/4 and 1/8 measured alike on spambase and on 1 000 000 × 20.
constexpr std::size_t block_shrinkage = 4;
constexpr std::size_t smallest_block = 64;

class Growing {
  public:
    Growing(const Dataset& dataset, const GrowthOptions& options, Budget& budget, Progress& progress)
        : dataset_(dataset), options_(options), ranker_(dataset, options), budget_(budget), progress_(progress) {}

    /// Expands one node; its children that may grow further are added to `children`.
    void expand(Pending& at, Workplace& place, WorkerPool* pool, std::vector<RankingScratch>* pool_scratch,
                std::vector<Pending>& children) {
        place.totals.compute(*at.block, at.samples, dataset_);
        const NodeTotals& totals = place.totals;
        GrownNode& node = *at.node;
        node.label = totals.majority;
        node.weight = totals.weight;
        node.class_weights = place.arena.copy(totals.class_weights.data(), totals.class_weights.size());
        progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);

        const std::size_t n = totals.labels.size();
        if (at.depth >= options_.max_depth || ranker_.is_leaf(totals) || out_of_budget(place, n * at.slots->size())) {
            finish_leaf(n);
            return;
        }
        gather(at, pool, n);
        const Candidate best = options_.max_features < at.slots->size() ? best_of_drawn(at, place)
                                                                        : best_of_all(at, place, pool, pool_scratch);
        if (!best.eligible()) {
            finish_leaf(n);
            return;
        }
        split(at, best, place.arena, children);
    }

    void grow_subtree(Pending start, Workplace& place) {
        std::vector<Pending> stack;
        stack.push_back(std::move(start));
        while (!stack.empty()) {
            Pending at = std::move(stack.back());
            stack.pop_back();
            expand(at, place, nullptr, nullptr, stack);
        }
    }

  private:
    void finish_leaf(std::size_t n) { progress_.work_done.fetch_add(n, std::memory_order_relaxed); }

    bool out_of_budget(Workplace& place, std::size_t cells) {
        // A look at the clock costs as much as some tens of cells.
        if (cells > 4096 || ++place.nodes_since_clock >= 64) {
            place.nodes_since_clock = 0;
            return budget_.check_deadline();
        }
        return budget_.spent();
    }

    /// Moves the node into a block of its own once its samples are few among those of the block it lives in.
    void gather(Pending& at, WorkerPool* pool, std::size_t n) {
        const Block& block = *at.block;
        // A node that looks at few of its features would copy more than it reads.
        const bool reads_all = options_.max_features >= at.slots->size();
        if (!reads_all || block.n_samples() <= smallest_block || n * block_shrinkage > block.n_samples()) return;
        at.block = std::make_shared<const Block>(block, at.samples.ids, *at.slots, pool);
        at.samples.ids.clear();
        at.samples.ids.shrink_to_fit();
        at.samples.whole = true;
        at.slots = all_slots(*at.block);
    }

    static Slots all_slots(const Block& block) {
        auto slots = std::make_shared<std::vector<std::uint32_t>>(block.n_columns());
        std::iota(slots->begin(), slots->end(), 0U);
        return slots;
    }

    Candidate best_of_all(Pending& at, Workplace& place, WorkerPool* pool, std::vector<RankingScratch>* pool_scratch) {
        const std::vector<std::uint32_t>& slots = *at.slots;
        std::vector<std::uint32_t> varying;
        varying.reserve(slots.size());
        Candidate best;
        const auto weigh = [&](const Candidate& candidate) {
            if (!candidate.constant) varying.push_back(candidate.slot);
            if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        };
        if (pool != nullptr) {
            std::vector<Candidate> candidates(slots.size());
            pool->run(slots.size(), [&](std::size_t worker, std::size_t i) {
                if (budget_.check_deadline()) return;
                candidates[i] =
                    ranker_.evaluate(*at.block, at.samples, place.totals, slots[i], (*pool_scratch)[worker]);
            });
            for (const Candidate& candidate : candidates) weigh(candidate);
        } else {
            const bool large = place.totals.labels.size() > 4096;
            for (const std::uint32_t slot : slots) {
                if (large ? budget_.check_deadline() : budget_.spent()) return {};
                weigh(ranker_.evaluate(*at.block, at.samples, place.totals, slot, place.ranking));
            }
        }
        if (budget_.spent()) return {};
        if (varying.size() < slots.size())
            at.slots = std::make_shared<const std::vector<std::uint32_t>>(std::move(varying));
        return best;
    }

    /// Draws features without replacement until `max_features` that vary have been seen and one of them can split.
    Candidate best_of_drawn(Pending& at, Workplace& place) {
        std::vector<std::uint32_t>& slots = place.drawn;
        slots = *at.slots;
        Candidate best;
        std::uint32_t seen = 0;
        bool some_constant = false;
        std::size_t drawn = 0;
        while (drawn < slots.size() && (seen < options_.max_features || !best.eligible())) {
            std::swap(slots[drawn], slots[drawn + at.stream.below(slots.size() - drawn)]);
            const Candidate candidate =
                ranker_.evaluate(*at.block, at.samples, place.totals, slots[drawn], place.ranking);
            if (budget_.spent()) return {};
            if (candidate.constant) {
                // Constant here, constant below: forgotten, and it does not count as drawn.
                slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(drawn));
                some_constant = true;
                continue;
            }
            ++drawn;
            ++seen;
            if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        }
        if (some_constant) {
            std::ranges::sort(slots);
            at.slots = std::make_shared<const std::vector<std::uint32_t>>(slots);
        }
        return best;
    }

    void split(Pending& at, const Candidate& best, Arena& arena, std::vector<Pending>& children) {
        GrownNode& node = *at.node;
        const Column& column = dataset_.column(best.feature);
        node.feature = static_cast<std::int32_t>(best.feature);
        node.kind = column.kind;
        node.gain = best.gain;
        node.empty_label = node.label;

        std::vector<NodeSamples> parts;
        std::vector<std::uint32_t> part_codes;
        if (column.kind == FeatureKind::continuous)
            part_by_cut(at, best, column, node, parts, part_codes);
        else
            part_by_category(at, column, parts, part_codes);

        node.n_branches = static_cast<std::uint32_t>(parts.size());
        node.branches = arena.make<GrownNode::Branch>(parts.size());
        // Pushed last to first, so that the first branch is grown first.
        for (std::size_t j = parts.size(); j-- > 0;) {
            GrownNode* child = arena.make<GrownNode>(1);
            node.branches[j] = {part_codes[j], child};
            children.push_back({child, at.block, std::move(parts[j]), at.slots, at.depth + 1, at.stream.child(j)});
        }
    }

    void part_by_cut(const Pending& at, const Candidate& best, const Column& column, GrownNode& node,
                     std::vector<NodeSamples>& parts, std::vector<std::uint32_t>& part_codes) const {
        const Block& block = *at.block;
        const BlockColumn& local = block.column(best.slot);
        const std::size_t n = at.samples.size(block);
        const std::uint32_t cut = best.cut;
        part_codes = {0, 1};
        visit_codes(local.codes, local.width, [&](const auto* codes) {
            // The samples next to the cut tell, in codes of the whole dataset, where the threshold lies. A key is a
            // code with a sample that has it; a missing value (code 0) is below every left neighbour.
            std::uint64_t lower = 0, upper = ~std::uint64_t{0};
            std::size_t n_left = 0, n_missing = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t id = at.samples.id(i);
                const std::uint32_t code = codes[id];
                const std::uint64_t key = (std::uint64_t{code} << 32) | id;
                lower = std::max(lower, code <= cut ? key : 0);
                upper = std::min(upper, code > cut ? key : ~std::uint64_t{0});
                n_left += code <= cut;
                n_missing += code == 0;
            }
            node.lower = column.codes[block.row(static_cast<std::uint32_t>(lower))];
            node.upper = column.codes[block.row(static_cast<std::uint32_t>(upper))];

            if (n_missing > 0 || !at.samples.weights.empty()) {
                parts = distribute(at,
                                   sort_out(at, n, 2,
                                            [&](auto place) {
                                                for (std::size_t i = 0; i < n; ++i) {
                                                    const std::uint32_t code = codes[at.samples.id(i)];
                                                    place(i, code == 0 ? missing_part : std::uint32_t{code > cut});
                                                }
                                            }),
                                   2);
                return;
            }
            // Every sample is written to both sides and kept on one: cheaper than a jump that cannot be predicted.
            parts.resize(2);
            parts[0].ids.resize(n_left + 1);
            parts[1].ids.resize(n - n_left + 1);
            std::uint32_t* left = parts[0].ids.data();
            std::uint32_t* right = parts[1].ids.data();
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t id = at.samples.id(i);
                const bool goes_left = codes[id] <= cut;
                *left = id;
                *right = id;
                left += goes_left;
                right += !goes_left;
            }
            parts[0].ids.pop_back();
            parts[1].ids.pop_back();
        });
    }

    void part_by_category(const Pending& at, const Column& column, std::vector<NodeSamples>& parts,
                          std::vector<std::uint32_t>& part_codes) const {
        const Block& block = *at.block;
        const std::size_t n = at.samples.size(block);
        // Parts are numbered by ascending code of the categories that occur here.
        std::vector<std::uint32_t> part_of(std::size_t{column.n_values} + 1, missing_part);
        visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
            for (std::size_t i = 0; i < n; ++i) part_of[codes[block.row(at.samples.id(i))]] = 0;
            part_of[0] = missing_part;
            for (std::uint32_t code = 1; code <= column.n_values; ++code)
                if (part_of[code] == 0) {
                    part_of[code] = static_cast<std::uint32_t>(part_codes.size());
                    part_codes.push_back(code);
                }
            const Sorting sorting = sort_out(at, n, part_codes.size(), [&](auto place) {
                for (std::size_t i = 0; i < n; ++i) place(i, part_of[codes[block.row(at.samples.id(i))]]);
            });
            parts = distribute(at, sorting, part_codes.size());
        });
    }

    static constexpr std::uint32_t missing_part = GrowthOptions::no_limit;

    struct Sorting {
        std::vector<std::uint32_t> part;         // of each sample of the node
        std::vector<std::uint32_t> part_counts;  // samples with a known value
        std::vector<Weight> part_weights;
        Weight known = 0;
        std::size_t n_missing = 0;
    };

    template <class ForEachSample>
    Sorting sort_out(const Pending& at, std::size_t n, std::size_t n_parts, ForEachSample for_each_sample) const {
        Sorting sorting;
        sorting.part.resize(n);
        sorting.part_counts.assign(n_parts, 0);
        sorting.part_weights.assign(n_parts, 0);
        const bool unit = at.samples.weights.empty();
        for_each_sample([&](std::size_t i, std::uint32_t part) {
            sorting.part[i] = part;
            if (part == missing_part) {
                ++sorting.n_missing;
                return;
            }
            ++sorting.part_counts[part];
            if (!unit) sorting.part_weights[part] += at.samples.weights[i];
        });
        for (std::size_t j = 0; j < n_parts; ++j) {
            if (unit)
                sorting.part_weights[j] = static_cast<Weight>(sorting.part_counts[j])
                                          << dataset_.scale().fraction_bits();
            sorting.known += sorting.part_weights[j];
        }
        return sorting;
    }

    /// A sample with a missing value goes to every part, with its share of the weight (semantics.md §1).
    std::vector<NodeSamples> distribute(const Pending& at, const Sorting& sorting, std::size_t n_parts) const {
        std::vector<NodeSamples> parts(n_parts);
        const bool weighted = !at.samples.weights.empty() || sorting.n_missing > 0;
        for (std::size_t j = 0; j < n_parts; ++j) {
            parts[j].ids.reserve(sorting.part_counts[j] + sorting.n_missing);
            if (weighted) parts[j].weights.reserve(sorting.part_counts[j] + sorting.n_missing);
        }
        const Weight one = dataset_.scale().one();
        for (std::size_t i = 0; i < sorting.part.size(); ++i) {
            const std::uint32_t id = at.samples.id(i);
            const std::uint32_t part = sorting.part[i];
            if (!weighted) {
                parts[part].ids.push_back(id);
                continue;
            }
            const Weight weight = at.samples.weights.empty() ? one : at.samples.weights[i];
            if (part != missing_part) {
                parts[part].ids.push_back(id);
                parts[part].weights.push_back(weight);
                continue;
            }
            for (std::size_t j = 0; j < n_parts; ++j) {
                const Weight share = share_of_weight(weight, sorting.part_weights[j], sorting.known);
                if (share == 0) continue;
                parts[j].ids.push_back(id);
                parts[j].weights.push_back(share);
            }
        }
        return parts;
    }

    const Dataset& dataset_;
    const GrowthOptions& options_;
    Ranker ranker_;
    Budget& budget_;
    Progress& progress_;
};

Pending root_of(const Dataset& dataset, std::shared_ptr<const Block> block, const GrowthOptions& options,
                GrownNode* node) {
    Pending root;
    root.node = node;
    auto slots = std::make_shared<std::vector<std::uint32_t>>(block->n_columns());
    std::iota(slots->begin(), slots->end(), 0U);
    root.slots = std::move(slots);
    root.stream = RandomStream(options.seed);
    const auto weights = dataset.weights();
    if (weights.empty()) {
        root.samples.whole = true;
    } else {
        for (std::uint32_t row = 0; row < weights.size(); ++row)
            if (weights[row] > 0) {
                root.samples.ids.push_back(row);
                root.samples.weights.push_back(weights[row]);
            }
    }
    root.block = std::move(block);
    return root;
}

/// Moves a node from its block to the block of the whole dataset. Subtrees that wait for a worker would
/// otherwise keep the blocks of all large nodes alive, two to three copies of the data.
void rebase(Pending& at, const std::shared_ptr<const Block>& whole) {
    if (at.block == whole) return;
    const std::size_t n = at.samples.size(*at.block);
    std::vector<std::uint32_t> rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = at.block->row(at.samples.id(i));
    auto slots = std::make_shared<std::vector<std::uint32_t>>();
    for (const std::uint32_t slot : *at.slots) slots->push_back(at.block->column(slot).feature);
    at.samples.ids = std::move(rows);
    at.samples.whole = false;
    at.slots = std::move(slots);
    at.block = whole;
}

}  // namespace

GrownTree grow_tree(const Dataset& dataset, const GrowthOptions& options, Budget& budget, Progress& progress,
                    WorkerPool& pool) {
    GrownTree tree;
    Growing growing(dataset, options, budget, progress);
    std::vector<RankingScratch> scratch(pool.size());
    Arena& arena = tree.new_arena();
    tree.root = arena.make<GrownNode>(1);
    const auto whole = std::make_shared<const Block>(dataset);
    Pending root = root_of(dataset, whole, options, tree.root);
    progress.work_total.store(dataset.n_rows(), std::memory_order_relaxed);

    Workplace place{scratch[0], arena, {}, {}, 0};
    if (pool.size() == 1) {
        growing.grow_subtree(std::move(root), place);
    } else {
        // Nodes above this many cells are expanded by all workers; below, a subtree is the work of one.
        const std::size_t cells = dataset.n_rows() * std::max<std::size_t>(1, dataset.n_features());
        const std::size_t large = std::max<std::size_t>(std::size_t{1} << 15, cells / (16 * pool.size()));
        std::vector<Pending> stack, subtrees;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Pending at = std::move(stack.back());
            stack.pop_back();
            if (at.samples.size(*at.block) * at.slots->size() < large) {
                rebase(at, whole);
                subtrees.push_back(std::move(at));
            } else {
                growing.expand(at, place, &pool, &scratch, stack);
            }
        }
        std::ranges::stable_sort(subtrees, std::greater{},
                                 [](const Pending& at) { return at.samples.size(*at.block) * at.slots->size(); });
        std::vector<Arena*> arenas;
        for (std::size_t worker = 0; worker < pool.size(); ++worker) arenas.push_back(&tree.new_arena());
        std::vector<Workplace> places;
        places.reserve(pool.size());
        for (std::size_t worker = 0; worker < pool.size(); ++worker)
            places.push_back({scratch[worker], *arenas[worker], {}, {}, 0});
        pool.run(subtrees.size(), [&](std::size_t worker, std::size_t i) {
            growing.grow_subtree(std::move(subtrees[i]), places[worker]);
        });
    }
    tree.complete = !budget.spent();
    progress.trees_built.fetch_add(1, std::memory_order_relaxed);
    return tree;
}

GrownTree grow_tree_of_samples(const Dataset& dataset, const std::shared_ptr<const Block>& block,
                               std::vector<std::uint32_t> rows, const GrowthOptions& options, Budget& budget,
                               RankingScratch& scratch) {
    GrownTree tree;
    Progress progress;
    Growing growing(dataset, options, budget, progress);
    Arena& arena = tree.new_arena();
    tree.root = arena.make<GrownNode>(1);
    Pending root = root_of(dataset, block, options, tree.root);
    root.samples = {std::move(rows), {}, false};
    Workplace place{scratch, arena, {}, {}, 0};
    growing.grow_subtree(std::move(root), place);
    tree.complete = !budget.spent();
    return tree;
}

}  // namespace palmette
