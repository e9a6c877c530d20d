#include "palmette/search/paper.hpp"

#include "palmette/search/paper_acceptance.hpp"
#include "palmette/search/paper_rivals.hpp"

namespace palmette {

PaperResult search_as_paper(const SearchProblem& problem, const PaperSettings& settings, Budget& budget,
                            Progress& progress) {
    switch (settings.algorithm) {
        case PaperAlgorithm::exhaustive:
            return paper::search_exhaustively(problem, settings, budget, progress);
        case PaperAlgorithm::cache:
            return paper::search_with_cache(problem, settings, budget, progress);
        case PaperAlgorithm::accept:
            break;
    }
    return with_feature_set(problem.n_units(), [&]<std::size_t Words>() {
        return paper::AcceptableSubset<Words>(problem, settings, budget, progress).run();
    });
}

}  // namespace palmette
