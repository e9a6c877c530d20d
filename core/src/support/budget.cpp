#include "palmette/support/budget.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace palmette {

void Budget::set_time_limit(double seconds) {
    if (!(seconds >= 0)) throw std::invalid_argument("a time limit is a number of seconds, at least 0");
    // A century is as good as no limit, and keeps the sum below the clock's range.
    const double bounded = std::min(seconds, 3.2e9);
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
}

bool Budget::check_deadline() noexcept {
    if (spent()) return true;
    if (deadline_ && Clock::now() >= *deadline_) {
        late_.store(true, std::memory_order_relaxed);
        request_stop();
        return true;
    }
    return false;
}

double Budget::seconds_left() const noexcept {
    if (!deadline_) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*deadline_ - Clock::now()).count());
}

double Progress::share() const noexcept {
    const auto total = static_cast<double>(work_total.load(std::memory_order_relaxed));
    if (total <= 0) return 0.0;
    return std::min(1.0, static_cast<double>(work_done.load(std::memory_order_relaxed)) / total);
}

}  // namespace palmette
