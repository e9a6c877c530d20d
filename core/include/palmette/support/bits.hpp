// Counting bits, written out: without a processor flag std::popcount is a call.
#pragma once

#include <cstdint>

namespace palmette {

[[nodiscard]] constexpr std::uint32_t count_bits(std::uint64_t bits) noexcept {
    bits -= (bits >> 1) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2) & 0x3333333333333333U);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<std::uint32_t>((bits * 0x0101010101010101U) >> 56);
}

}  // namespace palmette
