// SearchSamples: what the search asks about a sample whose errors are counted, fold by fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "palmette/search/problem.hpp"

namespace palmette {

/// The search set of one fold, by row of the dataset.
struct SearchSamples {
    SearchSamples(const SearchProblem& problem, const Fold& fold, std::uint32_t number_of_first);
    [[nodiscard]] static std::vector<SearchSamples> of_all_folds(const SearchProblem& problem);

    std::uint32_t first_number;          // samples are numbered over all folds
    std::vector<std::uint32_t> rows;     // distinct, ascending
    std::vector<ErrorWeight> weight_of;  // by row; a row that is listed twice counts twice
    // By row: the class that most samples with the same values in every feature have. They share every leaf of every
    // tree, so the others err wherever that class can be predicted at all (bound B1).
    std::vector<Label> group_majority;
    std::vector<std::uint32_t> number_of;  // by row; empty if no value is missing
    bool unit_weights = true;              // every row counts one
    ErrorWeight weight = 0;
};

}  // namespace palmette
