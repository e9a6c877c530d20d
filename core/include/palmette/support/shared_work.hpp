// SharedWork: pieces of work that workers take, and that those who have plenty give to those who have none.
//
// Work of unknown size (a subtree) cannot be dealt out evenly beforehand. A worker keeps what it finds on the way for
// itself and looks now and then whether somebody waits; only then it gives something away.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace palmette {

template <class Item>
class SharedWork {
  public:
    /// The last item is taken first.
    explicit SharedWork(std::vector<Item> items) : items_(std::move(items)) {}

    /// Runs work(item) until nothing is left or coming; every worker of a pool calls it once. An exception of one
    /// worker sends the others home after the items they hold.
    template <class Work>
    void work_on(Work work) {
        while (std::optional<Item> item = take()) {
            try {
                work(std::move(*item));
            } catch (...) {
                finish(true);
                throw;
            }
            finish(false);
        }
    }

    /// Whether a worker waits and nothing lies ready for it.
    [[nodiscard]] bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed) > 0; }

    /// Hands an item to whoever waits; only from within work_on.
    void give(Item item) {
        {
            const std::lock_guard lock(mutex_);
            items_.push_back(std::move(item));
            count();
        }
        changed_.notify_one();
    }

  private:
    std::optional<Item> take() {
        std::unique_lock lock(mutex_);
        ++n_waiting_;
        count();
        changed_.wait(lock, [this] { return closed_ || !items_.empty() || n_busy_ == 0; });
        --n_waiting_;
        if (closed_ || items_.empty()) {
            count();
            return std::nullopt;
        }
        ++n_busy_;
        std::optional<Item> item(std::move(items_.back()));
        items_.pop_back();
        count();
        return item;
    }

    void finish(bool close) {
        {
            const std::lock_guard lock(mutex_);
            --n_busy_;
            closed_ = closed_ || close;
        }
        changed_.notify_all();
    }

    void count() noexcept {
        wanted_.store(n_waiting_ > items_.size() ? n_waiting_ - items_.size() : 0, std::memory_order_relaxed);
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Item> items_;
    std::size_t n_waiting_ = 0, n_busy_ = 0;
    bool closed_ = false;
    std::atomic<std::size_t> wanted_{0};
};

}  // namespace palmette
