// QuickXLogX stays within the error that it promises.

#include <cmath>

#include "check.hpp"
#include "palmette/support/quick_log.hpp"
#include "problems.hpp"

using namespace palmette;

TEST_CASE("the quick x log2(x) is within its error, from next to nothing to the largest weight") {
    const QuickXLogX quick;
    problems::Random random(1);
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        const double x = std::ldexp(1.0 + random.real(), random.integer(-40, 40));
        worst = std::max(worst, std::abs(quick(x) - x * std::log2(x)) / x);
    }
    CHECK(worst <= QuickXLogX::error);
    for (int exponent = -40; exponent <= 40; ++exponent)
        for (const double x : {std::ldexp(1.0, exponent), std::nextafter(std::ldexp(1.0, exponent), 0.0)})
            CHECK(std::abs(quick(x) - x * std::log2(x)) <= QuickXLogX::error * x);
    CHECK_EQ(quick(0.0), 0.0);
}
