// Dataset: an immutable, column-major, rank-coded table with class labels and weights. Everything above reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palmette/data/column.hpp"
#include "palmette/support/fixed_point.hpp"

namespace palmette {

using Label = std::uint16_t;

/// What a tree has to know of its dataset once it is grown. It is small, so that the codes can go before.
struct DatasetOutline {
    std::size_t n_classes = 0;
    std::vector<std::uint32_t> n_categories;  // by feature; 0: continuous
    WeightScale scale;
};

class Dataset {
  public:
    static constexpr std::size_t most_rows = 0x7fffffff;
    static constexpr std::size_t most_classes = 0xffff;

    /// `weights` is empty for unit weights. Throws std::invalid_argument when the parts do not fit together. What takes
    /// time is done by the workers of the pool, if there is one.
    Dataset(std::vector<Column> columns, std::vector<Label> labels, std::size_t n_classes,
            std::span<const double> weights, WorkerPool* pool = nullptr);
    Dataset(Dataset&&) = default;
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;

    [[nodiscard]] std::size_t n_rows() const noexcept { return labels_.size(); }
    [[nodiscard]] std::size_t n_features() const noexcept { return columns_.size(); }
    [[nodiscard]] std::size_t n_classes() const noexcept { return n_classes_; }
    [[nodiscard]] const Column& column(std::size_t feature) const noexcept { return columns_[feature]; }
    [[nodiscard]] std::span<const Label> labels() const noexcept { return labels_; }
    /// Fixed-point weights, empty when every row has weight one.
    [[nodiscard]] std::span<const Weight> weights() const noexcept { return weights_; }
    [[nodiscard]] const WeightScale& scale() const noexcept { return scale_; }
    [[nodiscard]] const XLogX& xlogx() const noexcept { return xlogx_; }

    /// True if any of `rows` lacks the value of any feature.
    [[nodiscard]] bool has_missing(std::span<const std::uint32_t> rows) const noexcept;

    [[nodiscard]] DatasetOutline outline() const;

    /// Bytes of the codes alone.
    [[nodiscard]] std::size_t code_bytes() const noexcept;

  private:
    std::vector<Column> columns_;
    std::vector<Label> labels_;
    std::size_t n_classes_;
    std::vector<Weight> weights_;
    WeightScale scale_;
    XLogX xlogx_;
};

}  // namespace palmette
