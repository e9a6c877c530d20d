// RandomStream: random numbers that depend on a place in the work, not on the order in which threads reach it.
//
// SplitMix64 (Steele, Lea & Flood 2014): a counter hashed by two multiply-xorshift rounds. A child stream is keyed by
// hashing the parent's key with the child's number, so every tree and every node of a forest owns its own stream.
#pragma once

#include <cstdint>

namespace palmette {

class RandomStream {
  public:
    explicit constexpr RandomStream(std::uint64_t key) noexcept : state_(mix(key)) {}

    [[nodiscard]] constexpr RandomStream child(std::uint64_t number) const noexcept {
        return RandomStream(state_ ^ mix(number + 0x632be59bd9b4e019ULL));
    }

    constexpr std::uint64_t next() noexcept {
        state_ += golden_gamma;
        return mix(state_);
    }

    /// Uniform in 0..bound-1. The multiply-shift of Lemire (2019) without the rejection step: its bias is
    /// below bound / 2^64, far under what any forest could show.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }

  private:
    static constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;

    static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

}  // namespace palmette
