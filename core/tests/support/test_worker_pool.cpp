// The pool: every piece of work once, exceptions handed over, the same pool again and again.

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "palmette/support/worker_pool.hpp"

using namespace palmette;

TEST_CASE("a pool of any size runs every index exactly once, on workers that exist") {
    for (const std::size_t n_workers : {1, 2, 5, 16}) {
        WorkerPool pool(n_workers);
        CHECK(pool.size() >= 1 && pool.size() <= n_workers);
        for (const std::size_t count : {0, 1, 2, 3, 7, 1000}) {
            std::vector<std::atomic<int>> runs(count);
            std::atomic<bool> worker_exists{true};
            pool.run(count, [&](std::size_t worker, std::size_t index) {
                runs[index].fetch_add(1);
                if (worker >= pool.size()) worker_exists = false;
            });
            bool once = true;
            for (const auto& run : runs) once = once && run.load() == 1;
            CHECK(once);
            CHECK(worker_exists.load());
        }
    }
}

TEST_CASE("a pool that is asked for no worker still works") {
    WorkerPool pool(0);
    CHECK_EQ(pool.size(), std::size_t{1});
    int runs = 0;
    pool.run(3, [&](std::size_t, std::size_t) { ++runs; });
    CHECK_EQ(runs, 3);
}

TEST_CASE("a pool of one stays on the calling thread") {
    WorkerPool pool(1);
    const auto caller = std::this_thread::get_id();
    pool.run(10, [&](std::size_t worker, std::size_t) {
        CHECK_EQ(worker, std::size_t{0});
        CHECK(std::this_thread::get_id() == caller);
    });
}

TEST_CASE("no two pieces of work run on the same worker at once") {
    WorkerPool pool(5);
    std::vector<int> scratch(pool.size(), 0);  // not atomic: the thread sanitizer would see a shared worker
    pool.run(2000, [&](std::size_t worker, std::size_t) { ++scratch[worker]; });
    int total = 0;
    for (const int runs : scratch) total += runs;
    CHECK_EQ(total, 2000);
}

TEST_CASE("an exception ends the hand-out, reaches the caller, and leaves the pool usable") {
    for (const std::size_t n_workers : {1, 4}) {
        WorkerPool pool(n_workers);
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> runs{0};
            std::string message;
            try {
                pool.run(100000, [&](std::size_t, std::size_t index) {
                    runs.fetch_add(1);
                    if (index == 5) throw std::runtime_error("five");
                    // Else, on a busy machine, the others might be through before the thrower gets a turn.
                    if (index > 5) std::this_thread::sleep_for(std::chrono::microseconds(50));
                });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            CHECK_EQ(message, std::string("five"));
            CHECK(runs.load() < 100000);
            std::atomic<int> again{0};
            pool.run(50, [&](std::size_t, std::size_t) { again.fetch_add(1); });
            CHECK_EQ(again.load(), 50);
        }
    }
}

TEST_CASE("of many exceptions one is rethrown") {
    WorkerPool pool(4);
    CHECK_THROWS_AS(pool.run(100, [](std::size_t, std::size_t index) { throw index; }), std::size_t);
}

TEST_CASE("a pool is used a thousand times in a row") {
    WorkerPool pool(3);
    std::atomic<std::size_t> sum{0};
    for (std::size_t round = 0; round < 1000; ++round)
        pool.run(round % 5, [&](std::size_t, std::size_t index) { sum.fetch_add(index + 1); });
    CHECK_EQ(sum.load(), std::size_t{200 * (0 + 1 + 3 + 6 + 10)});
}

TEST_CASE("pools of different threads do not meet") {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&sum] {
            WorkerPool pool(2);
            for (int round = 0; round < 20; ++round) pool.run(10, [&](std::size_t, std::size_t) { sum.fetch_add(1); });
        });
    for (auto& thread : threads) thread.join();
    CHECK_EQ(sum.load(), 4 * 20 * 10);
}
