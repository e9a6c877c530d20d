// TrialRecord: whether something that costs time and may gain nothing has paid lately.
#pragma once

#include <cstdint>

namespace palmette {

class TrialRecord {
  public:
    /// False where few of the last trials have paid. Now and then one is made all the same.
    [[nodiscard]] bool worth_trying() noexcept {
        return n_trials_ < trials_before_judging || n_paid_ * least_trials_of_a_gain >= n_trials_ ||
               ++n_refusals_ % trials_after_judging == 0;
    }
    void learn(bool paid) noexcept {
        n_paid_ += paid ? 1 : 0;
        if (++n_trials_ < trials_remembered) return;
        n_trials_ /= 2;
        n_paid_ /= 2;
    }

  private:
    static constexpr std::uint32_t trials_before_judging = 64, trials_remembered = 1024;
    static constexpr std::uint32_t least_trials_of_a_gain = 16, trials_after_judging = 16;

    std::uint32_t n_trials_ = 0, n_paid_ = 0, n_refusals_ = 0;
};

}  // namespace palmette
