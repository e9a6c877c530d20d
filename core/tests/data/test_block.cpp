// Blocks: a copy of some samples whose codes keep order and equality, with and without a pool.

#include <numeric>
#include <vector>

#include "check.hpp"
#include "palmette/data/block.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::Problem;
using problems::Random;
using problems::random_problem;

namespace {

std::uint32_t code_at(const BlockColumn& column, std::size_t i) {
    return visit_codes(column.codes, column.width, [i](const auto* codes) { return std::uint32_t{codes[i]}; });
}

std::vector<std::uint32_t> all_of(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
}

/// Every column of `block` orders its samples as the dataset orders their rows.
void check_faithful(const Block& block, const Dataset& dataset, Random& random) {
    for (std::size_t i = 0; i < block.n_samples(); ++i)
        CHECK_EQ(block.labels()[i], dataset.labels()[block.row(static_cast<std::uint32_t>(i))]);
    for (std::size_t slot = 0; slot < block.n_columns(); ++slot) {
        const BlockColumn& column = block.column(slot);
        const CodeArray& original = dataset.column(column.feature).codes;
        bool faithful = true, in_range = true, any_missing = false;
        for (int pair = 0; pair < 500; ++pair) {
            const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(block.n_samples()) - 1));
            const auto j = static_cast<std::size_t>(random.integer(0, static_cast<int>(block.n_samples()) - 1));
            const std::uint32_t here_i = code_at(column, i), here_j = code_at(column, j);
            const std::uint32_t there_i = original[block.row(static_cast<std::uint32_t>(i))];
            const std::uint32_t there_j = original[block.row(static_cast<std::uint32_t>(j))];
            faithful = faithful && (here_i < here_j) == (there_i < there_j) && (here_i == 0) == (there_i == 0);
            in_range = in_range && here_i <= column.n_values;
            any_missing = any_missing || here_i == 0;
        }
        CHECK(faithful);
        CHECK(in_range);
        CHECK(column.has_missing || !any_missing);
        CHECK(column.kind == dataset.column(column.feature).kind);
    }
}

}  // namespace

TEST_CASE("the block of a dataset is the dataset") {
    Random random(1);
    const Problem problem = random_problem(random, {.n_rows = 50, .missing_share = 0.2});
    const Dataset dataset = problem.dataset();
    const Block block(dataset);
    CHECK_EQ(block.n_samples(), dataset.n_rows());
    CHECK_EQ(block.n_columns(), dataset.n_features());
    for (std::size_t slot = 0; slot < block.n_columns(); ++slot)
        CHECK_EQ(block.column(slot).codes, dataset.column(slot).codes.data());
    check_faithful(block, dataset, random);
}

TEST_CASE("a block of some samples keeps the order and equality of their values, and so does a block of it") {
    Random random(2);
    for (int round = 0; round < 40; ++round) {
        const Problem problem = random_problem(random, {.n_rows = 400,
                                                        .n_continuous = 3,
                                                        .n_nominal = 2,
                                                        .n_values = round % 2 == 0 ? 0 : 30,
                                                        .n_categories = round % 3 == 0 ? 300 : 5,
                                                        .missing_share = round % 4 == 0 ? 0.2 : 0.0});
        const Dataset dataset = problem.dataset();
        const Block whole(dataset);
        std::vector<std::uint32_t> ids;  // with repeats, in any order
        for (int i = random.integer(2, 300); i > 0; --i)
            ids.push_back(static_cast<std::uint32_t>(random.integer(0, 399)));
        const Block block(whole, ids, all_of(whole.n_columns()), nullptr);
        CHECK_EQ(block.n_samples(), ids.size());
        check_faithful(block, dataset, random);

        std::vector<std::uint32_t> fewer;
        for (std::uint32_t i = 0; i < ids.size(); i += 3) fewer.push_back(i);
        const Block inner(block, fewer, all_of(block.n_columns()), nullptr);
        for (std::uint32_t i = 0; i < inner.n_samples(); ++i) CHECK_EQ(inner.row(i), ids[fewer[i]]);
        check_faithful(inner, dataset, random);
    }
}

TEST_CASE("codes that outnumber the samples become dense, in fewer bytes") {
    Random random(3);
    const Problem problem = random_problem(random, {.n_rows = 70000, .n_continuous = 1, .n_nominal = 0, .n_values = 0});
    const Dataset dataset = problem.dataset();
    const Block whole(dataset);
    CHECK_EQ(whole.column(0).width, 4);
    const std::vector<std::uint32_t> ids{69999, 5, 17, 60000, 5};
    const Block block(whole, ids, all_of(1), nullptr);
    CHECK_EQ(block.column(0).n_values, 4U);
    CHECK_EQ(block.column(0).width, 1);
    CHECK(!block.column(0).has_missing);
}

TEST_CASE("columns that are constant or all missing among the samples are left out") {
    Problem problem;
    problem.columns.resize(4);
    for (int i = 0; i < 100; ++i) {
        problem.columns[0].values.push_back(i < 50 ? 1.5 : i + 0.5);
        problem.columns[1].values.push_back(i + 0.5);
        problem.columns[2].values.push_back(i < 50 ? problems::missing : i + 0.5);
        problem.columns[3].values.push_back(i < 50 ? (i % 2 == 0 ? problems::missing : 2.5) : i + 0.5);
        problem.labels.push_back(static_cast<Label>(i % 2));
    }
    const Dataset dataset = problem.dataset();
    const Block block(Block(dataset), all_of(20), all_of(4), nullptr);
    REQUIRE(block.n_columns() == 1);
    CHECK_EQ(block.column(0).feature, 1U);
    const Block of_two(Block(dataset), all_of(20), std::vector<std::uint32_t>{0, 2}, nullptr);
    CHECK_EQ(of_two.n_columns(), std::size_t{0});
    CHECK_EQ(of_two.n_samples(), std::size_t{20});
}

TEST_CASE("a pool copies the same block") {
    Random random(4);
    const Problem problem = random_problem(
        random, {.n_rows = 9000, .n_continuous = 12, .n_nominal = 4, .n_values = 0, .missing_share = 0.1});
    const Dataset dataset = problem.dataset();
    const Block whole(dataset);
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 1; id < 9000; id += 2) ids.push_back(id);
    const Block alone(whole, ids, all_of(16), nullptr);
    for (const std::size_t n_workers : {1, 4}) {
        WorkerPool pool(n_workers);
        const Block shared(whole, ids, all_of(16), &pool);
        REQUIRE(shared.n_columns() == alone.n_columns());
        bool same = true;
        for (std::size_t slot = 0; slot < alone.n_columns(); ++slot) {
            same = same && shared.column(slot).n_values == alone.column(slot).n_values &&
                   shared.column(slot).feature == alone.column(slot).feature;
            for (std::size_t i = 0; i < ids.size(); ++i)
                same = same && code_at(shared.column(slot), i) == code_at(alone.column(slot), i);
        }
        CHECK(same);
    }
}

TEST_CASE("a block is compact where its columns are short and have few values") {
    Random random(9);
    const auto is_compact = [&](std::size_t n_rows, int n_values) {
        const Problem problem = random_problem(random, {.n_rows = n_rows, .n_values = n_values});
        return Block(problem.dataset()).is_compact();
    };
    CHECK(is_compact(2000, 20));
    CHECK(!is_compact(2000, 200));
    CHECK(!is_compact(40000, 20));

    const Problem problem = random_problem(random, {.n_rows = 2000, .n_values = 200});
    const Dataset dataset = problem.dataset();
    const Block whole(dataset);
    CHECK(Block(whole, all_of(40), all_of(whole.n_columns()), nullptr).is_compact());
}
