// WorkerPool: the threads of one call. Work is handed out by index, so what is computed never depends on who computes
// it.
//
// A pool belongs to a call, not to the process: nothing survives a fork, and two fits in two Python threads do not
// share a queue. The calling thread is worker 0 and works too, so a pool of one starts no thread at all.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace palmette {

class WorkerPool {
  public:
    /// `worker` is in 0..size()-1 and owns the scratch memory of that number; `index` is the piece of work.
    using Task = std::function<void(std::size_t worker, std::size_t index)>;

    explicit WorkerPool(std::size_t n_workers);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return threads_.size() + 1; }

    /// Runs task(worker, i) for every i in 0..count-1 and returns when all are done.
    /// The first exception ends the hand-out and is rethrown here.
    void run(std::size_t count, const Task& task);

  private:
    struct Job;
    void serve(std::size_t worker);
    static void work_on(Job& job, std::size_t worker);

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable job_posted_;
    std::condition_variable job_finished_;
    Job* job_ = nullptr;
    std::size_t generation_ = 0;
    std::size_t busy_ = 0;
    bool closing_ = false;
};

}  // namespace palmette
