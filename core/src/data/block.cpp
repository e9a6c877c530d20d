#include "palmette/data/block.hpp"

#include <algorithm>
#include <utility>

#include "palmette/support/bits.hpp"

namespace palmette {
namespace {

/// Below this many cells a parallel copy costs more to hand out than to do.
constexpr std::size_t parallel_cells = std::size_t{1} << 16;

// The nearest cache of common processors has 32 KB. A histogram of 64 codes costs no more than a pass over the smallest
// node that would get a block.
constexpr std::size_t most_samples_of_compact = std::size_t{1} << 15;
constexpr std::uint32_t most_values_of_compact = 64;

bool are_compact(std::span<const BlockColumn> columns, std::size_t n_samples) {
    return n_samples <= most_samples_of_compact && std::ranges::all_of(columns, [](const BlockColumn& column) {
               return column.width == 1 && column.n_values <= most_values_of_compact;
           });
}

/// From this many codes a sample on, samples are sorted instead of sweeping over the codes: it pays for a small subtree
/// that is cut out of a long dataset.
constexpr std::uint32_t few_among_many = 256;

/// Which codes occur, a bit for each, and how many of them are below a given one. A table of the new codes would take
/// twenty times the memory, and more cache than there is.
class CodesPresent {
  public:
    void clear(std::uint32_t greatest_code) { words_.assign(std::size_t{greatest_code} / 64 + 1, {}); }
    void add(std::uint32_t code) noexcept { words_[code / 64].bits |= std::uint64_t{1} << (code % 64); }
    [[nodiscard]] bool has_missing() const noexcept { return (words_[0].bits & 1) != 0; }

    /// Numbers the known codes from 1 on; gives the last number.
    std::uint32_t number() noexcept {
        words_[0].bits |= 1;  // stands for the "missing" that every column has
        std::uint32_t below = 0;
        for (Word& word : words_) {
            word.below = below;
            below += count_bits(word.bits);
        }
        return below - 1;
    }
    [[nodiscard]] std::uint32_t number_of(std::uint32_t code) const noexcept {
        const Word& word = words_[code / 64];
        return word.below + count_bits(word.bits & ((std::uint64_t{1} << (code % 64)) - 1));
    }

  private:
    struct Word {
        std::uint64_t bits = 0;
        std::uint32_t below = 0;  // codes present in the words before
    };

    std::vector<Word> words_;
};

/// Memory that one worker reuses from column to column.
struct RecodingScratch {
    CodesPresent present;
    std::vector<std::uint32_t> sorted;
};

struct Recoded {
    CodeArray codes;
    std::uint32_t n_values = 0;
    bool has_missing = false;
};

/// Copies the codes of `ids`. Codes are re-ranked when there are more of them than samples: only then does it pay.
Recoded recode(const BlockColumn& source, std::span<const std::uint32_t> ids, RecodingScratch& scratch) {
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
            std::vector<std::uint32_t>& present = scratch.sorted;
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
        CodesPresent& present = scratch.present;
        present.clear(source.n_values);
        for (const std::uint32_t id : ids) present.add(codes[id]);
        result.has_missing = present.has_missing();
        result.n_values = present.number();
        result.codes = CodeArray(ids.size(), result.n_values);
        visit_codes(result.codes.data(), result.codes.width(), [&](auto* out) {
            using Code = std::remove_pointer_t<decltype(out)>;
            for (std::size_t i = 0; i < ids.size(); ++i) out[i] = static_cast<Code>(present.number_of(codes[ids[i]]));
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
    is_compact_ = are_compact(columns_, n_samples());
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
        std::vector<RecodingScratch> scratch(pool->size());
        pool->run(slots.size(), [&](std::size_t worker, std::size_t i) {
            recoded[i] = recode(parent.columns_[slots[i]], ids, scratch[worker]);
        });
    } else {
        RecodingScratch scratch;
        for (std::size_t i = 0; i < slots.size(); ++i) recoded[i] = recode(parent.columns_[slots[i]], ids, scratch);
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
    is_compact_ = are_compact(columns_, n_samples());
}

std::size_t Block::nbytes() const noexcept {
    std::size_t bytes = 0;
    for (const CodeArray& codes : storage_) bytes += codes.nbytes();
    return bytes;
}

}  // namespace palmette
