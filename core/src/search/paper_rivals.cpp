#include "palmette/search/paper_rivals.hpp"

#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "palmette/search/paper_grower.hpp"
#include "palmette/search/paper_lattice.hpp"
#include "palmette/search/paper_levels.hpp"
#include "palmette/search/paper_subsets.hpp"

namespace palmette::paper {
namespace {

constexpr std::size_t usual_cache_bytes = std::size_t{1} << 30;

template <std::size_t Words>
struct HashOfSet {
    std::size_t operator()(const FeatureSet<Words>& set) const noexcept {
        std::uint64_t hash = 0;
        for (const std::uint64_t word : set.words()) {
            hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
            hash ^= hash >> 29;
        }
        return hash;
    }
};

template <std::size_t Words>
PaperResult finish(const Incumbent<Words>& incumbent, const PaperGrower<Words>& grower, std::uint64_t n_reported,
                   bool proved) {
    PaperResult result = incumbent.result();
    result.proved = proved;
    result.counts = {.n_built = grower.n_built(),
                     .n_reported = n_reported,
                     .n_duplicates = grower.n_built() - n_reported,
                     .n_expansions = grower.n_expansions()};
    return result;
}

template <std::size_t Words>
class CachedSearch {
  public:
    CachedSearch(const SearchProblem& problem, const PaperSettings& settings, Budget& budget, Progress& progress)
        : lattice_(problem, settings),
          incumbent_(lattice_, settings),
          grower_(problem, budget, progress),
          budget_(budget),
          progress_(progress),
          share_of_subset_(std::ldexp(1.0, -static_cast<int>(lattice_.free().size()))),
          most_bytes_(budget.memory_limit().value_or(usual_cache_bytes)) {}

    PaperResult run() {
        bool proved = true;
        std::vector<Known> level{{lattice_.free(), std::nullopt}};
        while (!level.empty() && proved) {
            proved = evaluate(level);
            if (proved) proved = descend(level);
        }
        return finish(incumbent_, grower_, distinct_.size(), proved);
    }

  private:
    /// A subset, and the units that its tree uses once that is known.
    struct Known {
        FeatureSet<Words> subset;
        std::optional<FeatureSet<Words>> used;
    };

    /// A subset and its place in an index cost about this much; a hash table as many bytes again.
    static constexpr std::size_t bytes_each = 2 * (sizeof(Known) + sizeof(FeatureSet<Words>) + 4 * sizeof(void*));

    /// Grows the trees of a level that are not known.
    bool evaluate(std::vector<Known>& level) {
        for (Known& known : level) {
            progress_.add(share_of_subset_);
            if (known.used) continue;
            // What a tree of too many features has to say, those of its subsets say again.
            if (lattice_.too_large(known.subset)) continue;
            if (!grower_.grow(lattice_.keep() | known.subset, tree_)) return false;
            known.used = tree_.used();
            distinct_.insert(tree_.used());
            incumbent_.consider(tree_.used(), tree_.error());
        }
        return true;
    }

    /// Goes on to the subsets with one unit less.
    bool descend(std::vector<Known>& level) {
        std::vector<Known> next;
        std::unordered_map<FeatureSet<Words>, std::size_t, HashOfSet<Words>> index;
        for (const Known& known : level) {
            if ((level.size() + next.size() + distinct_.size()) * bytes_each > most_bytes_ || budget_.check_deadline())
                return false;
            known.subset.for_each([&](std::size_t unit) {
                FeatureSet<Words> subset = known.subset;
                subset.erase(unit);
                const auto [entry, is_new] = index.try_emplace(subset, next.size());
                if (is_new) next.push_back({subset, std::nullopt});
                if (known.used && !known.used->contains(unit)) next[entry->second].used = known.used;
            });
        }
        level = std::move(next);
        return true;
    }

    Lattice<Words> lattice_;
    Incumbent<Words> incumbent_;
    PaperGrower<Words> grower_;
    Budget& budget_;
    ShareOfSubsets progress_;
    double share_of_subset_;
    std::size_t most_bytes_;
    PaperTree<Words> tree_;
    std::unordered_set<FeatureSet<Words>, HashOfSet<Words>> distinct_;
};

}  // namespace

PaperResult search_exhaustively(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                                Progress& progress) {
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        const Lattice<Words> lattice(problem, settings);
        Incumbent<Words> incumbent(lattice, settings);
        PaperGrower<Words> grower(problem, budget, progress);
        ShareOfSubsets done(progress);
        const double share_of_subset = std::ldexp(1.0, -static_cast<int>(lattice.free().size()));
        PaperTree<Words> tree;
        std::uint64_t n_distinct = 0;
        const auto try_subset = [&](const FeatureSet<Words>& subset) {
            done.add(share_of_subset);
            if (lattice.too_large(subset)) return !budget.check_deadline();
            if (!grower.grow(lattice.keep() | subset, tree)) return false;
            // Of the subsets with one and the same tree, one is what the tree uses.
            if (subset == tree.used() - lattice.keep()) ++n_distinct;
            incumbent.consider(tree.used(), tree.error());
            return true;
        };
        const bool proved = enumerate_subsets(Sublattice<Words>{{}, lattice.free()}, try_subset);
        return finish(incumbent, grower, n_distinct, proved);
    });
}

PaperResult search_with_cache(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                              Progress& progress) {
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        return CachedSearch<Words>(problem, settings, budget, progress).run();
    });
}

}  // namespace palmette::paper
