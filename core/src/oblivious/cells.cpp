#include "palmette/oblivious/cells.hpp"

#include <numeric>
#include <unordered_map>

namespace palmette {
namespace {

constexpr std::uint32_t unnumbered = 0xffffffff;

/// Numbers the pairs (cell, code) in the order in which they come.
template <class NumberOf>
void renumber(std::span<const std::uint32_t> rows, const CodeArray& codes, CellDivision& division, NumberOf number_of) {
    division.first_row.clear();
    visit_codes(codes.data(), codes.width(), [&](const auto* code) {
        for (std::size_t place = 0; place < rows.size(); ++place) {
            std::uint32_t& number = number_of(division.cell_of[place], code[rows[place]]);
            if (number == unnumbered) {
                number = static_cast<std::uint32_t>(division.first_row.size());
                division.first_row.push_back(static_cast<std::uint32_t>(place));
            }
            division.cell_of[place] = number;
        }
    });
}

}  // namespace

std::vector<std::uint32_t> weighty_rows(const Dataset& dataset) {
    const auto weights = dataset.weights();
    std::vector<std::uint32_t> rows;
    rows.reserve(dataset.n_rows());
    for (std::uint32_t row = 0; row < dataset.n_rows(); ++row)
        if (weights.empty() || weights[row] > 0) rows.push_back(row);
    return rows;
}

CellDivision undivided(std::size_t n_rows) {
    CellDivision division;
    division.cell_of.assign(n_rows, 0);
    if (n_rows > 0) division.first_row.push_back(0);
    return division;
}

void divide_by(const Dataset& dataset, std::span<const std::uint32_t> rows, std::uint32_t feature,
               CellDivision& division) {
    const Column& column = dataset.column(feature);
    const std::size_t n_codes = std::size_t{column.n_values} + 1;
    const std::size_t n_pairs = division.n_cells() * n_codes;
    // A table of all pairs is quicker than a hash table as long as it is not much larger than the data.
    if (n_pairs <= 16 * rows.size() + 1024) {
        std::vector<std::uint32_t> numbers(n_pairs, unnumbered);
        renumber(rows, column.codes, division,
                 [&](std::size_t cell, std::size_t code) -> std::uint32_t& { return numbers[cell * n_codes + code]; });
    } else {
        std::unordered_map<std::uint64_t, std::uint32_t> numbers;
        numbers.reserve(rows.size());
        renumber(rows, column.codes, division, [&](std::uint64_t cell, std::uint64_t code) -> std::uint32_t& {
            return numbers.try_emplace(cell << 32 | code, unnumbered).first->second;
        });
    }
}

CellDivision divide(const Dataset& dataset, std::span<const std::uint32_t> rows,
                    std::span<const std::uint32_t> features) {
    CellDivision division = undivided(rows.size());
    for (const std::uint32_t feature : features) {
        if (division.n_cells() == rows.size()) break;
        divide_by(dataset, rows, feature, division);
    }
    return division;
}

}  // namespace palmette
