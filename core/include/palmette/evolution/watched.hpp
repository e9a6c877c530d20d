// Watched sets: samples that trees are judged on but not grown on. They follow the tests as in prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/support/fixed_point.hpp"
#include "palmette/tree/prediction.hpp"

namespace palmette {

/// The columns are views on arrays that must outlive the set.
struct WatchedSet {
    std::vector<PredictionColumn> columns;
    std::vector<std::int32_t> labels;  // -1: a class that the training set does not have
    std::vector<Weight> weights;       // one for each row, in any fixed point

    [[nodiscard]] Weight total() const noexcept;
};

/// The rows of a watched set that come to a node, with the part of their weight that does.
struct WatchedRows {
    std::vector<std::uint32_t> rows;
    std::vector<Weight> weights;

    void add(std::uint32_t row, Weight weight) {
        rows.push_back(row);
        weights.push_back(weight);
    }
    [[nodiscard]] std::size_t nbytes() const noexcept { return rows.size() * (sizeof(std::uint32_t) + sizeof(Weight)); }
};

[[nodiscard]] WatchedRows all_rows(const WatchedSet& set);

/// The weight of the rows whose class is `label`.
[[nodiscard]] Weight weight_of_label(const WatchedSet& set, const WatchedRows& rows, std::uint32_t label);

/// A test as prediction makes it.
struct WatchedTest {
    std::uint32_t feature = 0;
    bool nominal = false;
    double threshold = 0;                    // continuous: `value <= threshold` is branch 0
    std::span<const std::uint32_t> codes;    // nominal: the codes of the categories that have a branch, ascending
    std::span<const Weight> branch_weights;  // of the training set: a missing value follows them all, in proportion
};

/// The rows of each branch, and of the categories that have none.
struct WatchedParts {
    std::vector<WatchedRows> branches;
    WatchedRows elsewhere;
};

[[nodiscard]] WatchedParts follow(const WatchedSet& set, const WatchedRows& rows, const WatchedTest& test);

}  // namespace palmette
