// EntropyChords: a number that the entropy of two classes is never below, and hardly above, for the price of a look-up.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace palmette {

class EntropyChords {
  public:
    /// The entropy is at most this above its chord (in the first and the last piece; in the others, much less).
    static constexpr double most_below = 1.1e-3;

    EntropyChords() {
        for (std::size_t i = 0; i < n_pieces; ++i) pieces_[i] = {entropy_at(i), entropy_at(i + 1) - entropy_at(i)};
    }

    /// For two classes with shares p and 1 − p, in bits.
    [[nodiscard]] double operator()(double p) const noexcept {
        const double place = p * static_cast<double>(n_pieces);
        const std::size_t i = std::min(static_cast<std::size_t>(place), n_pieces - 1);
        return pieces_[i].start + (place - static_cast<double>(i)) * pieces_[i].rise;
    }

  private:
    static constexpr std::size_t n_pieces = 512;
    struct Piece {
        double start, rise;
    };

    static double entropy_at(std::size_t i) {
        const double p = static_cast<double>(i) / static_cast<double>(n_pieces), q = 1 - p;
        return i == 0 || i == n_pieces ? 0.0 : -p * std::log2(p) - q * std::log2(q);
    }

    std::array<Piece, n_pieces> pieces_;
};

}  // namespace palmette
