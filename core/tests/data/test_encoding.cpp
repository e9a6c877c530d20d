// Encoding: ranks of every kind of double against std::sort, category numbers, and the way back to values.

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "palmette/data/encoding.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::category_view;
using problems::missing;
using problems::Random;
using problems::view_of;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double denormal = std::numeric_limits<double>::denorm_min();

std::vector<std::uint32_t> codes_of(const Column& column) {
    std::vector<std::uint32_t> codes;
    for (std::size_t i = 0; i < column.codes.size(); ++i) codes.push_back(column.codes[i]);
    return codes;
}

std::vector<std::uint32_t> codes_of(const std::vector<double>& values) {
    return codes_of(encode_continuous(view_of(values)));
}

/// Ranks by sorting the distinct values.
std::vector<std::uint32_t> expected_codes(const std::vector<double>& values) {
    std::vector<double> distinct;
    for (const double value : values)
        if (!std::isnan(value)) distinct.push_back(value == 0.0 ? 0.0 : value);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<std::uint32_t> codes;
    for (const double value : values)
        codes.push_back(std::isnan(value)
                            ? 0U
                            : 1U + static_cast<std::uint32_t>(
                                       std::lower_bound(distinct.begin(), distinct.end(), value) - distinct.begin()));
    return codes;
}

using Codes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("negatives rank below positives, and both zeros are one value") {
    CHECK(codes_of({-1.5, 2.5, -0.0, 0.0, -3.25, missing}) == Codes({2, 4, 3, 3, 1, 0}));
    CHECK(codes_of({-2, 2, -0.0, 0.0}) == Codes({1, 3, 2, 2}));  // whole numbers: counted, not sorted
}

TEST_CASE("denormals and the largest doubles have ranks of their own") {
    CHECK(codes_of({0.0, denormal, -denormal, 2 * denormal, largest, -largest, 1e308, 5e-310}) ==
          Codes({3, 4, 2, 5, 8, 1, 7, 6}));
    CHECK(codes_of({largest, largest, largest}) == Codes({1, 1, 1}));
    CHECK(codes_of({-largest, largest}) == Codes({1, 2}));  // their difference is infinite
}

TEST_CASE("neighbouring doubles, which share their upper half, keep their order") {
    const double x = 0.1, y = std::nextafter(x, 1.0), z = std::nextafter(y, 1.0);
    CHECK(codes_of({z, x, y, x, z}) == Codes({3, 1, 2, 1, 3}));
    CHECK(codes_of({-x, -y, -z, x}) == Codes({3, 2, 1, 4}));
    const double huge = 0x1p60;
    CHECK(codes_of({huge, huge + 256, huge, huge + 512}) == Codes({1, 2, 1, 3}));
}

TEST_CASE("a column without a known value has no codes") {
    const Column column = encode_continuous(view_of({missing, missing}));
    CHECK_EQ(column.n_values, 0U);
    CHECK(codes_of(column) == Codes({0, 0}));
    CHECK_EQ(encode_continuous(view_of({})).codes.size(), std::size_t{0});
}

TEST_CASE("infinite values are refused") {
    CHECK_THROWS_AS(codes_of({1.0, infinity}), std::invalid_argument);
    CHECK_THROWS_AS(codes_of({-infinity, 1.5}), std::invalid_argument);
    CHECK_THROWS_AS(codes_of({missing, infinity}), std::invalid_argument);
}

TEST_CASE("float32, strided and reversed columns rank like their copies") {
    Random random(2);
    std::vector<double> table(3 * 500);
    std::vector<float> floats(3 * 500);
    for (std::size_t i = 0; i < table.size(); ++i) {
        floats[i] = static_cast<float>(random.chance(0.1) ? missing : random.integer(-30, 30) * 0.1);
        table[i] = static_cast<double>(floats[i]);
    }
    std::vector<double> column, reversed;
    for (std::size_t i = 0; i < 500; ++i) column.push_back(table[3 * i + 1]);
    reversed.assign(column.rbegin(), column.rend());
    const auto expected = expected_codes(column);
    CHECK(codes_of(encode_continuous({table.data() + 1, 500, 3})) == expected);
    CHECK(codes_of(encode_continuous({floats.data() + 1, 500, 3})) == expected);
    CHECK(codes_of(encode_continuous({table.data() + 1 + 3 * 499, 500, -3})) == expected_codes(reversed));
    const double single = 4.5;
    CHECK(codes_of(encode_continuous({&single, 3, 0})) == Codes({1, 1, 1}));
}

TEST_CASE("integers of every width are read as the numbers that they are") {
    Random random(12);
    const auto agrees = [&]<class Number>(Number) {
        std::vector<Number> integers;
        for (int i = 0; i < 400; ++i) integers.push_back(static_cast<Number>(random.next()));
        std::vector<double> column;
        for (std::size_t i = 0; i < 200; ++i) column.push_back(static_cast<double>(integers[2 * i + 1]));
        CHECK(codes_of(encode_continuous({integers.data() + 1, 200, 2})) == expected_codes(column));

        // Side by side they are counted if they lie close together, at either end of what the type holds too.
        using Limits = std::numeric_limits<Number>;
        for (const int reach : {0, 3, 100})
            for (const bool at_the_top : {false, true}) {
                std::vector<Number> close;
                std::vector<double> as_doubles;
                for (int i = 0; i < 300; ++i) {
                    const auto step = static_cast<Number>(random.integer(0, reach));
                    close.push_back(static_cast<Number>(at_the_top ? Limits::max() - step : Limits::min() + step));
                    as_doubles.push_back(static_cast<double>(close.back()));
                }
                CHECK(codes_of(encode_continuous({close.data(), 300, 1})) == expected_codes(as_doubles));
            }
        column.assign(integers.begin(), integers.end());
        CHECK(codes_of(encode_continuous({integers.data(), 400, 1})) == expected_codes(column));
    };
    agrees(std::int8_t{});
    agrees(std::uint8_t{});
    agrees(std::int16_t{});
    agrees(std::uint16_t{});
    agrees(std::int32_t{});
    agrees(std::uint32_t{});
}

TEST_CASE("counting and sorting give the same ranks") {
    Random random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> whole, shifted;
        const int reach = random.integer(0, 300);
        const double offset = random.chance(0.3) ? -0x1p52 : random.integer(-1000, 1000);
        for (int i = random.integer(1, 200); i > 0; --i) {
            const double value = random.chance(0.1) ? missing : random.integer(-reach, reach);
            whole.push_back(value + offset);     // whole numbers close together: counted
            shifted.push_back(value / 3 + 0.1);  // the same order, not whole: sorted
        }
        CHECK(codes_of(whole) == codes_of(shifted));
        CHECK(codes_of(whole) == expected_codes(whole));
    }
}

TEST_CASE("random doubles of all sizes rank as std::sort ranks them") {
    Random random(4);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> values;
        const int kind = round % 5;
        for (int i = random.integer(1, 400); i > 0; --i) {
            double value = std::bit_cast<double>(random.next());  // any bits at all
            if (kind == 1) value = random.real();
            if (kind == 2) value = random.integer(0, 50) * 0.1;
            if (kind == 3) value = 1.0 + static_cast<double>(random.integer(0, 60)) * 0x1p-52;
            if (kind == 4) value = std::ldexp(random.real() - 0.5, random.integer(-1070, 1000));
            values.push_back(std::isinf(value) ? 0.0 : value);
        }
        CHECK(codes_of(values) == expected_codes(values));
    }
}

TEST_CASE("few distinct values among many rows rank as std::sort ranks them") {
    Random random(5);
    // Up to 1024 are looked up in a table of hashes; from 1025 on, the rows are sorted.
    for (const int n_distinct : {1, 2, 17, 300, 1023, 1024, 1025, 1500}) {
        std::vector<double> distinct;
        while (std::ssize(distinct) < n_distinct)
            distinct.push_back(std::ldexp(random.real() - 0.5, random.integer(-1070, 1000)));
        std::vector<double> values = distinct;
        while (values.size() < 4000)
            values.push_back(
                random.chance(0.05) ? missing : distinct[static_cast<std::size_t>(random.integer(0, n_distinct - 1))]);
        values.insert(values.end(), {0.0, -0.0});
        CHECK(codes_of(values) == expected_codes(values));
    }
}

TEST_CASE("widths grow with the number of distinct values") {
    std::vector<double> values(70000);
    std::iota(values.begin(), values.end(), 0.5);
    const Column column = encode_continuous(view_of(values));
    CHECK_EQ(column.n_values, 70000U);
    CHECK_EQ(column.codes.width(), 4);
    CHECK_EQ(column.codes[69999], 70000U);
    values.resize(300);
    CHECK_EQ(encode_continuous(view_of(values)).codes.width(), 2);
}

TEST_CASE("category numbers become codes, and those out of range are refused") {
    const std::vector<std::int32_t> categories{2, -1, 0, 2};
    const Column column = encode_nominal(category_view(categories, 3));
    CHECK(column.kind == FeatureKind::nominal);
    CHECK_EQ(column.n_values, 3U);
    CHECK(codes_of(column) == Codes({3, 0, 1, 3}));
    CHECK_THROWS_AS(encode_nominal(category_view(std::vector<std::int32_t>{3}, 3)), std::invalid_argument);
    CHECK_THROWS_AS(encode_nominal(category_view(std::vector<std::int32_t>{-2}, 3)), std::invalid_argument);
    CHECK_THROWS_AS(encode_nominal(category_view(std::vector<std::int32_t>{0x7fffffff}, 3)), std::invalid_argument);
    CHECK_THROWS_AS(encode_nominal(category_view(std::vector<std::int32_t>{0}, 0)), std::invalid_argument);
    CHECK(codes_of(encode_nominal(category_view(std::vector<std::int32_t>{-1, -1}, 0))) == Codes({0, 0}));
}

TEST_CASE("category numbers in every integer type become the same codes") {
    Random random(6);
    for (int round = 0; round < 50; ++round) {
        const auto n_categories = static_cast<std::uint32_t>(random.integer(0, 128));
        std::vector<std::int8_t> narrow;
        for (int i = random.integer(1, 300); i > 0; --i)
            narrow.push_back(static_cast<std::int8_t>(random.integer(-1, static_cast<int>(n_categories) - 1)));
        const std::vector<std::int16_t> wider(narrow.begin(), narrow.end());
        const std::vector<std::int32_t> wide(narrow.begin(), narrow.end());
        Codes expected;
        for (const int number : narrow) expected.push_back(static_cast<std::uint32_t>(number + 1));
        CHECK(codes_of(encode_nominal(category_view(narrow, n_categories))) == expected);
        CHECK(codes_of(encode_nominal(category_view(wider, n_categories))) == expected);
        CHECK(codes_of(encode_nominal(category_view(wide, n_categories))) == expected);
        narrow.back() = -2;
        CHECK_THROWS_AS(encode_nominal(category_view(narrow, n_categories)), std::invalid_argument);
    }
}

TEST_CASE("columns of both kinds keep their places when several workers encode them") {
    Random random(7);
    for (int round = 0; round < 30; ++round) {
        std::vector<std::vector<double>> numbers;
        std::vector<std::vector<std::int32_t>> categories;
        for (int column = random.integer(0, 40); column > 0; --column) {
            if (random.chance(0.5)) {
                auto& values = numbers.emplace_back();
                for (int i = 0; i < 20; ++i) values.push_back(random.integer(0, 9) * 0.5);
                categories.emplace_back();
            } else {
                auto& values = categories.emplace_back();
                for (int i = 0; i < 20; ++i) values.push_back(random.integer(-1, 4));
                numbers.emplace_back();
            }
        }
        std::vector<ColumnView> views;
        for (std::size_t k = 0; k < numbers.size(); ++k)
            views.push_back(numbers[k].empty() ? ColumnView(category_view(categories[k], 5))
                                               : ColumnView(view_of(numbers[k])));
        WorkerPool pool(2);
        const std::vector<Column> encoded = encode(views, pool);
        REQUIRE(encoded.size() == views.size());
        for (std::size_t k = 0; k < encoded.size(); ++k)
            CHECK(codes_of(encoded[k]) == (numbers[k].empty()
                                               ? codes_of(encode_nominal(category_view(categories[k], 5)))
                                               : codes_of(encode_continuous(view_of(numbers[k])))));
    }
}

TEST_CASE("codes decode to the values that they came from") {
    Random random(5);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> values;
        for (int i = random.integer(1, 100); i > 0; --i)
            values.push_back(random.chance(0.2) ? missing : random.integer(-20, 20) * 0.25);
        const Column column = encode_continuous(view_of(values));
        const auto decoded = decode_values(column, view_of(values), {});
        CHECK_EQ(decoded.size(), std::size_t{column.n_values});
        CHECK(std::is_sorted(decoded.begin(), decoded.end()));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isnan(values[i])) CHECK_EQ(decoded[column.codes[i] - 1], values[i]);
    }
}

TEST_CASE("a value without weight decodes to the next smaller one that has weight") {
    const std::vector<double> values{1.5, 2.5, 3.5, 4.5};
    const Column column = encode_continuous(view_of(values));
    const auto decoded = decode_values(column, view_of(values), std::vector<std::int64_t>{0, 7, 0, 7});
    CHECK(std::isnan(decoded[0]));
    CHECK_EQ(decoded[1], 2.5);
    CHECK_EQ(decoded[2], 2.5);
    CHECK_EQ(decoded[3], 4.5);
    CHECK_THROWS_AS(decode_values(column, view_of({1.0}), {}), std::invalid_argument);
}

// 40 columns of 5 000 rows are taken six at a time, of 50 000 rows one at a time.
TEST_CASE("columns that are encoded together get the codes that each gets alone") {
    Random random(11);
    for (const std::size_t n_rows : {0, 1, 5000, 50000})
        for (const std::size_t n_workers : {1, 3}) {
            // Row by row, as a NumPy matrix lies.
            constexpr std::size_t n_columns = 40;
            std::vector<double> table(n_rows * n_columns);
            for (double& value : table)
                value = random.chance(0.1) ? missing : random.chance(0.3) ? -0.0 : random.integer(-9, 9) / 3.0;
            std::vector<ColumnView> views;
            for (std::size_t f = 0; f < n_columns; ++f)
                views.emplace_back(ValueView(table.data() + f, n_rows, n_columns));
            WorkerPool pool(n_workers);
            const std::vector<Column> together = encode(views, pool);
            CHECK_EQ(together.size(), n_columns);
            for (std::size_t f = 0; f < n_columns; ++f) {
                const Column alone = encode_continuous(std::get<ValueView>(views[f]));
                CHECK_EQ(together[f].n_values, alone.n_values);
                CHECK(codes_of(together[f]) == codes_of(alone));
            }
            if (n_rows == 0) continue;
            table[(n_rows - 1) * n_columns + 7] = infinity;
            CHECK_THROWS_AS(encode(views, pool), std::invalid_argument);
        }
    WorkerPool pool(2);
    CHECK(encode({}, pool).empty());
}
