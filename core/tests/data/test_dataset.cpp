// The dataset: what its constructor refuses, how it takes weights, and what it tells of itself.

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "palmette/data/dataset.hpp"
#include "problems.hpp"

using namespace palmette;

namespace {

std::vector<Column> one_column(std::size_t n_rows) {
    std::vector<Column> columns;
    columns.push_back(encode_nominal(problems::category_view(std::vector<std::int32_t>(n_rows, 0), 1)));
    return columns;
}

/// What the constructor says, or nothing.
std::string refusal(std::size_t column_rows, std::vector<Label> labels, std::size_t n_classes,
                    const std::vector<double>& weights = {}) {
    try {
        const Dataset dataset(one_column(column_rows), std::move(labels), n_classes, weights);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

bool mentions(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("parts that fit together make a dataset") {
    CHECK_EQ(refusal(2, {0, 1}, 2), std::string());
    CHECK_EQ(refusal(2, {0, 0}, 65535), std::string());
    CHECK_EQ(refusal(2, {0, 1}, 2, {0.0, 2.5}), std::string());
    const Dataset dataset(one_column(2), {0, 1}, 2, {});
    CHECK_EQ(dataset.n_rows(), std::size_t{2});
    CHECK_EQ(dataset.n_features(), std::size_t{1});
    CHECK_EQ(dataset.code_bytes(), std::size_t{2});
    CHECK_EQ(Dataset({}, {0, 1}, 2, {}).n_features(), std::size_t{0});
}

TEST_CASE("parts that do not fit together are refused with their sizes") {
    CHECK(mentions(refusal(0, {}, 2), "at least one row"));
    CHECK(mentions(refusal(3, {0, 1}, 2), "column 0 has 3 rows, the labels have 2"));
    CHECK(mentions(refusal(2, {0, 1}, 0), "1..65535, got 0"));
    CHECK(mentions(refusal(2, {0, 1}, 65536), "1..65535, got 65536"));
    CHECK(mentions(refusal(2, {0, 2}, 2), "not below the number of classes"));
}

TEST_CASE("weights that are no weights are refused") {
    CHECK(mentions(refusal(2, {0, 1}, 2, {1.0}), "1 weights for 2 rows"));
    CHECK(mentions(refusal(2, {0, 1}, 2, {1.0, -1.0}), "negative"));
    CHECK(mentions(refusal(2, {0, 1}, 2, {1.0, infinity}), "not finite"));
    CHECK(mentions(refusal(2, {0, 1}, 2, {1.0, std::numeric_limits<double>::quiet_NaN()}), "not finite"));
    CHECK(mentions(refusal(2, {0, 1}, 2, {0.0, 0.0}), "zero"));
    CHECK(mentions(refusal(2, {0, 1}, 2, {1e12, 1e12}), "2**40"));
    CHECK(mentions(refusal(2, {0, 1}, 2, {1e300, 1e300}), "2**40"));
}

TEST_CASE("weights of exactly one are no weights") {
    const Dataset plain(one_column(3), {0, 1, 0}, 2, {});
    const Dataset ones(one_column(3), {0, 1, 0}, 2, std::vector<double>{1.0, 1.0, 1.0});
    const Dataset twos(one_column(3), {0, 1, 0}, 2, std::vector<double>{2.0, 2.0, 2.0});
    CHECK(plain.weights().empty());
    CHECK(ones.weights().empty());
    CHECK_EQ(ones.scale().fraction_bits(), plain.scale().fraction_bits());
    CHECK_EQ(twos.weights().size(), std::size_t{3});
    CHECK_EQ(twos.weights()[0], 2 * twos.scale().one());
}

TEST_CASE("the scale follows the total weight, not the rows") {
    const Dataset heavy(one_column(2), {0, 1}, 2, std::vector<double>{1e9, 1e-9});
    CHECK_EQ(heavy.scale().fraction_bits(), 27);  // 10^9 has 30 bits
    CHECK_EQ(heavy.weights()[1], 0);              // 10^-9 is less than half a unit
}

TEST_CASE("x log x is looked up for what two classes can count, and for more only beside many codes") {
    const std::size_t n = 4096;
    const auto dataset_of = [&](std::size_t n_classes, std::size_t n_columns) {
        std::vector<Column> columns;
        for (std::size_t f = 0; f < n_columns; ++f) columns.push_back(std::move(one_column(n).front()));
        std::vector<Label> labels(n);
        for (std::size_t row = 0; row < n; ++row) labels[row] = static_cast<Label>(row % n_classes);
        return Dataset(std::move(columns), std::move(labels), n_classes, {});
    };
    CHECK(dataset_of(1, 1).xlogx().covers(n));
    CHECK(dataset_of(2, 1).xlogx().covers(n));
    const Dataset narrow = dataset_of(8, 1), wide = dataset_of(8, 200);
    CHECK(narrow.xlogx().covers(n / 4) && !narrow.xlogx().covers(n / 4 + 1));
    CHECK(wide.xlogx().covers(n));
    CHECK_EQ(narrow.xlogx().of_count(n), wide.xlogx().of_count(n));
}

TEST_CASE("the outline of a dataset has its categories, classes and scale") {
    std::vector<Column> columns = one_column(3);
    columns.push_back(encode_continuous(problems::view_of(std::vector<double>{1.0, 2.0, 3.0})));
    const Dataset dataset(std::move(columns), {0, 1, 1}, 2, std::vector<double>{1.0, 2.0, 3.0});
    const DatasetOutline outline = dataset.outline();
    CHECK_EQ(outline.n_classes, std::size_t{2});
    CHECK(outline.n_categories == std::vector<std::uint32_t>{1, 0});
    CHECK_EQ(outline.scale.fraction_bits(), dataset.scale().fraction_bits());
}
