// The trees of any subsets, read off tries of ranked nodes: for searches in which units come back.
//
// A node remembers the quality of every unit that was ever asked for there. The tree of a subset splits it on the first
// of its units in that ranking; units of the subset that were not asked for before are judged first. Nothing is assumed
// of the subsets, so no rule P1 here. Each worker has a trie of its own, and the i-th subset always goes to the same
// one of the workers.

#include <algorithm>
#include <utility>

#include "elimination_engine.hpp"

namespace palmette::elimination {
namespace {

class SubsetTrie {
  public:
    SubsetTrie(const SearchProblem& problem, std::size_t memory_limit, Budget& budget, Progress& progress)
        : nodes_(problem, memory_limit), memory_limit_(memory_limit), budget_(budget), progress_(progress) {}

    std::optional<Assessment> assess(const UnitSet& subset, bool at_any_cost) {
        if (nodes_.bytes_in_use() > memory_limit_) forget();
        Assessment assessment;
        UnitSet used(nodes_.n_units());
        for (Node& root : nodes_.roots()) {
            stack_.assign(1, &root);
            while (!stack_.empty()) {
                Node& node = *stack_.back();
                stack_.pop_back();
                Ranked* ranked = nullptr;
                if (!node.is_leaf) {
                    if (!rank(node, subset, at_any_cost)) return give_up();
                    const Head& head = *node.head.load(std::memory_order_relaxed);
                    for (std::uint32_t i = 0; i < head.n && ranked == nullptr; ++i)
                        if (subset.contains(head.ranked[i].unit)) ranked = &head.ranked[i];
                }
                if (ranked == nullptr) {
                    assessment.error += node.leaf_error;
                    vote(node);
                    continue;
                }
                used.insert(ranked->unit);
                const Split& split = nodes_.split(node, *ranked, place_);
                assessment.error += split.fixed_error;
                for (std::uint32_t j = split.n_children; j-- > 0;) stack_.push_back(&split.children[j]);
            }
        }
        assessment.error += errors_of_votes();
        assessment.used = used.list();
        progress_.trees_built.fetch_add(1, std::memory_order_relaxed);
        return assessment;
    }

    void add_to(Counters& counters) const {
        counters.n_scans += place_.n_scans;
        counters.n_expansions += place_.n_expansions;
        counters.peak_bytes += nodes_.peak_bytes();
    }

  private:
    std::optional<Assessment> give_up() {
        errors_of_votes();
        return std::nullopt;
    }

    /// Judges the units of the subset that were not judged before; `alive` is the set of those that were.
    bool rank(Node& node, const UnitSet& subset, bool at_any_cost) {
        if (node.alive == nullptr) {
            nodes_.make_alive(node);
            node.head.store(nodes_.make_head({}, false), std::memory_order_relaxed);
            ++place_.n_expansions;
        }
        std::vector<std::uint32_t>& units = place_.units;
        units.clear();
        for (std::size_t i = 0; i < nodes_.n_words(); ++i)
            for (std::uint64_t word = subset.words()[i] & ~node.alive[i]; word != 0; word &= word - 1)
                units.push_back(static_cast<std::uint32_t>(64 * i) +
                                static_cast<std::uint32_t>(std::countr_zero(word)));
        if (units.empty()) return true;
        if (!at_any_cost && place_.watch.is_over(budget_, units.size() * node.n_building)) return false;
        nodes_.load(node, place_);
        std::vector<Candidate>& candidates = place_.candidates;
        candidates.clear();
        for (const std::uint32_t unit : units) {
            if (!at_any_cost && budget_.spent()) return false;
            const Candidate candidate = nodes_.best_of_unit(unit, place_, place_.scratch);
            if (candidate.eligible()) candidates.push_back(candidate);
        }
        ++place_.n_scans;
        progress_.nodes_expanded.fetch_add(1, std::memory_order_relaxed);
        for (const std::uint32_t unit : units) node.alive[unit / 64] |= std::uint64_t{1} << (unit % 64);
        if (candidates.empty()) return true;

        Head* before = node.head.load(std::memory_order_relaxed);
        for (const Ranked& ranked : std::span(before->ranked, before->n)) {
            Candidate& again = candidates.emplace_back();
            again.feature = ranked.feature;
            again.cut = ranked.lower;
            again.above = ranked.upper;
            again.quality = ranked.quality;
        }
        std::ranges::sort(candidates, ranks_before);
        Head* head = nodes_.make_head(candidates, false);
        std::uint32_t next = 0;  // the old entries are in the same order among the new ones
        for (const Ranked& ranked : std::span(before->ranked, before->n)) {
            while (head->ranked[next].unit != ranked.unit) ++next;
            head->ranked[next].split = ranked.split;
        }
        nodes_.release_head(before);
        node.head.store(head, std::memory_order_relaxed);
        return true;
    }

    /// Leaves come leftmost first, so the sums are those of `predict`, bit for bit.
    void vote(const Node& node) {
        const std::size_t n_classes = nodes_.n_classes();
        for (const Part& part : std::span(node.parts, node.n_parts)) {
            if (votes_.size() <= part.sample * n_classes)
                votes_.resize((part.sample + std::size_t{1}) * n_classes, 0.0);
            double* votes = votes_.data() + part.sample * n_classes;
            for (std::size_t k = 0; k < n_classes; ++k) votes[k] += part.share * node.votes[k];
            voters_.push_back({part.sample, node.fold});
        }
    }

    /// Clears the votes on the way: each sample is judged at its first occurrence.
    ErrorWeight errors_of_votes() {
        const std::size_t n_classes = nodes_.n_classes();
        ErrorWeight error = 0;
        for (const Voter& voter : voters_) {
            double* votes = votes_.data() + voter.sample * n_classes;
            const double* greatest = std::max_element(votes, votes + n_classes);
            if (*greatest == 0) continue;
            const std::uint32_t row = nodes_.row_of(voter.fold, voter.sample);
            if (greatest - votes != std::ptrdiff_t{nodes_.label_of(row)})
                error += nodes_.search_weight(voter.fold, row);
            std::fill_n(votes, n_classes, 0.0);
        }
        voters_.clear();
        return error;
    }

    void forget() {
        for (Node& root : nodes_.roots())
            if (Head* head = root.head.load(std::memory_order_relaxed))
                for (Ranked& ranked : std::span(head->ranked, head->n)) nodes_.release_split(ranked);
    }

    struct Voter {
        std::uint32_t sample;
        std::uint16_t fold;
    };

    Nodes nodes_;
    std::size_t memory_limit_;
    Budget& budget_;
    Progress& progress_;
    Workplace place_;
    std::vector<Node*> stack_;
    std::vector<double> votes_;  // by sample and class; zero between two walks
    std::vector<Voter> voters_;
};

class TrieAssessor final : public Assessor {
  public:
    TrieAssessor(const SearchProblem& problem, const EliminationSettings& settings, Budget& budget, Progress& progress)
        : pool_(std::max<std::size_t>(1, settings.n_jobs)) {
        for (std::size_t i = 0; i < pool_.size(); ++i)
            tries_.push_back(
                std::make_unique<SubsetTrie>(problem, settings.memory_limit / 2 / pool_.size(), budget, progress));
    }

    std::vector<std::optional<Assessment>> assess(std::span<const UnitSet> subsets, bool at_any_cost) override {
        std::vector<std::optional<Assessment>> assessments(subsets.size());
        pool_.run(tries_.size(), [&](std::size_t, std::size_t trie) {
            for (std::size_t i = trie; i < subsets.size(); i += tries_.size()) {
                assessments[i] = tries_[trie]->assess(subsets[i], at_any_cost);
                if (!assessments[i]) return;
            }
        });
        n_trees_ += subsets.size();
        return assessments;
    }

    [[nodiscard]] Counters counters() const override {
        Counters counters;
        counters.n_trees = n_trees_;
        for (const auto& trie : tries_) trie->add_to(counters);
        return counters;
    }

  private:
    WorkerPool pool_;
    std::vector<std::unique_ptr<SubsetTrie>> tries_;
    std::uint64_t n_trees_ = 0;
};

}  // namespace

std::unique_ptr<Assessor> make_trie_assessor(const SearchProblem& problem, const EliminationSettings& settings,
                                             Budget& budget, Progress& progress) {
    return std::make_unique<TrieAssessor>(problem, settings, budget, progress);
}

}  // namespace palmette::elimination
