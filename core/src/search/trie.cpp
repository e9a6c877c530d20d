#include "trie.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace palmette {

namespace {

/// Of an expansion that judges so many units.
std::uint64_t work_of_ranking(std::size_t n_units, std::size_t n_samples) {
    return (n_units + 4) * (n_samples + 16);
}

}  // namespace

template <std::size_t Words>
Trie<Words>::Trie(const SearchProblem& problem, std::span<const SearchSamples> samples, bool keep_unreached,
                  const Budget& budget)
    : problem_(problem),
      dataset_(problem.dataset()),
      samples_(samples),
      keep_unreached_(keep_unreached),
      budget_(budget),
      block_(problem.dataset()),
      ranker_(problem.dataset(), problem.growth()),
      n_classes_(problem.dataset().n_classes()),
      row_width_(row_width(problem)),
      splits_(problem, samples, keep_unreached, ranker_, pool_),
      twins_(problem) {
    class_here_.assign(n_classes_, 0);
    roots_.resize(problem.folds().size());
    for (std::size_t fold = 0; fold < roots_.size(); ++fold) plant_root(fold);
}

/// The root of a fold: its samples sorted by class, in runs.
template <std::size_t Words>
void Trie<Words>::plant_root(std::size_t fold) {
    Node& root = roots_[fold];
    root = Node{};
    root.fold = static_cast<std::uint16_t>(fold);
    const SearchSamples& samples = samples_[fold];
    const auto label_of = [&](std::uint32_t row) { return dataset_.labels()[row]; };
    gathered_.ids = problem_.folds()[fold].building;
    std::ranges::stable_sort(gathered_.ids, {}, label_of);
    gathered_.weights.clear();
    gathered_.n_ones = dataset_.weights().empty() ? gathered_.ids.size() : 0;
    if (!dataset_.weights().empty())
        for (const std::uint32_t row : gathered_.ids) gathered_.weights.push_back(dataset_.weights()[row]);
    std::vector<Weight> class_weights(n_classes_, 0);
    for (const std::uint32_t row : gathered_.ids) class_weights[label_of(row)] += problem_.weight_of_row(row);
    gathered_whole_ = samples.rows;
    const auto kind_of = [&](std::uint32_t row) { return std::pair(label_of(row), samples.group_majority[row]); };
    std::ranges::stable_sort(gathered_whole_, {}, kind_of);
    building_runs_.clear();
    search_runs_.clear();
    for (std::uint32_t i = 0; i < gathered_.ids.size(); ++i) {
        const Label label = label_of(gathered_.ids[i]);
        if (building_runs_.empty() || building_runs_.back().label != label) building_runs_.push_back({0, label, label});
        building_runs_.back().end = i + 1;
    }
    for (std::uint32_t i = 0; i < gathered_whole_.size(); ++i) {
        const auto [label, majority] = kind_of(gathered_whole_[i]);
        if (search_runs_.empty() || search_runs_.back().label != label || search_runs_.back().majority != majority)
            search_runs_.push_back({0, label, majority});
        search_runs_.back().end = i + 1;
    }
    const auto greatest = std::ranges::max_element(class_weights);
    const Weight total = std::accumulate(class_weights.begin(), class_weights.end(), Weight{0});
    root.label = static_cast<Label>(greatest - class_weights.begin());
    for (const Run& run : building_runs_)
        if (class_weights[run.label] > 0) root.classes |= mask_of(run.label);
    root.is_leaf = ranker_.is_leaf(total, *greatest == total) || problem_.growth().max_depth == 0;
    root.expanded = root.is_leaf;
    for (const std::uint32_t row : gathered_whole_) {
        const ErrorWeight weight = samples.weight_of[row];
        const auto [label, majority] = kind_of(row);
        root.whole_weight += weight;
        if (label != root.label) root.leaf_error += weight;
        if (class_weights[label] == 0 || (majority != label && class_weights[majority] > 0)) root.base_bound += weight;
    }
    if (root.is_leaf || root.base_bound > root.leaf_error) root.base_bound = root.leaf_error;
    Set all;
    for (std::size_t unit = 0; unit < problem_.n_units(); ++unit) all.insert(unit);
    store(root, all);
}

/// Puts the gathered samples into the node's own memory.
template <std::size_t Words>
void Trie<Words>::store(Node& node, const Set& alive) {
    node.n_building = static_cast<std::uint32_t>(gathered_.ids.size());
    node.n_whole = static_cast<std::uint32_t>(gathered_whole_.size());
    Content content{alive,
                    nullptr,
                    nullptr,
                    static_cast<std::uint32_t>(building_runs_.size()),
                    static_cast<std::uint32_t>(search_runs_.size()),
                    static_cast<std::uint32_t>(gathered_.n_ones)};
    node.content = ::new (pool_.allocate<std::byte>(content_bytes(node, content))) Content(content);
    Content& made = *node.content;
    std::ranges::copy(search_runs_, std::ranges::copy(building_runs_, made.runs()).out);
    made.place_arrays(node.n_building);
    std::ranges::copy(gathered_.weights, made.weights);
    const auto copy = [&](auto* out) {
        using Row = std::remove_pointer_t<decltype(out)>;
        for (const std::uint32_t row : gathered_.ids) *out++ = static_cast<Row>(row);
        for (const std::uint32_t row : gathered_whole_) *out++ = static_cast<Row>(row);
    };
    if (row_width_ == 2)
        copy(static_cast<std::uint16_t*>(made.rows));
    else
        copy(static_cast<std::uint32_t*>(made.rows));
}

/// Calls use(codes, belongs) with the codes of the feature that the parent splits on and with what tells whether a code
/// leads to the node.
template <std::size_t Words>
template <class Use>
void Trie<Words>::with_branch(const Node& node, Use use) const {
    const Ranked& ranked = node.parent->ranking[node.rank];
    const Column& column = dataset_.column(ranked.feature);
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        if (column.kind == FeatureKind::nominal)
            use(codes, [branch = node.branch](std::uint32_t code) { return code == branch; });
        else if (node.branch == 0)  // 0, missing, wraps around
            use(codes, [cut = ranked.split->cut](std::uint32_t code) { return code - 1 < cut; });
        else
            use(codes, [cut = ranked.split->cut](std::uint32_t code) { return code > cut; });
    });
}

/// The samples of a node out of its parent's, as Partition would hand them out.
template <std::size_t Words>
void Trie<Words>::gather(const Node& node) {
    with_branch(node, [&](const auto* codes, auto belongs) {
        node.parent->content->with_rows(row_width_, [&](const auto* rows) { select(node, codes, rows, belongs); });
    });
}

template <std::size_t Words>
template <class Code, class Row, class Belongs>
void Trie<Words>::select(const Node& node, const Code* codes, const Row* rows, Belongs belongs) {
    const Node& parent = *node.parent;
    const Content& from = *parent.content;
    const Split& split = *parent.ranking[node.rank].split;
    const auto close_run = [](std::vector<Run>& runs, const Run& of, std::size_t end) {
        if (end > (runs.empty() ? 0 : runs.back().end))
            runs.push_back({static_cast<std::uint32_t>(end), of.label, of.majority});
    };
    building_runs_.clear();
    search_runs_.clear();
    gathered_.weights.clear();
    split_rows_.resize(split.has_missing ? from.n_ones : 0);
    split_runs_.clear();
    const Run* run = from.runs();
    const Run* const last_run = run + from.n_building_runs;
    gathered_.ids.resize(from.n_ones);
    std::uint32_t* ids = gathered_.ids.data();
    std::size_t n = 0, n_split = 0, i = 0;
    for (; run != last_run && run->end <= from.n_ones; ++run) {
        if (split.has_missing) {
            for (; i < run->end; ++i) {
                const std::uint32_t code = codes[rows[i]];
                ids[n] = split_rows_[n_split] = rows[i];
                n += belongs(code);
                n_split += code == 0;
            }
            close_run(split_runs_, *run, n_split);
        } else {
            // Without jumps: every sample is written, and the next one over it if it does not belong.
            for (; i < run->end; ++i) {
                ids[n] = rows[i];
                n += belongs(std::uint32_t{codes[rows[i]]});
            }
        }
        close_run(building_runs_, *run, n);
    }
    gathered_.n_ones = n;
    if (split.unit_weights) {
        gathered_.ids.resize(n);
    } else {
        // Those that this split has split, and those that came with a weight, merged by class.
        const std::size_t n_ones = n;
        gathered_.weights.resize(n_split + parent.n_building - from.n_ones);
        gathered_.ids.resize(n_ones + gathered_.weights.size());
        ids = gathered_.ids.data();
        const auto add = [&, weights = gathered_.weights.data()](std::uint32_t row, Weight weight, bool comes) {
            ids[n] = row;
            weights[n - n_ones] = weight;
            n += comes & (weight != 0);
        };
        // Samples that miss the same values have the same weight, and stand side by side.
        Weight last_weight = -1, last_share = 0;
        const auto share = [&](Weight weight) {
            if (weight == last_weight) return last_share;
            last_weight = weight;
            return last_share = share_of_weight(weight, node.shares->known_weight, split.known_weight);
        };
        const Weight share_of_one = n_split == 0 ? 0 : share(dataset_.scale().one());
        std::size_t s = 0;
        auto split_run = split_runs_.cbegin();
        while (run != last_run || split_run != split_runs_.cend()) {
            const Run& of = run == last_run || (split_run != split_runs_.cend() && split_run->label < run->label)
                                ? *split_run
                                : *run;
            const Label label = of.label;
            if (split_run != split_runs_.cend() && split_run->label == label) {
                for (; s < split_run->end; ++s) add(split_rows_[s], share_of_one, true);
                ++split_run;
            }
            if (run != last_run && run->label == label) {
                for (; i < run->end; ++i) {
                    const std::uint32_t code = codes[rows[i]];
                    const Weight weight = from.weights[i - from.n_ones];
                    if (split.has_missing && code == 0)
                        add(rows[i], share(weight), true);
                    else
                        add(rows[i], weight, belongs(code));
                }
                ++run;
            }
            close_run(building_runs_, {0, label, label}, n);
        }
        gathered_.ids.resize(n);
        gathered_.weights.resize(n - n_ones);
    }
    gathered_whole_.clear();
    if (node.n_whole == 0) return;  // of a side child: its split has counted them
    n = 0;
    i = 0;
    gathered_whole_.resize(parent.n_whole);
    std::uint32_t* whole = gathered_whole_.data();
    rows += parent.n_building;
    for (std::uint32_t r = 0; r < from.n_search_runs; ++r) {
        const Run& of = last_run[r];
        for (; i < of.end; ++i) {
            whole[n] = rows[i];
            n += belongs(std::uint32_t{codes[rows[i]]});
        }
        close_run(search_runs_, of, n);
    }
    gathered_whole_.resize(n);
}

/// NodeTotals of the gathered building samples, from their runs; classes are numbered among those of the node.
template <std::size_t Words>
void Trie<Words>::compute_totals() {
    const auto last = building_runs_.cend();
    const auto first_split =
        std::find_if(building_runs_.cbegin(), last, [&](const Run& run) { return run.end > gathered_.n_ones; });
    Label n_here = 0;
    for (auto ones = building_runs_.cbegin(), split = first_split; ones != first_split || split != last;) {
        const Label label =
            ones == first_split || (split != last && split->label < ones->label) ? split->label : ones->label;
        class_here_[label] = n_here++;
        if (ones != first_split && ones->label == label) ++ones;
        if (split != last && split->label == label) ++split;
    }
    totals_.by_class = true;
    totals_.labels.resize(gathered_.ids.size());
    totals_.class_weights.assign(n_here, 0);
    totals_.class_counts.assign(n_here, 0);
    std::uint32_t begin = 0;
    for (const Run& run : building_runs_) {
        const Label here = class_here_[run.label];
        std::fill(totals_.labels.begin() + begin, totals_.labels.begin() + run.end, here);
        if (run.end <= gathered_.n_ones) {
            totals_.class_counts[here] = run.end - begin;
            totals_.class_weights[here] = Weight{run.end - begin} << dataset_.scale().fraction_bits();
        } else {
            const auto weights = gathered_.weights.cbegin() - static_cast<std::ptrdiff_t>(gathered_.n_ones);
            totals_.class_weights[here] =
                std::accumulate(weights + begin, weights + run.end, totals_.class_weights[here]);
        }
        begin = run.end;
    }
    totals_.weight = std::accumulate(totals_.class_weights.begin(), totals_.class_weights.end(), Weight{0});
}

/// Judges the units that are alive for the gathered samples; those that are constant here are struck out.
template <std::size_t Words>
void Trie<Words>::rank(Set& alive) {
    compute_totals();
    candidates_.clear();
    work_ += work_of_ranking(alive.size(), gathered_.ids.size());
    const Set all = alive;
    all.for_each([&](std::size_t unit) {
        Candidate best;
        bool constant = true;
        for (const std::uint32_t feature : problem_.features_of(unit)) {
            if (budget_.spent()) return;
            const Candidate candidate = ranker_.evaluate(block_, gathered_, totals_, feature, ranking_scratch_);
            constant = constant && candidate.constant;
            // Of the features of a unit only the first in the ranking can ever be chosen.
            if (candidate.eligible() && (!best.eligible() || ranks_before(candidate, best))) best = candidate;
        }
        if (constant) alive.erase(unit);
        if (best.eligible()) candidates_.push_back(best);
    });
    std::ranges::sort(candidates_, ranks_before);
}

template <std::size_t Words>
ErrorWeight Trie<Words>::twin_errors(Node& node, const Set& excluded) {
    if (node.n_whole < 2) return 0;
    const Set allowed = alive_at(node) - excluded;
    TrialRecord& record = twins_.record_of(allowed.size());
    if (node.twins.answers(allowed)) return node.twins.errors;
    if (!record.worth_trying()) return 0;
    twins_.begin(allowed, node.n_whole);
    const SearchSamples& samples = samples_[node.fold];
    const Node& from = holder_of(node);
    const Content& content = *from.content;
    ErrorWeight of_absent_classes = 0;
    const auto add_if = [&](const auto* rows, auto belongs) {
        rows += from.n_building;
        std::size_t i = 0;
        for (std::uint32_t r = 0; r < content.n_search_runs; ++r) {
            const Run& run = content.runs()[content.n_building_runs + r];
            // Chosen without jumps, as in `select`.
            gathered_whole_.resize(run.end - i);
            std::size_t n = 0;
            for (; i < run.end; ++i) {
                gathered_whole_[n] = rows[i];
                n += belongs(rows[i]);
            }
            const std::span<const std::uint32_t> chosen(gathered_whole_.data(), n);
            if ((node.classes & mask_of(run.label)) == 0)
                for (const std::uint32_t row : chosen) of_absent_classes += samples.weight_of[row];
            else
                for (const std::uint32_t row : chosen) twins_.add(row, run.label, samples.weight_of[row]);
        }
    };
    content.with_rows(row_width_, [&](const auto* rows) {
        if (&from == &node)
            add_if(rows, [](std::uint32_t) { return true; });
        else
            with_branch(node, [&](const auto* codes, auto belongs) {
                add_if(rows, [&](std::uint32_t row) { return belongs(std::uint32_t{codes[row]}); });
            });
    });
    const std::uint64_t work = from.n_whole + 2 * node.n_whole + 16;  // in evaluations of a ranking, about
    work_ += work;
    const ErrorWeight errors = of_absent_classes + twins_.errors();
    // A bound that is as high as a leaf's error makes the expansion needless; one that rises halfway, about half of them,
    // and all that would follow. How many that is was found by trying.
    constexpr double expansions_saved = 3;
    double gained = 0;
    if (errors > node.base_bound)
        gained = expansions_saved * static_cast<double>(work_of_ranking(allowed.size(), node.n_building)) *
                 static_cast<double>(errors - node.base_bound) / static_cast<double>(node.leaf_error - node.base_bound);
    record.learn(static_cast<double>(work), gained);
    node.twins.keep(allowed, errors);
    return errors;
}

template <std::size_t Words>
bool Trie<Words>::expand(Node& node) {
    if (node.expanded) return true;
    if (budget_.spent()) return false;
    ++n_expansions_;
    Set alive;
    if (node.parent != nullptr) {
        gather(node);
        // P1: whoever comes here holds none of the features ranked before the edge taken.
        alive = node.parent->content->alive;
        for (std::uint32_t i = 0; i < node.rank; ++i) alive.erase(node.parent->ranking[i].unit);
    } else {
        const std::size_t n = node.n_building;
        const Content& content = *node.content;
        content.with_rows(row_width_, [&](const auto* rows) { gathered_.ids.assign(rows, rows + n); });
        gathered_.weights.assign(content.weights, content.weights + (n - content.n_ones));
        gathered_.n_ones = content.n_ones;
        building_runs_.assign(content.runs(), content.runs() + content.n_building_runs);
        alive = content.alive;
    }
    rank(alive);
    if (budget_.spent()) return false;  // the ranking may be incomplete
    if (node.parent == nullptr)
        node.content->alive = alive;
    else if (!candidates_.empty())
        store(node, alive);
    if (candidates_.empty())
        settle_as_leaf(node);
    else
        store_ranking(node);
    node.expanded = true;
    return true;
}

template <std::size_t Words>
void Trie<Words>::store_ranking(Node& node) {
    node.n_ranked = static_cast<std::uint32_t>(candidates_.size());
    std::byte* piece = pool_.allocate<std::byte>(Node::ranking_bytes(node.n_ranked));
    node.ranking = reinterpret_cast<Ranked*>(piece + sizeof(TrieMemo<Words>));
    ::new (piece) TrieMemo<Words>;
    Ranked* next = node.ranking;
    for (const Candidate& candidate : candidates_)
        ::new (next++)
            Ranked{candidate.feature, problem_.unit_of(candidate.feature), candidate.cut, candidate.above, nullptr};
}

/// Nothing can split it, so its error is known, and the bound of the split that leads to it rises.
template <std::size_t Words>
void Trie<Words>::settle_as_leaf(Node& node) {
    node.is_leaf = true;
    const ErrorWeight rise = node.leaf_error - std::exchange(node.base_bound, node.leaf_error);
    if (node.parent != nullptr) node.parent->ranking[node.rank].split->bound += rise;
}

template <std::size_t Words>
typename Trie<Words>::Split& Trie<Words>::make_split(Node& node, std::uint32_t rank, bool hand_out) {
    work_ += node.n_building + node.n_whole + 16;
    return *(node.ranking[rank].split = &splits_.make(node, rank, hand_out));
}

template <std::size_t Words>
void Trie<Words>::hand_out_parts(Node& node, std::uint32_t rank) {
    work_ += node.n_building + node.n_whole + 16;
    splits_.hand_out_parts(node, rank);
}

template class Trie<1>;
template class Trie<4>;
template class Trie<most_searched_units / 64>;

}  // namespace palmette
