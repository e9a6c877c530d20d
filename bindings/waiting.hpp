// Waiting for the core: the work runs on a thread of its own while the calling thread keeps Python alive.
//
// Every 50 ms the caller takes the GIL, lets Python handle signals (Ctrl-C) and reports progress. An
// exception there asks the work to stop, waits for it, and is then raised.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

#include "palmette/support/budget.hpp"

namespace nb = nanobind;

namespace palmette::bindings {

constexpr std::chrono::milliseconds patience{50};

/// Runs work(), which must not touch Python, and returns its result. tick() is called with the GIL now and then; what it
/// throws asks the work to stop and is rethrown in the end. With `interrupted`, Ctrl-C is no error: it sets the flag, and
/// the work returns what it has.
template <class Tick, class Work>
auto wait_ticking(Budget& budget, bool* interrupted, Tick tick, Work work) {
    using Result = std::invoke_result_t<Work>;
    std::optional<Result> result;
    std::exception_ptr error;
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;

    const auto run = [&]() noexcept {
        try {
            result.emplace(work());
        } catch (...) {
            error = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        done = true;
        finished.notify_one();
    };
    std::exception_ptr interruption;
    {
        const nb::gil_scoped_release released;
        std::thread worker(run);
        for (;;) {
            {
                std::unique_lock lock(mutex);
                if (finished.wait_for(lock, patience, [&] { return done; })) break;
            }
            budget.check_deadline();
            if (interruption) continue;
            const nb::gil_scoped_acquire held;
            try {
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                tick();
            } catch (nb::python_error& raised) {
                budget.request_stop();
                if (interrupted != nullptr && raised.matches(PyExc_KeyboardInterrupt))
                    *interrupted = true;
                else
                    interruption = std::current_exception();
            } catch (...) {
                interruption = std::current_exception();
                budget.request_stop();
            }
        }
        worker.join();
    }
    if (interruption) std::rethrow_exception(interruption);
    if (error) std::rethrow_exception(error);
    return std::move(*result);
}

/// Tells `on_progress`, None or a callable (share, trees, nodes), how far the work is.
inline auto reporting(const Progress& progress, const nb::object& on_progress) {
    return [&] {
        if (!on_progress.is_none())
            on_progress(progress.share(), progress.trees_built.load(), progress.nodes_expanded.load());
    };
}

/// Ctrl-C is an error.
template <class Work>
auto wait_for(Budget& budget, Progress& progress, const nb::object& on_progress, Work work) {
    return wait_ticking(budget, nullptr, reporting(progress, on_progress), work);
}

/// Ctrl-C stops the work, which returns what it has, and sets `interrupted`.
template <class Work>
auto wait_or_stop(Budget& budget, Progress& progress, const nb::object& on_progress, bool& interrupted, Work work) {
    return wait_ticking(budget, &interrupted, reporting(progress, on_progress), work);
}

}  // namespace palmette::bindings
