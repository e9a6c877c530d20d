// SearchRows and SearchSamples: the samples whose errors are counted, fold by fold. The rows are what every algorithm
// needs to know of them; the search asks for more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/search/problem.hpp"

namespace palmette {

/// The search set of one fold.
struct SearchRows {
    SearchRows(const SearchProblem& problem, const Fold& fold, std::uint32_t number_of_first);

    std::uint32_t first_number;          // samples are numbered over all folds
    std::vector<std::uint32_t> rows;     // distinct, ascending
    std::vector<ErrorWeight> weight_of;  // by row of the dataset; a row that is listed twice counts twice
    bool unit_weights;                   // every row counts one
};

/// The same with what bounds are made of.
struct SearchSamples : SearchRows {
    SearchSamples(const SearchProblem& problem, const Fold& fold, std::uint32_t number_of_first);

    // By row: the class that most samples with the same values in every feature have. They share every leaf of every
    // tree, so the others err wherever that class can be predicted at all (bound B1).
    std::vector<Label> group_majority;
    std::vector<std::uint32_t> number_of;  // by row; empty if no value is missing
};

/// The search sets of all folds, as SearchRows or as SearchSamples.
template <class Samples>
[[nodiscard]] std::vector<Samples> search_sets(const SearchProblem& problem) {
    std::vector<Samples> all;
    std::uint32_t next = 0;
    for (const Fold& fold : problem.folds()) {
        all.emplace_back(problem, fold, next);
        next += static_cast<std::uint32_t>(all.back().rows.size());
    }
    return all;
}

}  // namespace palmette
