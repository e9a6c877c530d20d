#include "palmette/support/worker_pool.hpp"

#include <algorithm>
#include <atomic>

namespace palmette {

struct WorkerPool::Job {
    const Task& task;
    std::size_t count;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    std::mutex error_mutex;
};

WorkerPool::WorkerPool(std::size_t n_workers) {
    const std::size_t helpers = std::max<std::size_t>(n_workers, 1) - 1;
    try {
        threads_.reserve(helpers);
        for (std::size_t i = 0; i < helpers; ++i) threads_.emplace_back([this, i] { serve(i + 1); });
    } catch (...) {
        // The system refused another thread: the ones that did start, and the caller, do the work.
    }
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    job_posted_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void WorkerPool::work_on(Job& job, std::size_t worker) {
    while (!job.failed.load(std::memory_order_relaxed)) {
        const std::size_t index = job.next.fetch_add(1, std::memory_order_relaxed);
        if (index >= job.count) return;
        try {
            job.task(worker, index);
        } catch (...) {
            const std::lock_guard lock(job.error_mutex);
            if (!job.error) job.error = std::current_exception();
            job.failed.store(true, std::memory_order_relaxed);
        }
    }
}

void WorkerPool::run(std::size_t count, const Task& task) {
    Job job{.task = task, .count = count, .error = nullptr, .error_mutex = {}};
    const bool shared = !threads_.empty() && count > 1;
    if (shared) {
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            ++generation_;
            busy_ = threads_.size();
        }
        job_posted_.notify_all();
    }
    work_on(job, 0);
    if (shared) {
        std::unique_lock lock(mutex_);
        job_finished_.wait(lock, [this] { return busy_ == 0; });
        job_ = nullptr;
    }
    if (job.error) std::rethrow_exception(job.error);
}

void WorkerPool::serve(std::size_t worker) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        job_posted_.wait(lock, [&] { return closing_ || generation_ != seen; });
        if (closing_) return;
        seen = generation_;
        Job& job = *job_;
        lock.unlock();
        work_on(job, worker);
        lock.lock();
        if (--busy_ == 0) job_finished_.notify_one();
    }
}

}  // namespace palmette
