// QuickXLogX: x·log2(x) to nine digits, for a fraction of the price of std::log2. Good for telling what cannot be best;
// what may be best is judged by XLogX.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace palmette {

class QuickXLogX {
  public:
    /// |operator()(x) − x·log2(x)| is at most this share of x.
    static constexpr double error = 1e-9;

    QuickXLogX() {
        for (std::size_t i = 0; i < table_.size(); ++i) {
            const double middle = 1.0 + (static_cast<double>(i) + 0.5) / static_cast<double>(table_.size());
            table_[i] = {1.0 / middle, std::log2(middle)};
        }
    }

    /// For x = 0 or a positive number that is not subnormal.
    [[nodiscard]] double operator()(double x) const noexcept {
        constexpr double log2_e = 1.4426950408889634;
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
        const double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U);
        const Entry& entry = table_[(bits >> (52 - index_bits)) & (table_.size() - 1)];
        const double r = mantissa * entry.inverse - 1.0;  // |r| <= 2^-9
        return x * (exponent + entry.log2 + r * log2_e * (1.0 + r * (-0.5 + r * (1.0 / 3.0))));
    }

  private:
    static constexpr int index_bits = 8;
    struct Entry {
        double inverse, log2;
    };
    std::array<Entry, std::size_t{1} << index_bits> table_;
};

}  // namespace palmette
