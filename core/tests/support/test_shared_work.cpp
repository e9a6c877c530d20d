// Shared work: every item once, whoever gives it and whoever takes it; nobody waits for ever.

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "palmette/support/shared_work.hpp"
#include "palmette/support/worker_pool.hpp"

using namespace palmette;

namespace {

/// Walks the binary tree of the numbers 1..last, children 2i and 2i + 1, and gives away whatever is wanted.
void walk(std::size_t start, std::size_t last, std::vector<std::atomic<int>>& visits, SharedWork<std::size_t>& work,
          std::atomic<std::size_t>& given) {
    std::vector<std::size_t> stack{start};
    while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        visits[at].fetch_add(1);
        for (const std::size_t child : {2 * at, 2 * at + 1})
            if (child <= last) stack.push_back(child);
        if (stack.size() > 1 && work.is_wanted()) {
            given.fetch_add(1);
            work.give(stack.front());
            stack.erase(stack.begin());
        }
    }
}

}  // namespace

TEST_CASE("every piece of shared work is done once, by any number of workers") {
    constexpr std::size_t last = 20000;
    for (const std::size_t n_workers : {1, 2, 5}) {
        WorkerPool pool(n_workers);
        std::atomic<std::size_t> given{0};
        for (int round = 0; round < 20; ++round) {
            std::vector<std::atomic<int>> visits(last + 1);
            SharedWork<std::size_t> work({1});
            pool.run(pool.size(), [&](std::size_t, std::size_t) {
                work.work_on([&](std::size_t start) { walk(start, last, visits, work, given); });
            });
            bool once = true;
            for (std::size_t i = 1; i <= last; ++i) once = once && visits[i].load() == 1;
            CHECK(once);
        }
        if (pool.size() == 1) CHECK_EQ(given.load(), std::size_t{0});
    }
}

TEST_CASE("the last item is taken first, and no work at all ends at once") {
    std::vector<int> order;
    SharedWork<int> work({1, 2, 3});
    work.work_on([&](int item) { order.push_back(item); });
    CHECK(order == (std::vector{3, 2, 1}));
    SharedWork<int> nothing({});
    nothing.work_on([&](int item) { order.push_back(item); });
    CHECK_EQ(order.size(), std::size_t{3});
}

TEST_CASE("an item may be something that can only be moved") {
    std::vector<std::unique_ptr<int>> items;
    items.push_back(std::make_unique<int>(7));
    SharedWork<std::unique_ptr<int>> work(std::move(items));
    int sum = 0;
    work.work_on([&](std::unique_ptr<int> item) {
        sum += *item;
        if (*item == 7) work.give(std::make_unique<int>(5));
    });
    CHECK_EQ(sum, 12);
}

TEST_CASE("an exception of one worker sends the others home and reaches the caller") {
    for (const std::size_t n_workers : {1, 2, 4}) {
        WorkerPool pool(n_workers);
        for (int round = 0; round < 50; ++round) {
            std::vector<std::size_t> items(1000);
            for (std::size_t i = 0; i < items.size(); ++i) items[i] = i;
            SharedWork<std::size_t> work(items);
            std::string message;
            try {
                pool.run(pool.size(), [&](std::size_t, std::size_t) {
                    work.work_on([&](std::size_t item) {
                        if (item == 990) throw std::runtime_error("no room");
                    });
                });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            CHECK_EQ(message, std::string("no room"));
        }
    }
}
