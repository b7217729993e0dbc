#include "watari/measure/thread_team.hpp"

#include "watari/core/threads.hpp"
#include "watari/measure/clock.hpp"

#include <pthread.h>
#include <sched.h>
#include <algorithm>
#include <utility>

namespace watari::measure {

namespace {

void run_on(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace

void unbind() { run_on(cpu::own_cpus()); }

thread_team::thread_team(std::size_t threads) {
    const std::vector<int> cpus = cpu::own_cpus();
    // of too many threads each may run on all CPUs, not only on the one to which its creator is
    // bound
    const bool enough = threads <= cpus.size();
    for (std::size_t i = 0; i < threads; ++i)
        threads_.emplace_back(
            [this, i, own = enough ? std::vector{cpus[i]} : cpus] { serve(i, own); });
}

thread_team::~thread_team() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

double thread_team::run(const std::function<void(std::size_t)>& work) {
    std::unique_lock lock(mutex_);
    work_ = work;
    busy_ = threads_.size();
    first_ = last_ = 0;
    thrown_ = nullptr;
    ++turn_;
    begin_.notify_all();
    end_.wait(lock, [&] { return busy_ == 0; });
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return last_ - first_;
}

void thread_team::serve(std::size_t number, const std::vector<int>& cpus) {
    run_on(cpus);
    std::size_t turn = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        begin_.wait(lock, [&] { return stop_ || turn_ != turn; });
        if (stop_) return;
        turn = turn_;
        lock.unlock();
        std::exception_ptr thrown;
        const double start = now();
        try {
            work_(number);
        } catch (...) {
            thrown = std::current_exception();
        }
        const double end = now();
        lock.lock();
        first_ = first_ == 0 ? start : std::min(first_, start);
        last_ = std::max(last_, end);
        if (thrown && !thrown_) thrown_ = thrown;
        if (--busy_ == 0) end_.notify_one();
    }
}

}  // namespace watari::measure
