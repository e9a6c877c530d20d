// GainCeiling leaves out no cut that gains as many bits, and most of those that gain much less.

#include <cmath>

#include "check.hpp"
#include "palmette/support/gain_ceiling.hpp"
#include "problems.hpp"

using namespace palmette;

namespace {

double score_of(double a, double b) {
    const auto term = [](double x) { return x > 0 ? x * std::log2(x) : 0.0; };
    return term(a) + term(b) - term(a + b);
}

double gain_of(double zeros, double ones, double left, double left_ones) {
    return score_of(left - left_ones, left_ones) + score_of(zeros - (left - left_ones), ones - left_ones) -
           score_of(zeros, ones);
}

}  // namespace

TEST_CASE("no cut of whole samples gains more than the ceiling that it does not pass") {
    for (int zeros = 1; zeros <= 24; ++zeros)
        for (int ones = 1; ones <= 24; ++ones)
            for (int left_zeros = 0; left_zeros <= zeros; ++left_zeros)
                for (int left_ones = 0; left_ones <= ones; ++left_ones) {
                    const int left = left_zeros + left_ones;
                    if (left == 0 || left == zeros + ones) continue;
                    const double gain = gain_of(zeros, ones, left, left_ones);
                    CHECK(GainCeiling(zeros, ones, gain - 1e-9).may_be_passed(left, left_ones));
                }
}

TEST_CASE("no cut of fractions of samples gains more than the ceiling that it does not pass") {
    problems::Random random(2);
    for (int i = 0; i < 200000; ++i) {
        const auto weight = [&] { return 1e-3 + std::ldexp(1000 * random.real(), -random.integer(0, 20)); };
        const double zeros = weight(), ones = weight();
        const double left_ones = ones * (0.001 + 0.998 * random.real());
        const double left = left_ones + zeros * (0.001 + 0.998 * random.real());
        const double gain = gain_of(zeros, ones, left, left_ones);
        CHECK(GainCeiling(zeros, ones, gain - 1e-9).may_be_passed(left, left_ones));
    }
}

TEST_CASE("a cut that gains nothing passes no ceiling") {
    CHECK(!GainCeiling(50, 50, 1e-6).may_be_passed(20, 10));
    CHECK(!GainCeiling(90, 10, 1e-6).may_be_passed(50, 5));
    // One sample away from that: some hundredths of a bit.
    CHECK(!GainCeiling(50, 50, 1.0).may_be_passed(20, 11));
}
