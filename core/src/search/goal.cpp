#include "goal.hpp"

namespace palmette {

void check_charges(const SearchProblem& problem, const SearchSettings& settings) {
    const double room = static_cast<double>(no_error_limit) / 2;
    const double factor = problem.dataset().scale().factor();
    const auto n_features = static_cast<double>(problem.dataset().n_features());
    if (!(settings.feature_penalty >= 0 && settings.feature_penalty * n_features * factor <= room))
        throw std::invalid_argument("a penalty of " + std::to_string(settings.feature_penalty) +
                                    " for each feature is negative or too large");
    if (!(settings.error_gap >= 0 && settings.error_gap * factor <= room))
        throw std::invalid_argument("an error gap of " + std::to_string(settings.error_gap) +
                                    " is negative or too large");
}

}  // namespace palmette
