// GainCeiling: the cuts between two classes that may gain more than so many bits, told without a logarithm or a division.
//
// Be P the share of class 1 among all samples, p and q its shares on the two sides, with L and R samples. The gain is
// L·D(p|P) + R·D(q|P), where D is the divergence in bits. D(p|P)/(p − P)² is the integral of (1 − u)·g(P + u·(p − P)) over
// u in 0..1 with g(t) = 1/(t·(1 − t)), up to the factor of the logarithm. Since g is convex, so is this in p, and it is
// greatest at p = 0 or at p = 1, where it is the integral of 1/(P·(1 − P·v)) over v in 0..1, or the same with 1 − P for P.
// For P <= 1/2 the first is the greater, because the denominators differ by (1 − 2·P)·(1 − v) >= 0: it is −log2(1 − P)/P².
// Call it K. With d = L·(p − P) = −R·(q − P) the gain is at most K·d²·(1/L + 1/R).
//
// Most features of a small node are noise, and most of their cuts are far from what the correction of C4.5 asks of the
// best one.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace palmette {

class GainCeiling {
  public:
    /// Of a node with so many samples of both classes, some of each.
    GainCeiling(double zeros, double ones, double bits) noexcept
        : all_(zeros + ones), share_(ones / all_), tolerance_(1e-12 * all_), bits_(bits) {
        const double rarer = std::min(share_, 1 - share_);
        factor_ = -std::log1p(-rarer) * std::numbers::log2e / (rarer * rarer) * all_;
    }

    /// False if the cut with so many samples below it, so many of class 1, gains less than that.
    [[nodiscard]] bool may_be_passed(double left, double left_ones) const noexcept {
        const double distance = std::abs(left_ones - share_ * left) + tolerance_;
        return factor_ * distance * distance > bits_ * left * (all_ - left);
    }

  private:
    double all_, share_, tolerance_, bits_, factor_;
};

}  // namespace palmette
