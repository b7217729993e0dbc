/// Threads that start together, each on a CPU of its own while there are enough.
///
/// Not a loop of core/backend.hpp: what they do blocks, and each keeps its own files and rings.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace watari::measure {

/// The calling thread, and those that it makes from here on, may run on every CPU of the process:
/// OpenMP binds the first thread to one of them.
void unbind();

class thread_team {
public:
    explicit thread_team(std::size_t threads);
    thread_team(const thread_team&) = delete;
    thread_team& operator=(const thread_team&) = delete;
    ~thread_team();

    std::size_t size() const noexcept { return threads_.size(); }

    /// work(i) by thread i of each; returns seconds from the first start to the last end. Throws
    /// what one of them threw, once all have ended.
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
