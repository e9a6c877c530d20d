// The number half way between two values, where a cut between them is drawn.
#pragma once

#include <cmath>

namespace palmette {

/// Without overflow; the lower value where rounding would reach the upper.
[[nodiscard]] inline double midpoint(double lower, double upper) noexcept {
    const double sum = lower + upper;
    const double middle = std::isfinite(sum) ? sum / 2 : lower / 2 + upper / 2;
    return middle < upper ? middle : lower;
}

}  // namespace palmette
