// Weights in fixed point: the choice of the scale, the slack, shares of a weight, and x·log2(x).

#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "palmette/support/fixed_point.hpp"
#include "palmette/support/worker_pool.hpp"
#include "problems.hpp"

using namespace palmette;

TEST_CASE("the scale has 32 bits up to a total of 2^25 and loses one with each doubling") {
    CHECK_EQ(WeightScale(0.0).fraction_bits(), 32);
    CHECK_EQ(WeightScale(1e-30).fraction_bits(), 32);
    CHECK_EQ(WeightScale(33554431.0).fraction_bits(), 32);  // 2^25 - 1 has 25 bits
    CHECK_EQ(WeightScale(33554431.5).fraction_bits(), 31);  // its ceiling, 2^25, has 26
    CHECK_EQ(WeightScale(33554432.0).fraction_bits(), 31);
    CHECK_EQ(WeightScale(67108863.0).fraction_bits(), 31);
    CHECK_EQ(WeightScale(67108864.0).fraction_bits(), 30);
    CHECK_EQ(WeightScale(WeightScale::largest_total).fraction_bits(), 16);
    CHECK_EQ(WeightScale().fraction_bits(), WeightScale::most_fraction_bits);
}

TEST_CASE("a total weight above 2^40, infinite or NaN has no scale") {
    CHECK_THROWS_AS(WeightScale(1.0000001 * WeightScale::largest_total), std::invalid_argument);
    CHECK_THROWS_AS(WeightScale(std::numeric_limits<double>::infinity()), std::invalid_argument);
    CHECK_THROWS_AS(WeightScale(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST_CASE("one, factor and the conversions fit together on every scale") {
    for (const double total : {1.0, 4e7, 1e9, 1e12}) {
        const WeightScale scale(total);
        CHECK_EQ(static_cast<double>(scale.one()), scale.factor());
        CHECK_EQ(scale.from_double(1.0), scale.one());
        CHECK_EQ(scale.to_double(scale.from_double(12.5)), 12.5);
        CHECK_EQ(scale.slack(), scale.one() >> 16);
    }
    CHECK_EQ(WeightScale(10.0).from_double(0x1p-33), 1);  // half a unit rounds away from zero
    CHECK_EQ(WeightScale(10.0).from_double(0x1p-34), 0);
}

TEST_CASE("three thirds of a sample reach one sample, and a missing thousandth does not") {
    const WeightScale scale(100.0);
    const Weight third = share_of_weight(scale.one(), scale.one(), 3 * scale.one());
    CHECK(3 * third < scale.one());
    CHECK(scale.reaches(3 * third, 1.0));
    CHECK(scale.reaches(scale.one() - scale.slack(), 1.0));
    CHECK(!scale.reaches(scale.one() - scale.slack() - 1, 1.0));
    CHECK(!scale.reaches(scale.from_double(1.999), 2.0));
}

TEST_CASE("count_that_reaches is the smallest count that reaches") {
    for (const double total : {100.0, 1e9, 1e12}) {
        const WeightScale scale(total);
        for (const double minimum : {1e-12, 0.3, 0.99999, 0.999999, 1.0, 1.00001, 1.0000001, 2.0, 2.5, 25.0, 1e6}) {
            const std::uint32_t count = scale.count_that_reaches(minimum);
            CHECK(scale.reaches(Weight{count} << scale.fraction_bits(), minimum));
            if (count > 0) CHECK(!scale.reaches(Weight{count - 1} << scale.fraction_bits(), minimum));
        }
    }
}

TEST_CASE("the shares of a weight are exact, rounded half up, and lose at most half a unit a branch") {
    CHECK_EQ(share_of_weight(10, 1, 4), 3);  // 2.5
    CHECK_EQ(share_of_weight(10, 1, 5), 2);
    CHECK_EQ(share_of_weight(7, 0, 3), 0);
    CHECK_EQ(share_of_weight(7, 3, 3), 7);
    // A product far beyond 64 bits.
    const Weight large = Weight{1} << 57;
    CHECK_EQ(share_of_weight(large, large, large), large);
    CHECK_EQ(share_of_weight(large, large / 2, large), large / 2);
    CHECK_EQ(share_of_weight(large, 1, large), 1);

    problems::Random random(1);
    for (int round = 0; round < 2000; ++round) {
        const auto weight = static_cast<Weight>(random.next() >> random.integer(8, 63));
        std::vector<Weight> parts;
        Weight whole = 0;
        for (int j = random.integer(1, 6); j > 0; --j) {
            parts.push_back(static_cast<Weight>(random.next() >> random.integer(10, 60)) + 1);
            whole += parts.back();
        }
        Weight sum = 0;
        for (const Weight part : parts) sum += share_of_weight(weight, part, whole);
        CHECK(std::abs(sum - weight) <= static_cast<Weight>(parts.size()));
    }
}

TEST_CASE("the table of x log x holds what would be computed, to the bit") {
    for (const double total : {1000.0, 1e8, 1e12}) {
        const WeightScale scale(total);
        const XLogX with_table(scale, 1000);
        const XLogX without(scale, 0);
        for (std::uint32_t count = 0; count <= 1000; ++count) {
            const Weight weight = Weight{count} << scale.fraction_bits();
            const std::int64_t expected =
                count == 0 ? 0 : std::llround(count * std::log2(double{1} * count) * scale.factor());
            CHECK_EQ(with_table.of_count(count), expected);
            CHECK_EQ(with_table.table()[count], expected);
            CHECK_EQ(with_table.of_weight(weight), expected);
            if (count > 0) CHECK_EQ(without.of_weight(weight), expected);
            if (count > 0) CHECK_EQ(without.of_count(count), expected);
            if (count > 0) {
                const std::int64_t log = std::llround(std::log2(double{1} * count) * scale.factor());
                CHECK_EQ(with_table.log2_of_count(count), log);
                CHECK_EQ(without.log2_of_count(count), log);
            }
        }
        CHECK(with_table.covers(1000) && !with_table.covers(1001));
    }
}

TEST_CASE("x log x of weights below one is negative, of none is zero, and largest totals fit") {
    const WeightScale fine(100.0);
    const XLogX xlogx(fine, 100);
    CHECK_EQ(xlogx.of_weight(0), 0);
    CHECK_EQ(xlogx.of_weight(-5), 0);
    CHECK_EQ(xlogx.of_weight(fine.one() / 2), -fine.one() / 2);  // 1/2 · log2(1/2)
    CHECK(xlogx.of_weight(1) < 0);
    for (const double total : {33554431.0, 67108863.0, 1e10, WeightScale::largest_total}) {
        const WeightScale scale(total);
        const double exact = total * std::log2(total) * scale.factor();
        CHECK(exact < 0x1p63);
        CHECK_EQ(XLogX(scale, 10).of_weight(scale.from_double(total)), std::llround(exact));
    }
}

TEST_CASE("the table of x log x is the same whoever fills it") {
    const WeightScale scale(100000.0);
    for (const std::size_t count : {10, 16383, 16384, 100000}) {
        const XLogX alone(scale, count);
        WorkerPool pool(3);
        const XLogX together(scale, count, &pool);
        bool same = alone.nbytes() == together.nbytes();
        for (std::uint32_t i = 0; i <= count; ++i) same = same && alone.of_count(i) == together.of_count(i);
        CHECK(same);
    }
}
