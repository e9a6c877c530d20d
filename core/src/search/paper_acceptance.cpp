#include "palmette/search/paper_acceptance.hpp"

#include <vector>

namespace palmette::paper {

template <std::size_t Words>
AcceptableSubset<Words>::AcceptableSubset(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                                          Progress& progress)
    : lattice_(problem, settings),
      grower_(problem, budget, progress),
      order_(settings.order, problem.n_units()),
      bound_(problem),
      incumbent_(lattice_, settings),
      error_gap_(to_fixed(problem.dataset().scale(), settings.error_gap, "error_gap")),
      progress_(progress) {}

template <std::size_t Words>
PaperResult AcceptableSubset<Words>::run() {
    Level<Words>& root = levels_[0];
    root.at = {{}, lattice_.free()};
    const bool proved = grower_.grow(lattice_.keep() | root.at.all(), root.tree) &&
                        walk(levels_, lattice_, grower_, progress_, [this](Level<Words>& level) { enter(level); });
    PaperResult result = incumbent_.result();
    result.proved = proved;
    result.counts = counts_;
    result.counts.n_built = grower_.n_built();
    result.counts.n_expansions = grower_.n_expansions();
    return result;
}

// Algorithm 3. Why nothing is lost. Let V be the units, `keep` aside, that the best tree uses; V is a subset of its own
// and lies, by Lemma 1, in exactly one of the sublattices of the loop, or in none. On its way down every `required` is
// part of V, so that a sublattice whose `required` is too large does not hold it. Where the way ends, V holds all units
// that are worth branching on, and its objective is at least the bound of `worth_branching`: its error by the argument
// of paper_bound.hpp, its penalty because V holds these units and, V being what the tree uses, pays for them.
template <std::size_t Words>
void AcceptableSubset<Words>::enter(Level<Words>& level) {
    const auto& [required, optional] = level.at;
    const FeatureSet<Words>& used = level.tree.used();
    ++(required.is_subset_of(used) ? counts_.n_reported : counts_.n_duplicates);
    incumbent_.consider(used, level.tree.error());
    order_(level.tree, lattice_.keep() | required, optional & used, level.order);
    const FeatureSet<Words> branching = worth_branching(level.tree, level.at, level.order);
    std::erase_if(level.order, [&](std::uint32_t unit) { return !branching.contains(unit); });
}

template <std::size_t Words>
FeatureSet<Words> AcceptableSubset<Words>::worth_branching(const PaperTree<Words>& tree, const Sublattice<Words>& at,
                                                           const std::vector<std::uint32_t>& order) {
    FeatureSet<Words> branching;
    for (const std::uint32_t unit : order) branching.insert(unit);
    const FeatureSet<Words> decided = lattice_.keep() | at.required;
    for (const std::uint32_t unit : order) {
        FeatureSet<Words> trial = branching;
        trial.erase(unit);
        // The paper charges the trial alone. That `required` could be charged too is left to the better searches.
        const ErrorWeight enough = incumbent_.objective() - error_gap_ - lattice_.penalty(lattice_.n_features(trial));
        if (bound_.reaches(tree, decided | trial, enough)) branching = trial;
    }
    return branching;
}

template class AcceptableSubset<1>;
template class AcceptableSubset<4>;
template class AcceptableSubset<most_searched_units / 64>;

}  // namespace palmette::paper
