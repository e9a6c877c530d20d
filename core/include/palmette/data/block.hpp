// Block: the samples of one region of a tree, copied together and re-ranked so that their codes are dense again.
//
// Deep in a tree a node's samples lie scattered over the columns of the Dataset and use few of its codes. A
// Block gathers them: its columns are short, contiguous, in narrower integers, and no code exceeds the number
// of samples, so that a histogram over the codes costs no more than a pass over the samples. The whole
// Dataset is a Block too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palmette/data/dataset.hpp"
#include "palmette/support/worker_pool.hpp"

namespace palmette {

/// One feature inside a Block. `slot` numbers count the features that the Block still holds.
struct BlockColumn {
    std::uint32_t feature = 0;  // its number in the Dataset
    FeatureKind kind = FeatureKind::continuous;
    bool has_missing = true;
    int width = 1;
    std::uint32_t n_values = 0;  // codes run from 1 to n_values; 0 is missing
    const void* codes = nullptr;
};

class Block {
  public:
    /// All rows and features of the dataset, without a copy. The dataset must outlive the block.
    explicit Block(const Dataset& dataset);

    /// The samples `ids` of `parent` (with repeats, as in a bootstrap sample) and its columns `slots`, re-ranked.
    /// Columns that are constant here are left out. With a pool the columns are copied in parallel.
    Block(const Block& parent, std::span<const std::uint32_t> ids, std::span<const std::uint32_t> slots,
          WorkerPool* pool);

    [[nodiscard]] std::size_t n_samples() const noexcept { return labels_.size(); }
    [[nodiscard]] std::size_t n_columns() const noexcept { return columns_.size(); }
    [[nodiscard]] const BlockColumn& column(std::size_t slot) const noexcept { return columns_[slot]; }
    [[nodiscard]] std::span<const Label> labels() const noexcept { return labels_; }
    /// Whether a part of the samples is read here as fast as in a block of its own: every column has a byte a sample and
    /// so few values that they stay dense, and lies in the nearest cache as a whole.
    [[nodiscard]] bool is_compact() const noexcept { return is_compact_; }
    /// Bytes of the codes that the block does not share with the dataset.
    [[nodiscard]] std::size_t nbytes() const noexcept;
    /// The row of the dataset that sample `id` is.
    [[nodiscard]] std::uint32_t row(std::uint32_t id) const noexcept { return rows_.empty() ? id : rows_[id]; }

  private:
    std::vector<std::uint32_t> rows_;  // empty: sample i is row i
    std::vector<Label> own_labels_;
    std::span<const Label> labels_;
    std::vector<BlockColumn> columns_;
    std::vector<CodeArray> storage_;
    bool is_compact_ = false;
};

}  // namespace palmette
