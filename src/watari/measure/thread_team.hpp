/// Threads that start together, each on a CPU of its own while there are enough.
///
/// They are no loop of core/backend.hpp: their work blocks, and each keeps its own files and rings.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace watari::measure {

/// Lets the calling thread, and threads that it makes later, run on every CPU of the process:
/// OpenMP binds the first thread to one CPU.
void unbind();

class thread_team {
public:
    explicit thread_team(std::size_t threads);
    thread_team(const thread_team&) = delete;
    thread_team& operator=(const thread_team&) = delete;
    ~thread_team();

    std::size_t size() const noexcept { return threads_.size(); }

    /// Runs work(i) on each thread i; returns seconds from the first start to the last end. Once
    /// all have ended, throws what one of them threw.
    double run(const std::function<void(std::size_t)>& work);

private:
    void serve(std::size_t number, const std::vector<int>& cpus);

    std::mutex mutex_;
    std::condition_variable begin_, end_;
    std::function<void(std::size_t)> work_;
    std::size_t turn_ = 0, busy_ = 0;
    bool stop_ = false;
    double first_ = 0, last_ = 0;
    std::exception_ptr thrown_;
    std::vector<std::thread> threads_;
};

}  // namespace watari::measure
