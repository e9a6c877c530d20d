// CodeLanes: how often each code occurs, for columns of at most three values, counted inside one register.
//
// Counters in memory wait for their own last store where a code comes again at once, and with two or three values it
// mostly does. Here a code is a shift, and the counters are 16-bit lanes of one word. (Eight lanes of a byte, emptied in
// time, would serve seven values; they gained nothing there and cost a tenth here.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace palmette {

class CodeLanes {
  public:
    static constexpr std::uint32_t most_values = 3;      // and 0, missing
    static constexpr std::size_t most_samples = 0xffff;  // that a lane can count

    void add(std::uint32_t code, std::uint64_t count = 1) noexcept { lanes_ += count << (lane_bits * code); }
    [[nodiscard]] std::uint32_t operator[](std::uint32_t code) const noexcept {
        return static_cast<std::uint32_t>(lanes_ >> (lane_bits * code)) & 0xffffU;
    }

  private:
    static constexpr std::uint32_t lane_bits = 16;
    std::uint64_t lanes_ = 0;
};

}  // namespace palmette
