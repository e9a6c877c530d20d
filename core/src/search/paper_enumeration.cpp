#include "palmette/search/paper_enumeration.hpp"

#include "palmette/search/paper.hpp"

namespace palmette {

PaperEnumeration enumerate_as_paper(const SearchProblem& problem, const PaperSettings& settings, bool collect,
                                    Budget& budget, Progress& progress) {
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        PaperEnumeration result;
        result.trees_by_size.assign(problem.dataset().n_features() + 1, 0);
        const paper::Lattice<Words> lattice(problem, settings);
        const auto report = [&](const paper::PaperTree<Words>& tree) {
            ++result.trees_by_size[lattice.size(tree.used())];
            if (collect) result.subsets.push_back(lattice.subset(tree.used()));
        };
        paper::DistinctTrees<Words, decltype(report)> trees(lattice, settings.order, budget, progress, report);
        result.finished = trees.run();
        result.counts = trees.counts();
        return result;
    });
}

}  // namespace palmette
