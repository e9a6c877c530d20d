// Large nodes are expanded by all workers together, feature by feature. The subtrees below are grown by one worker
// each, which gives nodes away when another has run out. Since the ranking of a node is a function of its samples,
// who expands it does not matter.

#include "palmette/tree/grower.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "grown_nodes.hpp"
#include "palmette/support/freed_memory.hpp"
#include "palmette/support/shared_work.hpp"
#include "palmette/tree/partition.hpp"

namespace palmette {
namespace {

using Slots = std::shared_ptr<const std::vector<std::uint32_t>>;

/// A node whose samples are known and whose split is not.
struct Pending {
    GrownNode* node = nullptr;
    std::shared_ptr<const Block> block;
    NodeSamples samples;                   // once `take_samples` was called
    std::shared_ptr<Partition> partition;  // where the samples come from: part `part` of it
    std::size_t part = 0;
    Slots slots;  // columns of the block that may still vary here
    std::uint32_t depth = 0;
    RandomStream stream{0};

    [[nodiscard]] std::size_t size() const noexcept { return partition ? partition->size(part) : samples.size(*block); }
    [[nodiscard]] std::size_t cells() const noexcept { return size() * slots->size(); }
    void take_samples() {
        if (!partition) return;
        samples = partition->take(part);
        partition.reset();
    }
};

/// What a worker owns while it expands nodes.
struct Workplace {
    RankingScratch& ranking;
    Arena& arena;
    NodeTotals totals = {};
    std::vector<Weight> class_weights = {};  // of all classes, for the node's description
    Slots ordered = {};                      // where features are drawn: what `shuffled` holds between two nodes
    std::vector<std::uint32_t> shuffled = {};
    std::vector<std::size_t> drawn = {};
    Watch watch = {};
};

// A block is made when a node holds at most this fraction of the block it lives in: often enough that the codes stay
// dense, seldom enough that the copies stay few.
//
// Where a column of the block lies in the cache there is no hurry: half as many copies, and half the memory.
constexpr std::size_t block_shrinkage = 4;
constexpr std::size_t shrinkage_in_cache = 8;
constexpr std::size_t most_samples_in_cache = std::size_t{1} << 15;
constexpr std::size_t smallest_block = 64;

// The labels of a larger node make room for the samples of its children.
constexpr std::size_t most_labels_kept = 1024;

// Growing fewer cells than this takes less time than waking the worker that waits for them.
constexpr std::size_t smallest_gift = 4096;

Slots all_slots(const Block& block) {
    auto slots = std::make_shared<std::vector<std::uint32_t>>(block.n_columns());
    std::iota(slots->begin(), slots->end(), 0U);
    return slots;
}

/// The places of the slots, those with most codes first: a worker that gets such a column last leaves the others idle.
/// Among many columns it is idle for a moment only, and they are left as they are.
std::vector<std::uint32_t> dearest_first(const Block& block, std::span<const std::uint32_t> slots) {
    constexpr std::size_t many = 1024;
    std::vector<std::uint32_t> order(slots.size());
    std::iota(order.begin(), order.end(), 0U);
    if (slots.size() < many)
        std::ranges::stable_sort(order, std::greater{},
                                 [&](std::uint32_t i) { return block.column(slots[i]).n_values; });
    return order;
}

class Growing {
  public:
    Growing(const Dataset& dataset, const GrowthOptions& options, Budget& budget, Progress& progress)
        : dataset_(dataset), options_(options), ranker_(dataset, options), budget_(budget), progress_(progress) {}

    /// Expands one node; its children that may grow further are added to `children`.
    void expand(Pending& at, Workplace& place, WorkerPool* pool, std::vector<RankingScratch>* pool_scratch,
                std::vector<Pending>& children) {
        at.take_samples();
        place.totals.compute(*at.block, at.samples, dataset_);
        place.class_weights = place.totals.class_weights;
        const NodeTotals& totals = place.totals;
        progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);

        const std::size_t n = totals.labels.size();
        if (at.depth >= options_.max_depth || ranker_.is_leaf(totals) ||
            place.watch.is_over(budget_, n * at.slots->size())) {
            finish_leaf(at, place);
            return;
        }
        if (dataset_.n_classes() > 2) place.totals.number_present_classes();
        gather(at, pool, pool != nullptr ? std::span(*pool_scratch) : std::span(&place.ranking, 1), n);
        const Candidate best = options_.max_features < at.slots->size() ? best_of_drawn(at, place)
                                                                        : best_of_all(at, place, pool, pool_scratch);
        if (!best.eligible()) {
            finish_leaf(at, place);
            return;
        }
        split(at, best, place, children);
    }

    /// Grows all that is below a node; with `others`, nodes are given to workers that have none.
    template <class Others = SharedWork<Pending>>
    void grow_subtree(Pending start, Workplace& place, Others* others = nullptr) {
        std::vector<Pending> stack;
        stack.push_back(std::move(start));
        while (!stack.empty()) {
            Pending at = std::move(stack.back());
            stack.pop_back();
            expand(at, place, nullptr, nullptr, stack);
            // The oldest node is the nearest to the root and seldom small.
            if (others != nullptr && stack.size() > 1 && others->is_wanted() &&
                stack.front().cells() >= smallest_gift) {
                others->give(std::move(stack.front()));
                stack.erase(stack.begin());
            }
        }
    }

  private:
    void finish_leaf(Pending& at, Workplace& place) {
        at.node->describe(place.class_weights, place.arena);
        progress_.work_done.fetch_add(place.totals.labels.size(), std::memory_order_relaxed);
    }

    /// Moves the node into a block of its own once its samples are few among those of the block it lives in.
    void gather(Pending& at, WorkerPool* pool, std::span<RankingScratch> scratch, std::size_t n) {
        const Block& block = *at.block;
        // A node that looks at few of its features would copy more than it reads.
        const bool reads_all = options_.max_features >= at.slots->size();
        const std::size_t shrinkage = block.n_samples() <= most_samples_in_cache ? shrinkage_in_cache : block_shrinkage;
        if (!reads_all || block.is_compact() || block.n_samples() <= smallest_block ||
            n * shrinkage > block.n_samples())
            return;
        // The new block has no more codes than samples. Where it fills memory, the tables of the old one make room.
        for (RankingScratch& of_worker : scratch)
            if (of_worker.n_bins() <= n * at.slots->size()) of_worker.release_bins(n);
        at.block = std::make_shared<const Block>(block, at.samples.ids, *at.slots, pool);
        at.samples.ids.clear();
        at.samples.ids.shrink_to_fit();
        at.samples.whole = true;
        at.slots = all_slots(*at.block);
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
            const std::vector<std::uint32_t> order = dearest_first(*at.block, slots);
            pool->run(slots.size(), [&](std::size_t worker, std::size_t turn) {
                if (budget_.check_deadline()) return;
                const std::uint32_t i = order[turn];
                candidates[i] =
                    ranker_.evaluate(*at.block, at.samples, place.totals, slots[i], (*pool_scratch)[worker]);
            });
            for (const Candidate& candidate : candidates) weigh(candidate);
        } else {
            const bool large = place.totals.labels.size() >= Watch::large;
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

    /// Draws `max_features` features without replacement; a node is a leaf when none of them can split it.
    Candidate best_of_drawn(Pending& at, Workplace& place) {
        std::vector<std::uint32_t>& slots = place.shuffled;
        if (place.ordered != at.slots) {
            place.ordered = at.slots;
            slots = *at.slots;
        }
        std::vector<std::size_t>& drawn = place.drawn;
        drawn.clear();
        Candidate best;
        while (drawn.size() < options_.max_features && !budget_.spent()) {
            const std::size_t turn = drawn.size();
            drawn.push_back(turn + at.stream.below(slots.size() - turn));
            std::swap(slots[turn], slots[drawn.back()]);
            const Candidate candidate =
                ranker_.evaluate(*at.block, at.samples, place.totals, slots[turn], place.ranking);
            if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        }
        // Put back in order for the next node: a copy would take longer.
        for (std::size_t turn = drawn.size(); turn-- > 0;) std::swap(slots[turn], slots[drawn[turn]]);
        return budget_.spent() ? Candidate{} : best;
    }

    void split(Pending& at, const Candidate& best, Workplace& place, std::vector<Pending>& children) {
        if (place.totals.labels.size() > most_labels_kept) std::vector<Label>().swap(place.totals.labels);
        const auto partition = std::make_shared<Partition>(dataset_, *at.block, at.samples, best);
        // Shares of weights are rounded, and do not add up.
        if (at.samples.weights.empty() && !partition->has_missing())
            at.node->describe_as_sum(place.class_weights);
        else
            at.node->describe(place.class_weights, place.arena);
        const std::span<GrownNode> nodes = add_split(*at.node, dataset_, best.feature, best.gain, partition->lower(),
                                                     partition->upper(), partition->codes(), place.arena);
        // Pushed last to first, so that the first branch is grown first.
        for (std::size_t j = partition->n_parts(); j-- > 0;) {
            Pending pending{&nodes[j], at.block, {}, partition, j, at.slots, at.depth + 1, at.stream.child(j)};
            children.push_back(std::move(pending));
        }
    }

    const Dataset& dataset_;
    const GrowthOptions& options_;
    Ranker ranker_;
    Budget& budget_;
    Progress& progress_;
};

/// The slots of the features in the block of the whole dataset, ascending and each once: a list that is only ordered
/// otherwise draws the same features.
Slots slots_of(std::span<const std::uint32_t> features, const Dataset& dataset) {
    auto slots = std::make_shared<std::vector<std::uint32_t>>(features.begin(), features.end());
    std::ranges::sort(*slots);
    slots->erase(std::unique(slots->begin(), slots->end()), slots->end());
    if (!slots->empty() && slots->back() >= dataset.n_features())
        throw std::invalid_argument("feature " + std::to_string(slots->back()) + " is not one of the " +
                                    std::to_string(dataset.n_features()) + " of the dataset");
    return slots;
}

Pending root_of(const Dataset& dataset, std::shared_ptr<const Block> block, Slots slots, const GrowthOptions& options,
                GrownNode* node) {
    Pending root;
    root.node = node;
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

/// Subtrees that wait for a worker, and the blocks that they keep alive.
class WaitingSubtrees {
  public:
    void add(Pending at) {
        if (std::ranges::find(blocks_, at.block.get()) == blocks_.end()) blocks_.push_back(at.block.get());
        subtrees_.push_back(std::move(at));
    }

    /// The bytes of the blocks that would be freed if the subtrees were grown: the nodes of `stack` need the others.
    [[nodiscard]] std::size_t nbytes_kept(std::span<const Pending> stack) const {
        std::size_t bytes = 0;
        for (const Block* block : blocks_)
            if (std::ranges::none_of(stack, [block](const Pending& at) { return at.block.get() == block; }))
                bytes += block->nbytes();
        return bytes;
    }

    /// All of them, the largest last, which is the first to be taken.
    std::vector<Pending> take() {
        std::ranges::stable_sort(subtrees_, {}, &Pending::cells);
        blocks_.clear();
        return std::exchange(subtrees_, {});
    }

  private:
    std::vector<Pending> subtrees_;
    std::vector<const Block*> blocks_;
};

/// Whether it pays to give back what was freed while the table was read, before a tree grows beside the codes, and while
/// it grew, before its thresholds are found: some thirty bytes a row each. It does where the codes have fewer, and
/// where it takes next to no time beside the growing; not for a small table.
bool freed_is_worth_giving_back(const Dataset& dataset) {
    constexpr std::size_t least = std::size_t{1} << 18, always = std::size_t{1} << 23;
    const std::size_t bytes = dataset.code_bytes();
    return bytes >= always || (bytes >= least && bytes < 32 * dataset.n_rows());
}

/// Expands the nodes of more than `large` cells by all workers together; smaller subtrees are shared among them.
void grow_together(Growing& growing, Pending root, std::size_t large, std::size_t most_waiting_bytes,
                   std::vector<Workplace>& places, std::vector<RankingScratch>& scratch, WorkerPool& pool) {
    WaitingSubtrees waiting;
    std::vector<Pending> stack;
    stack.push_back(std::move(root));
    const auto hand_out = [&] {
        SharedWork<Pending> subtrees(waiting.take());
        pool.run(pool.size(), [&](std::size_t worker, std::size_t) {
            subtrees.work_on([&](Pending at) { growing.grow_subtree(std::move(at), places[worker], &subtrees); });
        });
    };
    while (!stack.empty()) {
        Pending at = std::move(stack.back());
        stack.pop_back();
        if (at.cells() >= large) {
            growing.expand(at, places[0], &pool, &scratch, stack);
        } else {
            waiting.add(std::move(at));
        }
        if (waiting.nbytes_kept(stack) > most_waiting_bytes) hand_out();
    }
    hand_out();
}

/// One of several trees, on which more than one worker may be busy.
struct SharedTree {
    SharedTree(const Dataset& dataset, GrowthOptions tree_options, Budget& budget)
        : options(std::move(tree_options)), arena(grown.new_arena()), growing(dataset, options, budget, unseen) {
        grown.root = arena.make<GrownNode>(1);
    }
    Arena& new_arena() {
        const std::lock_guard lock(mutex);
        return grown.new_arena();
    }

    GrowthOptions options;
    GrownTree grown;
    Arena& arena;     // of the worker that begins the tree
    Progress unseen;  // several trees are counted by tree
    Growing growing;
    std::atomic<std::size_t> n_open{1};  // parts that are being grown, or wait for a worker
    std::mutex mutex;
};

/// A tree that is not begun, or a node of one that is, with all below.
struct TreePart {
    std::size_t tree = 0;
    std::optional<Pending> at;
};

/// How a worker gives away nodes of the tree that it grows.
struct PartsOfTree {
    SharedWork<TreePart>& parts;
    std::size_t tree;
    std::atomic<std::size_t>& n_open;

    [[nodiscard]] bool is_wanted() const noexcept { return parts.is_wanted(); }
    void give(Pending at) {
        n_open.fetch_add(1, std::memory_order_relaxed);
        parts.give({tree, std::move(at)});
    }
};

}  // namespace

GrownTree grow_tree(const Dataset& dataset, const GrowthOptions& options, Budget& budget, Progress& progress,
                    WorkerPool& pool, std::optional<std::span<const std::uint32_t>> features) {
    GrownTree tree;
    Growing growing(dataset, options, budget, progress);
    std::vector<RankingScratch> scratch(pool.size());
    Arena& arena = tree.new_arena();
    tree.root = arena.make<GrownNode>(1);
    const auto whole = std::make_shared<const Block>(dataset);
    Slots slots = features ? slots_of(*features, dataset) : all_slots(*whole);
    Pending root = root_of(dataset, whole, std::move(slots), options, tree.root);
    progress.work_total.store(root.samples.size(*root.block), std::memory_order_relaxed);

    std::vector<Workplace> places;
    places.reserve(pool.size());
    places.push_back({scratch[0], arena});
    for (std::size_t worker = 1; worker < pool.size(); ++worker) places.push_back({scratch[worker], tree.new_arena()});
    if (freed_is_worth_giving_back(dataset)) give_back_freed_memory();
    if (pool.size() == 1) {
        growing.grow_subtree(std::move(root), places[0]);
    } else {
        const std::size_t cells = dataset.n_rows() * std::max<std::size_t>(1, root.slots->size());
        const std::size_t large = std::max<std::size_t>(std::size_t{1} << 18, cells / (16 * pool.size()));
        // Waiting subtrees keep their blocks, which are dear to cut out of the whole dataset again. So that the blocks
        // do not fill the memory, the subtrees are handed out whenever nothing else keeps an eighth of the codes' bytes.
        grow_together(growing, std::move(root), large, dataset.code_bytes() / 8, places, scratch, pool);
    }
    scratch.clear();
    if (freed_is_worth_giving_back(dataset)) give_back_freed_memory();
    tree.complete = !budget.spent();
    progress.trees_built.fetch_add(1, std::memory_order_relaxed);
    return tree;
}

std::vector<GrownTree> grow_trees(const Dataset& dataset, std::size_t n_trees,
                                  const std::function<TreeStart(std::size_t)>& start, Budget& budget,
                                  Progress& progress, WorkerPool& pool) {
    progress.work_total.store(n_trees, std::memory_order_relaxed);
    std::vector<std::unique_ptr<SharedTree>> trees(n_trees);
    std::vector<RankingScratch> scratch(pool.size());
    const auto block = std::make_shared<const Block>(dataset);
    std::vector<TreePart> whole_trees;
    for (std::size_t number = n_trees; number-- > 0;) whole_trees.push_back({number, std::nullopt});
    SharedWork<TreePart> parts(std::move(whole_trees));

    const auto begin = [&](std::size_t number) {
        TreeStart from = start(number);
        SharedTree& tree = *(trees[number] = std::make_unique<SharedTree>(dataset, std::move(from.options), budget));
        Pending root = root_of(dataset, block, all_slots(*block), tree.options, tree.grown.root);
        if (from.rows) root.samples = {std::move(*from.rows), {}, false};
        return root;
    };
    pool.run(pool.size(), [&](std::size_t worker, std::size_t) {
        parts.work_on([&](TreePart part) {
            const bool is_new = !part.at;
            if (is_new && part.tree > 0 && budget.check_deadline()) return;
            Pending at = is_new ? begin(part.tree) : std::move(*part.at);
            SharedTree& tree = *trees[part.tree];
            Workplace place{scratch[worker], is_new ? tree.arena : tree.new_arena()};
            PartsOfTree others{parts, part.tree, tree.n_open};
            tree.growing.grow_subtree(std::move(at), place, &others);
            if (tree.n_open.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
            tree.grown.complete = !budget.spent();
            progress.work_done.fetch_add(1, std::memory_order_relaxed);
            progress.trees_built.fetch_add(1, std::memory_order_relaxed);
        });
    });

    std::vector<GrownTree> grown(n_trees);
    for (std::size_t number = 0; number < n_trees; ++number)
        if (trees[number]) grown[number] = std::move(trees[number]->grown);
    return grown;
}

}  // namespace palmette
