// Budget and Progress: how a long call is limited from outside and watched while it runs.
//
// A Budget is read by every worker between two pieces of work; a Progress is written by the workers and read
// by the thread that waits for them. Both are plain atomics: no lock is taken on the way of the work.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace palmette {

/// What a call may spend: a deadline, memory, and the patience of the user (the stop flag).
class Budget {
  public:
    using Clock = std::chrono::steady_clock;

    Budget() = default;
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    void set_time_limit(double seconds);
    void set_memory_limit(std::size_t bytes) noexcept { memory_limit_ = bytes; }
    [[nodiscard]] std::optional<std::size_t> memory_limit() const noexcept { return memory_limit_; }

    /// Asks all workers to finish as soon as they can; safe to call from any thread.
    void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }

    /// True once the call should end; one relaxed load, cheap enough for the innermost loops over features.
    [[nodiscard]] bool spent() const noexcept { return stop_.load(std::memory_order_relaxed); }

    /// Looks at the clock and trips the stop flag when the deadline has passed.
    bool check_deadline() noexcept;

    /// Until the deadline; infinite without one.
    [[nodiscard]] double seconds_left() const noexcept;

    /// True iff the deadline, not a request, ended the call.
    [[nodiscard]] bool deadline_passed() const noexcept { return late_.load(std::memory_order_relaxed); }

  private:
    std::optional<Clock::time_point> deadline_;
    std::optional<std::size_t> memory_limit_;
    std::atomic<bool> stop_{false};
    std::atomic<bool> late_{false};
};

/// What a worker looks at before each piece of work. A look at the clock costs as much as some tens of cells, so it is
/// taken before every large piece, and before some of the small ones.
class Watch {
  public:
    /// Cells (samples × features) from which a piece of work is large.
    static constexpr std::size_t large = 4097;

    /// True once the call should end; `cells` are those of the work ahead.
    bool is_over(Budget& budget, std::size_t cells) noexcept {
        if (cells < large && ++n_small_ < small_pieces) return budget.spent();
        n_small_ = 0;
        return budget.check_deadline();
    }

  private:
    static constexpr std::uint32_t small_pieces = 64;
    std::uint32_t n_small_ = 0;
};

/// How far a call has come. `work_total` is set once; the others only grow.
struct Progress {
    std::atomic<std::uint64_t> work_total{0};
    std::atomic<std::uint64_t> work_done{0};
    std::atomic<std::uint64_t> trees_built{0};
    std::atomic<std::uint64_t> nodes_expanded{0};

    /// Share of the work that is finished, in 0..1.
    [[nodiscard]] double share() const noexcept;
};

}  // namespace palmette
