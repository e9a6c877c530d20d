#include "palmette/data/block.hpp"

#include <algorithm>
#include <utility>

namespace palmette {
namespace {

/// Below this many cells a parallel copy costs more to hand out than to do.
constexpr std::size_t parallel_cells = std::size_t{1} << 16;

/// From this many codes a sample on, samples are sorted instead of sweeping over the codes: it pays for a small subtree
/// that is cut out of a long dataset.
constexpr std::uint32_t few_among_many = 16;

struct Recoded {
    CodeArray codes;
    std::uint32_t n_values = 0;
    bool has_missing = false;
};

/// Copies the codes of `ids`. Codes are re-ranked when there are more of them than samples: only then does it pay.
Recoded recode(const BlockColumn& source, std::span<const std::uint32_t> ids, std::vector<std::uint32_t>& new_code) {
    return visit_codes(source.codes, source.width, [&](const auto* codes) {
        Recoded result;
        if (source.n_values <= ids.size()) {
            result.n_values = source.n_values;
            result.has_missing = source.has_missing;
            result.codes = CodeArray(ids.size(), result.n_values);
            visit_codes(result.codes.data(), result.codes.width(), [&](auto* out) {
                using Code = std::remove_pointer_t<decltype(out)>;
                for (std::size_t i = 0; i < ids.size(); ++i) out[i] = static_cast<Code>(codes[ids[i]]);
            });
            return result;
        }
        if (source.n_values / few_among_many > ids.size()) {
            // Few samples among many codes, as when a subtree is cut out of the whole dataset: ranked by sorting.
            std::vector<std::uint32_t>& present = new_code;
            present.clear();
            for (const std::uint32_t id : ids) present.push_back(codes[id]);
            std::ranges::sort(present);
            present.erase(std::unique(present.begin(), present.end()), present.end());
            result.has_missing = present.front() == 0;
            result.n_values = static_cast<std::uint32_t>(present.size()) - (result.has_missing ? 1 : 0);
            const std::uint32_t first_code = result.has_missing ? 0 : 1;
            result.codes = CodeArray(ids.size(), result.n_values);
            visit_codes(result.codes.data(), result.codes.width(), [&](auto* out) {
                using Code = std::remove_pointer_t<decltype(out)>;
                for (std::size_t i = 0; i < ids.size(); ++i) {
                    const auto rank = std::ranges::lower_bound(present, std::uint32_t{codes[ids[i]]}) - present.begin();
                    out[i] = static_cast<Code>(static_cast<std::uint32_t>(rank) + first_code);
                }
            });
            return result;
        }
        new_code.assign(std::size_t{source.n_values} + 1, 0);
        for (const std::uint32_t id : ids) new_code[codes[id]] = 1;
        result.has_missing = std::exchange(new_code[0], 0) != 0;
        // Codes that do not occur get the number of the last one that does: nobody will ask.
        for (auto& code : new_code) code = result.n_values += code;
        result.codes = CodeArray(ids.size(), result.n_values);
        visit_codes(result.codes.data(), result.codes.width(), [&](auto* out) {
            using Code = std::remove_pointer_t<decltype(out)>;
            for (std::size_t i = 0; i < ids.size(); ++i) out[i] = static_cast<Code>(new_code[codes[ids[i]]]);
        });
        return result;
    });
}

}  // namespace

Block::Block(const Dataset& dataset) : labels_(dataset.labels()) {
    columns_.reserve(dataset.n_features());
    for (std::uint32_t feature = 0; feature < dataset.n_features(); ++feature) {
        const Column& column = dataset.column(feature);
        columns_.push_back({feature, column.kind, true, column.codes.width(), column.n_values, column.codes.data()});
    }
}

Block::Block(const Block& parent, std::span<const std::uint32_t> ids, std::span<const std::uint32_t> slots,
             WorkerPool* pool) {
    rows_.reserve(ids.size());
    own_labels_.reserve(ids.size());
    for (const std::uint32_t id : ids) {
        rows_.push_back(parent.row(id));
        own_labels_.push_back(parent.labels_[id]);
    }
    labels_ = own_labels_;

    std::vector<Recoded> recoded(slots.size());
    if (pool != nullptr && pool->size() > 1 && ids.size() * slots.size() >= parallel_cells) {
        std::vector<std::vector<std::uint32_t>> maps(pool->size());
        pool->run(slots.size(), [&](std::size_t worker, std::size_t i) {
            recoded[i] = recode(parent.columns_[slots[i]], ids, maps[worker]);
        });
    } else {
        std::vector<std::uint32_t> map;
        for (std::size_t i = 0; i < slots.size(); ++i) recoded[i] = recode(parent.columns_[slots[i]], ids, map);
    }
    columns_.reserve(slots.size());
    storage_.reserve(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (recoded[i].n_values < 2) continue;
        const BlockColumn& source = parent.columns_[slots[i]];
        storage_.push_back(std::move(recoded[i].codes));
        columns_.push_back({source.feature, source.kind, recoded[i].has_missing, storage_.back().width(),
                            recoded[i].n_values, storage_.back().data()});
    }
}

std::size_t Block::nbytes() const noexcept {
    std::size_t bytes = 0;
    for (const CodeArray& codes : storage_) bytes += codes.nbytes();
    return bytes;
}

}  // namespace palmette
