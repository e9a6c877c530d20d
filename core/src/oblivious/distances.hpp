// The codes of the cells and the Hamming distances between them, kept up to date while features leave.
//
// Neighbours: pruning.cpp walks, nearest.hpp looks through a row of distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "palmette/support/worker_pool.hpp"

namespace palmette::oblivious {

/// `Code` holds the codes of every feature, `Distance` the number of features and one more value.
template <class Code, class Distance>
class CellDistances {
  public:
    /// The distance of a cell from itself: not to be found among the nearest.
    static constexpr Distance infinite = std::numeric_limits<Distance>::max();

    /// `codes` is row-major, cells × features.
    CellDistances(std::vector<Code> codes, std::size_t n_cells, std::size_t n_features, std::size_t memory_limit,
                  WorkerPool& pool)
        : n_cells_(n_cells), n_features_(n_features), codes_(std::move(codes)), columns_(n_cells * n_features) {
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t feature = 0; feature < n_features; ++feature)
                columns_[feature * n_cells + cell] = codes_[cell * n_features + feature];
        for (std::size_t feature = 0; feature < n_features; ++feature)
            present_.push_back(static_cast<std::uint32_t>(feature));
        if (n_cells > memory_limit / sizeof(Distance) / std::max<std::size_t>(n_cells, 1)) return;
        table_ = std::make_unique_for_overwrite<Distance[]>(n_cells * n_cells);
        for_each_cell(pool, [&](std::size_t cell) { count_row(cell, table_.get() + cell * n_cells_); });
    }

    [[nodiscard]] std::size_t n_cells() const noexcept { return n_cells_; }
    [[nodiscard]] bool keeps_table() const noexcept { return table_ != nullptr; }
    [[nodiscard]] std::size_t nbytes() const noexcept {
        return keeps_table() ? n_cells_ * n_cells_ * sizeof(Distance) : 0;
    }
    /// The codes of one cell, one for each feature, removed or not.
    [[nodiscard]] const Code* codes(std::size_t cell) const noexcept { return codes_.data() + cell * n_features_; }

    /// The distances of a cell from all; `scratch` has room for them.
    [[nodiscard]] const Distance* row(std::size_t cell, Distance* scratch) const {
        if (keeps_table()) return table_.get() + cell * n_cells_;
        count_row(cell, scratch);
        return scratch;
    }

    void remove(std::span<const std::uint32_t> features, WorkerPool& pool) {
        for (const std::uint32_t feature : features) std::erase(present_, feature);
        if (!keeps_table()) return;
        for_each_cell(pool, [&](std::size_t cell) {
            Distance* row = table_.get() + cell * n_cells_;
            for (const std::uint32_t feature : features) {
                const Code* column = columns_.data() + feature * n_cells_;
                subtract_differing(column, column[cell], row, n_cells_);
            }
        });
    }

    /// Leaves only the given cells, ascending.
    void keep_cells(std::span<const std::uint32_t> cells) {
        const std::size_t n_kept = cells.size();
        // Whatever moves, moves towards the front, so nothing is overwritten before it was read.
        for (std::size_t to = 0; to < n_kept; ++to)
            std::copy_n(codes_.data() + cells[to] * n_features_, n_features_, codes_.data() + to * n_features_);
        codes_.resize(n_kept * n_features_);
        for (std::size_t feature = 0; feature < n_features_; ++feature)
            for (std::size_t to = 0; to < n_kept; ++to)
                columns_[feature * n_kept + to] = columns_[feature * n_cells_ + cells[to]];
        columns_.resize(n_kept * n_features_);
        if (keeps_table())
            for (std::size_t to = 0; to < n_kept; ++to) {
                const Distance* source = table_.get() + cells[to] * n_cells_;
                Distance* target = table_.get() + to * n_kept;
                for (std::size_t other = 0; other < n_kept; ++other) target[other] = source[cells[other]];
            }
        n_cells_ = n_kept;
    }

  private:
    template <class Work>
    void for_each_cell(WorkerPool& pool, Work work) const {
        constexpr std::size_t cells_per_task = 64;
        pool.run((n_cells_ + cells_per_task - 1) / cells_per_task, [&](std::size_t, std::size_t task) {
            const std::size_t end = std::min(n_cells_, (task + 1) * cells_per_task);
            for (std::size_t cell = task * cells_per_task; cell < end; ++cell) work(cell);
        });
    }

    // Functions of their own, because a byte may be anything: in a member function the compiler would have to assume that
    // a distance that is written is the number of cells, and could not work on many cells at a time.
    static void add_differing(const Code* column, Code own, Distance* row, std::size_t n_cells) {
        for (std::size_t other = 0; other < n_cells; ++other)
            row[other] = static_cast<Distance>(row[other] + static_cast<Distance>(column[other] != own));
    }
    static void subtract_differing(const Code* column, Code own, Distance* row, std::size_t n_cells) {
        for (std::size_t other = 0; other < n_cells; ++other)
            row[other] = static_cast<Distance>(row[other] - static_cast<Distance>(column[other] != own));
    }

    void count_row(std::size_t cell, Distance* row) const {
        std::fill_n(row, n_cells_, Distance{0});
        for (const std::uint32_t feature : present_) {
            const Code* column = columns_.data() + feature * n_cells_;
            add_differing(column, column[cell], row, n_cells_);
        }
        row[cell] = infinite;
    }

    std::size_t n_cells_;
    std::size_t n_features_;
    std::vector<Code> codes_;             // row-major: which features two cells differ on
    std::vector<Code> columns_;           // the same column by column: distances of many cells at once
    std::vector<std::uint32_t> present_;  // features that distances count
    std::unique_ptr<Distance[]> table_;   // n_cells × n_cells; null where it would not fit
};

}  // namespace palmette::oblivious
