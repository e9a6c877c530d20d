// Discretization: cuts of continuous columns where the classes change, by recursive entropy minimisation.
//
// Fayyad & Irani (1993): of the cuts of an interval, the one whose two sides have the least class entropy is taken if the
// bits that it saves pay for the bits that describe it (the minimum description length principle); both sides are then
// cut in the same way. Their Theorem 1: the best cut lies between two values of which not all samples share one class (a
// boundary point), so that a run of values of one class is looked at once, whatever its length.
//
// A column is ranked already (Column), so one counting sort by codes brings the labels into the order of the values, and
// each interval is one scan over its runs: O(n + runs · depth of the recursion).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/column.hpp"
#include "palmette/data/dataset.hpp"
#include "palmette/support/budget.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

/// What it costs to tell the place of a cut: the logarithm of the number of places that it might have.
enum class CutCost : std::uint8_t {
    samples,  // between any two samples, N - 1, as in the paper
    values,   // between any two distinct values: Weka's "better encoding", which its filters use
};

/// Cuts between the codes of one column, ascending: cut c parts the codes up to c from those above.
using CodeCuts = std::vector<std::uint32_t>;

/// The cuts of a continuous column of the dataset. Samples with a missing value or without weight are left aside; the
/// lowest of equally good cuts is taken. None are found in a nominal column. Once the budget is spent, what is left to cut
/// stays whole.
CodeCuts mdl_cuts(const Dataset& dataset, std::size_t feature, CutCost cost, Budget& budget);

/// The cuts of all columns, one a thread; `progress.work_done` counts columns.
std::vector<CodeCuts> mdl_cuts(const Dataset& dataset, CutCost cost, Budget& budget, Progress& progress,
                               WorkerPool& pool);

/// The intervals as a nominal column: code 1 up to the first cut, 2 up to the second, ...; 0 stays missing.
Column cut_column(const Column& column, std::span<const std::uint32_t> cuts);

/// The cuts as numbers half way between the values beside them; `values` are the column's as decode_values gives them.
std::vector<double> cut_points(std::span<const std::uint32_t> cuts, std::span<const double> values);

}  // namespace palmette
