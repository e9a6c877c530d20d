// TrialRecord: whether something that costs time and may gain nothing has paid lately.
#pragma once

#include <cstdint>

namespace palmette {

class TrialRecord {
  public:
    /// False where the last trials have cost more than they gained. Now and then one is made all the same.
    [[nodiscard]] bool worth_trying() noexcept {
        return n_trials_ < trials_before_judging || gained_ >= spent_ || ++n_refusals_ % trials_after_judging == 0;
    }
    /// What a trial cost and what it gained, in one and the same unit.
    void learn(double spent, double gained) noexcept {
        spent_ += spent;
        gained_ += gained;
        if (++n_trials_ < trials_remembered) return;
        n_trials_ /= 2;
        spent_ /= 2;
        gained_ /= 2;
    }

  private:
    static constexpr std::uint32_t trials_before_judging = 64, trials_remembered = 1024;
    static constexpr std::uint32_t trials_after_judging = 16;

    std::uint32_t n_trials_ = 0, n_refusals_ = 0;
    double spent_ = 0, gained_ = 0;
};

}  // namespace palmette
