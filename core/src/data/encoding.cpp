// Ranking by counting where the values are small whole numbers, by looking them up where few are distinct, else by a
// radix sort of their bits.

#include "palmette/data/encoding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace palmette {
namespace {

/// Bits of a double that compare as unsigned integers the way the doubles compare; -0.0 was made 0.0 before.
std::uint64_t ordered_bits(double value) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits ^ ((bits >> 63) != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

[[noreturn]] void refuse_infinity(std::size_t row) {
    throw std::invalid_argument("an infinite value in row " + std::to_string(row));
}

/// Copies some rows of a column, 0.0 for -0.0. The user's memory is read once: another thread that writes to it
/// meanwhile may change the codes, but nothing that was already counted on.
void copy_rows(const ValueView& values, std::size_t begin, std::size_t end, double* copy) {
    values.visit([&](const auto* numbers, std::ptrdiff_t stride) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto value = static_cast<double>(numbers[static_cast<std::ptrdiff_t>(i) * stride]);
            if (std::isinf(value)) refuse_infinity(i);
            copy[i] = value + 0.0;
        }
    });
}

std::vector<double> snapshot(const ValueView& values) {
    std::vector<double> copy(values.size());
    copy_rows(values, 0, copy.size(), copy.data());
    return copy;
}

/// The snapshots of neighbouring columns, taken some rows at a time: in a table that lies row by row they share cache
/// lines.
std::vector<std::vector<double>> snapshots(std::span<const ColumnView> columns) {
    constexpr std::size_t rows_at_once = 128;
    std::vector<std::vector<double>> copies;
    std::size_t most_rows = 0;
    for (const ColumnView& column : columns) {
        copies.emplace_back(std::get<ValueView>(column).size());
        most_rows = std::max(most_rows, copies.back().size());
    }
    for (std::size_t begin = 0; begin < most_rows; begin += rows_at_once)
        for (std::size_t k = 0; k < columns.size(); ++k)
            copy_rows(std::get<ValueView>(columns[k]), begin, std::min(begin + rows_at_once, copies[k].size()),
                      copies[k].data());
    return copies;
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool whole = true;
    std::size_t known = 0;
};

Range survey(std::span<const double> values) {
    Range range;
    for (const double value : values) {
        if (std::isnan(value)) continue;
        ++range.known;
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
        range.whole = range.whole && value == std::floor(value);
    }
    return range;
}

/// Writes code(i) for every row, 0 where `values` is NaN.
template <class CodeOf>
Column write_codes(std::span<const double> values, std::uint32_t n_values, CodeOf code_of) {
    Column column{FeatureKind::continuous, n_values, CodeArray(values.size(), n_values)};
    visit_codes(column.codes.data(), column.codes.width(), [&](auto* codes) {
        using Code = std::remove_pointer_t<decltype(codes)>;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i];
            codes[i] = std::isnan(value) ? Code{0} : static_cast<Code>(code_of(value));
        }
    });
    return column;
}

/// Numbers the places that are not 0 from 1 on; gives the last number.
std::uint32_t number_marked(std::span<std::uint32_t> places) {
    std::uint32_t n = 0;
    for (std::uint32_t& place : places)
        if (place != 0) place = ++n;
    return n;
}

Column rank_by_counting(std::span<const double> values, const Range& range) {
    std::vector<std::uint32_t> code(static_cast<std::size_t>(range.high - range.low) + 1, 0);
    for (const double value : values)
        if (!std::isnan(value)) code[static_cast<std::size_t>(value - range.low)] = 1;
    const std::uint32_t n_values = number_marked(code);
    return write_codes(values, n_values,
                       [&](double value) { return code[static_cast<std::size_t>(value - range.low)]; });
}

// Counting needs one pass over a table as long as the span of the values; a sort moves each row about four times.
bool pays_to_count(double span, std::size_t n_known) {
    return span < 4.0 * static_cast<double>(n_known) + 256.0;
}

/// Integers that lie side by side, ranked by counting without a detour through doubles; nothing where that does not pay.
std::optional<Column> rank_integers(const ValueView& values) {
    if (values.size() == 0 || !values.is_contiguous()) return std::nullopt;
    return values.visit([&](const auto* numbers, std::ptrdiff_t) -> std::optional<Column> {
        using Number = std::remove_cvref_t<decltype(*numbers)>;
        if constexpr (std::is_integral_v<Number>) {
            const std::vector<Number> copy(numbers, numbers + values.size());
            Number low = copy.front(), high = copy.front();
            for (const Number number : copy) {
                low = std::min(low, number);
                high = std::max(high, number);
            }
            const auto place_of = [low](Number number) {
                return static_cast<std::size_t>(std::int64_t{number} - std::int64_t{low});
            };
            if (!pays_to_count(static_cast<double>(place_of(high)), copy.size())) return std::nullopt;
            std::vector<std::uint32_t> code(place_of(high) + 1, 0);
            for (const Number number : copy) code[place_of(number)] = 1;
            const std::uint32_t n_values = number_marked(code);
            Column column{FeatureKind::continuous, n_values, CodeArray(copy.size(), n_values)};
            visit_codes(column.codes.data(), column.codes.width(), [&](auto* codes) {
                using Code = std::remove_pointer_t<decltype(codes)>;
                for (std::size_t i = 0; i < copy.size(); ++i) codes[i] = static_cast<Code>(code[place_of(copy[i])]);
            });
            return column;
        } else {
            return std::nullopt;
        }
    });
}

/// The distinct values of a column in the order in which they come, found by hashing; NaN is not among them.
class DistinctValues {
  public:
    static constexpr std::uint32_t most = 1024;

    /// The number of a value, from 1 on; `most` + 1 if there are too many.
    std::uint32_t number_of(double value) noexcept {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (std::size_t place = (bits * 0x9e3779b97f4a7c15U) >> (64 - place_bits);; place = (place + 1) % n_places) {
            std::uint16_t& number = number_at_[place];
            if (number == 0) {
                if (n_ == most) return most + 1;
                value_[n_] = value;
                return number = ++n_;
            }
            if (std::bit_cast<std::uint64_t>(value_[number - 1U]) == bits) return number;
        }
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return n_; }

    /// By number, the rank of the value from 1 on; 0 for the number 0.
    [[nodiscard]] std::array<std::uint16_t, most + 1> ranks() const {
        std::array<std::uint16_t, most> order;
        std::iota(order.begin(), order.begin() + n_, std::uint16_t{0});
        std::sort(order.begin(), order.begin() + n_, [this](auto a, auto b) { return value_[a] < value_[b]; });
        std::array<std::uint16_t, most + 1> rank{};
        for (std::uint16_t place = 0; place < n_; ++place)
            rank[order[place] + 1U] = static_cast<std::uint16_t>(place + 1);
        return rank;
    }

  private:
    static constexpr int place_bits = 12;
    static constexpr std::size_t n_places = std::size_t{1} << place_bits;
    static_assert(most <= n_places / 4);

    std::array<double, most> value_;
    std::array<std::uint16_t, n_places> number_at_{};
    std::uint16_t n_ = 0;
};

/// Nothing if too many values are distinct, which shows early where most of them are.
std::optional<Column> rank_by_looking_up(std::span<const double> values) {
    DistinctValues distinct;
    const auto numbers = std::make_unique_for_overwrite<std::uint16_t[]>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t number = std::isnan(values[i]) ? 0 : distinct.number_of(values[i]);
        if (number > DistinctValues::most) return std::nullopt;
        numbers[i] = static_cast<std::uint16_t>(number);
    }
    const auto rank = distinct.ranks();
    Column column{FeatureKind::continuous, distinct.size(), CodeArray(values.size(), distinct.size())};
    visit_codes(column.codes.data(), column.codes.width(), [&](auto* codes) {
        using Code = std::remove_pointer_t<decltype(codes)>;
        for (std::size_t i = 0; i < values.size(); ++i) codes[i] = static_cast<Code>(rank[numbers[i]]);
    });
    return column;
}

struct Keyed {
    std::uint32_t key;  // the upper half of the ordered bits
    std::uint32_t row;
};

/// Least-significant-digit radix sort in three passes of 11 bits; a pass whose digit is constant is skipped.
void radix_sort(std::vector<Keyed>& items, std::vector<Keyed>& buffer) {
    buffer.resize(items.size());
    for (const int shift : {0, 11, 22}) {
        std::array<std::uint32_t, 2048> start{};
        for (const auto& item : items) ++start[(item.key >> shift) & 2047U];
        if (start[(items.front().key >> shift) & 2047U] == items.size()) continue;
        std::uint32_t sum = 0;
        for (auto& entry : start) sum += std::exchange(entry, sum);
        for (const auto& item : items) buffer[start[(item.key >> shift) & 2047U]++] = item;
        items.swap(buffer);
    }
}

Column rank_by_sorting(std::span<const double> values, std::size_t n_known) {
    std::vector<Keyed> items;
    items.reserve(n_known);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = values[i];
        if (!std::isnan(value))
            items.push_back({static_cast<std::uint32_t>(ordered_bits(value) >> 32), static_cast<std::uint32_t>(i)});
    }
    {
        std::vector<Keyed> buffer;
        radix_sort(items, buffer);
    }
    // Most values differ from their neighbours in the upper bits already; a run that shares them is put in
    // order by its full values, and equal ones get the same code. The slot of the key then holds the code.
    std::uint32_t n_values = 0;
    for (std::size_t begin = 0; begin < items.size();) {
        std::size_t end = begin + 1;
        while (end < items.size() && items[end].key == items[begin].key) ++end;
        if (end - begin > 1) {
            const auto by_value = [&](const Keyed& a, const Keyed& b) { return values[a.row] < values[b.row]; };
            const auto first = items.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto last = items.begin() + static_cast<std::ptrdiff_t>(end);
            if (!std::is_sorted(first, last, by_value)) std::sort(first, last, by_value);
        }
        items[begin].key = ++n_values;
        for (std::size_t k = begin + 1; k < end; ++k) {
            if (values[items[k - 1].row] < values[items[k].row]) ++n_values;
            items[k].key = n_values;
        }
        begin = end;
    }
    Column column{FeatureKind::continuous, n_values, CodeArray(values.size(), n_values)};
    visit_codes(column.codes.data(), column.codes.width(), [&](auto* codes) {
        using Code = std::remove_pointer_t<decltype(codes)>;
        if (items.size() < values.size()) std::fill(codes, codes + values.size(), Code{0});
        for (const auto& item : items) codes[item.row] = static_cast<Code>(item.key);
    });
    return column;
}

Column rank(std::span<const double> values) {
    const Range range = survey(values);
    if (range.known == 0) return write_codes(values, 0, [](double) { return 0U; });
    if (range.whole && pays_to_count(range.high - range.low, range.known)) return rank_by_counting(values, range);
    if (range.known > DistinctValues::most)
        if (auto column = rank_by_looking_up(values)) return std::move(*column);
    return rank_by_sorting(values, range.known);
}

template <class Number>
Column shift(std::span<const Number> numbers, std::uint32_t n_categories) {
    Column column{FeatureKind::nominal, n_categories, CodeArray(numbers.size(), n_categories)};
    const auto wrong = [n_categories](Number number) {
        return number < -1 || std::int64_t{number} >= std::int64_t{n_categories};
    };
    // The codes are made of what was checked, although another thread may write to the user's memory meanwhile; and
    // without a branch in the loop, so that it is vectorized.
    bool any_wrong = false;
    visit_codes(column.codes.data(), column.codes.width(), [&](auto* codes) {
        using Code = std::remove_pointer_t<decltype(codes)>;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const Number number = numbers[i];
            any_wrong |= wrong(number);
            codes[i] = static_cast<Code>(static_cast<Code>(number) + Code{1});
        }
    });
    if (any_wrong) {
        const auto place = std::ranges::find_if(numbers, wrong);
        const std::string which = place == numbers.end() ? "a category"
                                                         : "category " + std::to_string(*place) + " in row " +
                                                               std::to_string(place - numbers.begin());
        throw std::invalid_argument(which + " is not in -1.." + std::to_string(std::int64_t{n_categories} - 1));
    }
    return column;
}

std::size_t size_of(const ColumnView& column) {
    if (const auto* values = std::get_if<ValueView>(&column)) return values->size();
    return std::visit([](auto numbers) { return numbers.size(); }, std::get<CategoryView>(column).numbers);
}

/// Bytes of the snapshots that a worker takes together: they stay in its cache, and are few beside those of all columns.
constexpr std::size_t least_bytes_together = std::size_t{1} << 16;
constexpr std::size_t most_bytes_together = std::size_t{1} << 19;
constexpr std::size_t most_together = 8;

/// Neighbours of one kind, as many as a worker takes together; the continuous ones, which take longer, first.
std::vector<std::span<const ColumnView>> pieces(std::span<const ColumnView> columns) {
    std::vector<std::span<const ColumnView>> pieces;
    std::size_t all_bytes = 0;
    for (const ColumnView& column : columns) all_bytes += sizeof(double) * size_of(column);
    const std::size_t bytes_together = std::clamp(all_bytes / 32, least_bytes_together, most_bytes_together);
    for (std::size_t first = 0; first < columns.size();) {
        const std::size_t bytes = sizeof(double) * std::max<std::size_t>(1, size_of(columns[first]));
        const std::size_t together = std::clamp<std::size_t>(bytes_together / bytes, 1, most_together);
        std::size_t n = 1;
        while (n < together && first + n < columns.size() && columns[first + n].index() == columns[first].index()) ++n;
        pieces.push_back(columns.subspan(first, n));
        first += n;
    }
    std::ranges::stable_partition(pieces,
                                  [](const auto& piece) { return std::holds_alternative<ValueView>(piece.front()); });
    return pieces;
}

}  // namespace

Column encode_continuous(const ValueView& values) {
    if (auto column = rank_integers(values)) return std::move(*column);
    return rank(snapshot(values));
}

Column encode_nominal(const CategoryView& categories) {
    return std::visit([&](auto numbers) { return shift(numbers, categories.n_categories); }, categories.numbers);
}

std::vector<Column> encode(std::span<const ColumnView> columns, WorkerPool& pool) {
    std::vector<Column> encoded(columns.size());
    const auto work = pieces(columns);
    pool.run(work.size(), [&](std::size_t, std::size_t task) {
        const auto mine = work[task];
        Column* const out = encoded.data() + (mine.data() - columns.data());
        if (!std::holds_alternative<ValueView>(mine.front())) {
            for (std::size_t k = 0; k < mine.size(); ++k) out[k] = encode_nominal(std::get<CategoryView>(mine[k]));
        } else if (mine.size() == 1) {
            *out = encode_continuous(std::get<ValueView>(mine.front()));
        } else {
            const auto copies = snapshots(mine);
            for (std::size_t k = 0; k < mine.size(); ++k) out[k] = rank(copies[k]);
        }
    });
    return encoded;
}

std::vector<double> decode_values(const Column& column, const ValueView& values,
                                  std::span<const std::int64_t> weights) {
    if (values.size() != column.codes.size())
        throw std::invalid_argument("the values of a column have " + std::to_string(values.size()) +
                                    " rows, its codes have " + std::to_string(column.codes.size()));
    std::vector<double> decoded(column.n_values, std::numeric_limits<double>::quiet_NaN());
    visit_codes(column.codes.data(), column.codes.width(), [&](const auto* codes) {
        values.visit([&](const auto* numbers, std::ptrdiff_t stride) {
            for (std::size_t i = 0; i < values.size(); ++i)
                if (codes[i] != 0 && (weights.empty() || weights[i] > 0))
                    decoded[codes[i] - 1U] = static_cast<double>(numbers[static_cast<std::ptrdiff_t>(i) * stride]);
        });
    });
    if (!weights.empty())
        for (std::size_t c = 1; c < decoded.size(); ++c)
            if (std::isnan(decoded[c])) decoded[c] = decoded[c - 1];
    return decoded;
}

}  // namespace palmette
