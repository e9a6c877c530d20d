// Frontier: the sublattices that wait, shared by the workers of one search.
//
// A worker that runs dry waits here; the others see that and give away the largest sublattice on their stacks. What is
// left at the end of a stretch of work, or of the whole search, is collected here too.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "explorer.hpp"

namespace palmette {

template <std::size_t Words>
class Frontier {
  public:
    using Tasks = std::vector<Task<Words>>;

    /// Starts a stretch of work for `n_workers`.
    void open(Tasks tasks, std::size_t n_workers) {
        const std::lock_guard lock(mutex_);
        // Taken from the back: the largest share first.
        std::ranges::stable_sort(tasks, {}, &Task<Words>::share);
        tasks_ = std::move(tasks);
        left_over_.clear();
        n_busy_ = n_workers;
        n_waiting_ = 0;
        draining_.store(false);
        hungry_.store(0);
    }

    /// The next task; blocks while there is none but others may give some away. Empty: this stretch is over.
    std::optional<Task<Words>> take() {
        std::unique_lock lock(mutex_);
        --n_busy_;
        ++n_waiting_;
        hungry_.store(n_waiting_, std::memory_order_relaxed);
        finish_save_if_complete();
        changed_.notify_all();
        changed_.wait(lock, [&] {
            return !saving_ && (!tasks_.empty() || n_busy_ == 0 || draining_.load(std::memory_order_relaxed));
        });
        --n_waiting_;
        hungry_.store(n_waiting_, std::memory_order_relaxed);
        if (tasks_.empty() || draining_.load(std::memory_order_relaxed)) return std::nullopt;
        ++n_busy_;
        Task<Words> task = std::move(tasks_.back());
        tasks_.pop_back();
        return task;
    }

    /// True if another worker waits for a task.
    [[nodiscard]] bool wanted() const noexcept { return hungry_.load(std::memory_order_relaxed) > 0; }
    void give(Task<Words> task) {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        changed_.notify_one();
    }

    /// Ends the stretch: workers leave what they have.
    void drain() {
        draining_.store(true);
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }
    [[nodiscard]] bool draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
    void leave(Tasks tasks) {
        const std::lock_guard lock(mutex_);
        for (Task<Words>& task : tasks) left_over_.push_back(std::move(task));
    }
    /// After the stretch: all that was not done.
    [[nodiscard]] Tasks close() {
        const std::lock_guard lock(mutex_);
        Tasks all = std::exchange(left_over_, {});
        for (Task<Words>& task : tasks_) all.push_back(std::move(task));
        tasks_.clear();
        return all;
    }

    /// Asks every worker to `report` what it has.
    void request_save() noexcept { save_requested_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool save_requested() const noexcept { return save_requested_.load(std::memory_order_relaxed); }
    /// Waits until all busy workers have reported, so that no task is on its way from one to another; the last one
    /// calls save(tasks).
    template <class Save>
    void report(Tasks tasks, Save save) {
        std::unique_lock lock(mutex_);
        if (!save_requested_.load(std::memory_order_relaxed)) return;
        saving_ = true;
        for (Task<Words>& task : tasks) reported_.push_back(std::move(task));
        ++n_reports_;
        on_complete_ = [this, save] {
            Tasks all = std::exchange(reported_, {});
            all.insert(all.end(), tasks_.begin(), tasks_.end());
            all.insert(all.end(), left_over_.begin(), left_over_.end());
            save(std::move(all));
        };
        const std::size_t round = round_;
        finish_save_if_complete();
        changed_.wait(lock, [&] { return round_ != round; });
    }

  private:
    /// With the lock held.
    void finish_save_if_complete() {
        if (!saving_ || n_reports_ < n_busy_) return;
        on_complete_();
        on_complete_ = nullptr;
        saving_ = false;
        n_reports_ = 0;
        ++round_;
        save_requested_.store(false, std::memory_order_relaxed);
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    Tasks tasks_;
    Tasks left_over_;
    Tasks reported_;
    std::function<void()> on_complete_;
    std::size_t n_busy_ = 0;
    std::size_t n_waiting_ = 0;
    std::size_t n_reports_ = 0;
    std::size_t round_ = 0;
    bool saving_ = false;
    std::atomic<std::size_t> hungry_{0};
    std::atomic<bool> draining_{false};
    std::atomic<bool> save_requested_{false};
};

}  // namespace palmette
