/// Work of a CPU on several threads, whose errors come back to the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace watari::cpu {

/// Calls serve(next) on this thread and on others, which take numbers from `next` until they reach
/// `count`. After an error they take no more, and the first one is thrown. Where the system gives
/// no more threads, those that there are do the work.
template <class Serve>
void on_threads(std::size_t threads, std::size_t count, const Serve& serve) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto guarded = [&] {
        try {
            serve(next);
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            if (!thrown) thrown = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < threads; ++i) others.emplace_back(guarded);
        } catch (const std::system_error&) {
        }
        guarded();
    }
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace watari::cpu
