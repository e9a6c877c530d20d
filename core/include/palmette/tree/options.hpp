// The choices that define which tree is grown (semantics.md §1).
#pragma once

#include <cstdint>
#include <limits>

namespace palmette {

enum class Criterion : std::uint8_t { information_gain, gain_ratio, gini };

/// c45: Release 8 of C4.5 (branch minimum, smallest side, MDL correction). literal: "a leaf iff pure or fewer than m".
enum class Growth : std::uint8_t { c45, literal };

/// Which number stands for a cut: the midpoint, or the greatest training value that does not exceed it.
enum class ThresholdRule : std::uint8_t { c45, midpoint };

struct GrowthOptions {
    static constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

    Criterion criterion = Criterion::information_gain;
    Growth growth = Growth::c45;
    double min_samples = 2.0;               // m, a weight
    std::uint32_t max_depth = no_limit;     // a single leaf has depth 0
    std::uint32_t max_features = no_limit;  // features drawn at random at each node
    std::uint64_t seed = 0;                 // of those draws
};

}  // namespace palmette
