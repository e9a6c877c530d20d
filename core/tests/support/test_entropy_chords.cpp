// EntropyChords are never above the entropy, and as near to it as they promise.

#include <cmath>

#include "check.hpp"
#include "palmette/support/entropy_chords.hpp"
#include "problems.hpp"

using namespace palmette;

TEST_CASE("a chord is at most the entropy of two classes, and hardly less") {
    const EntropyChords chord;
    problems::Random random(1);
    double most_above = 0, most_below = 0;
    for (int i = 0; i < 200000; ++i) {
        const double p = std::ldexp(random.real(), -random.integer(0, 40)), q = 1 - p;
        if (p == 0) continue;
        const double entropy = -p * std::log2(p) - q * std::log2(q);
        for (const double share : {p, q}) {
            most_above = std::max(most_above, chord(share) - entropy);
            most_below = std::max(most_below, entropy - chord(share));
        }
    }
    CHECK(most_above <= 1e-14);
    CHECK(most_below <= EntropyChords::most_below);
    CHECK_EQ(chord(0.0), 0.0);
    CHECK_EQ(chord(0.5), 1.0);
    CHECK_EQ(chord(1.0), 0.0);
}
