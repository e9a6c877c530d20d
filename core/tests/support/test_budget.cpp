// Budget and Progress: deadlines, requests to stop, and the finished share of the work.

#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "palmette/support/budget.hpp"

using namespace palmette;

TEST_CASE("a fresh budget is never spent") {
    Budget budget;
    CHECK(!budget.spent());
    CHECK(!budget.check_deadline());
    CHECK(!budget.deadline_passed());
    CHECK(!budget.memory_limit().has_value());
    budget.set_memory_limit(1000);
    CHECK_EQ(budget.memory_limit().value(), std::size_t{1000});
}

TEST_CASE("a request stops without being late") {
    Budget budget;
    std::thread([&budget] { budget.request_stop(); }).join();
    CHECK(budget.spent());
    CHECK(budget.check_deadline());
    CHECK(!budget.deadline_passed());
}

TEST_CASE("the time that is left is infinite without a deadline, and never negative") {
    Budget budget;
    CHECK_EQ(budget.seconds_left(), std::numeric_limits<double>::infinity());
    budget.set_time_limit(1000.0);
    CHECK(budget.seconds_left() > 0 && budget.seconds_left() <= 1000.0);
    budget.set_time_limit(0.0);
    CHECK_EQ(budget.seconds_left(), 0.0);
}

TEST_CASE("a passed deadline is seen when the clock is looked at") {
    Budget budget;
    budget.set_time_limit(0.0);
    CHECK(!budget.spent());
    CHECK(budget.check_deadline());
    CHECK(budget.spent());
    CHECK(budget.deadline_passed());
}

TEST_CASE("a deadline ahead is not passed, then is") {
    Budget budget;
    budget.set_time_limit(3600.0);
    CHECK(!budget.check_deadline());
    budget.set_time_limit(0.005);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(budget.check_deadline());
}

TEST_CASE("time limits without end are as good as none, and those that are no time are refused") {
    Budget budget;
    for (const double seconds : {1e12, 1e308, std::numeric_limits<double>::infinity()}) {
        budget.set_time_limit(seconds);
        CHECK(!budget.check_deadline());
    }
    CHECK_THROWS_AS(budget.set_time_limit(-1.0), std::invalid_argument);
    CHECK_THROWS_AS(budget.set_time_limit(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST_CASE("the share of finished work is in 0..1 whatever was counted") {
    Progress progress;
    CHECK_EQ(progress.share(), 0.0);
    progress.work_done = 5;
    CHECK_EQ(progress.share(), 0.0);
    progress.work_total = 10;
    CHECK_EQ(progress.share(), 0.5);
    progress.work_done = 25;
    CHECK_EQ(progress.share(), 1.0);
}

TEST_CASE("a watch looks at the clock before large work, and before some of the small") {
    Budget budget;
    budget.set_time_limit(0);
    Watch watch;
    CHECK(!watch.is_over(budget, Watch::large - 1));
    CHECK(watch.is_over(budget, Watch::large));
    CHECK(budget.deadline_passed());

    Budget late;
    late.set_time_limit(0);
    std::size_t n_small = 1;
    for (Watch small; !small.is_over(late, 1); ++n_small) REQUIRE(n_small < 1000);
    CHECK(n_small > 10);

    Budget stopped;
    stopped.request_stop();
    CHECK(Watch().is_over(stopped, 1));
}
