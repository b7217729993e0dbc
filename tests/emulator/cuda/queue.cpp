#include "queue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "observe.hpp"
#include "setting.hpp"

namespace fake::queue {
namespace {

struct failing {
    std::uint64_t number = 0;
    result code = 700;
};

failing wanted() {
    failing found{.number = setting("FAKE_CUDA_FAIL")};
    const char* text = std::getenv("FAKE_CUDA_FAIL");
    if (const char* code = text ? std::strchr(text, ':') : nullptr)
        found.code = std::atoi(code + 1);
    return found;
}

struct state {
    std::recursive_mutex lock;
    std::condition_variable_any changed;
    std::deque<pointer> open;   // without effect so far, in order of submission
    std::deque<pointer> hosts;  // for the thread of host functions
    const char* seed = std::getenv("FAKE_CUDA_LATE");
    std::mt19937 random{seed ? static_cast<unsigned>(std::atoi(seed)) : 0};
    std::uint64_t submitted = 0, last_end = 0;
    const failing fails = wanted();
    bool has_failed = false, has_thread = false;
    std::uint64_t failed_at = 0;
};

state& all() {  // never destroyed: the thread of host functions uses it to the end
    static auto* one = new state;
    return *one;
}

void set_time(operation& one, std::uint64_t start, std::uint64_t end) {
    one.start = start;
    one.end = end;
    one.has_time = true;
    all().last_end = std::max(all().last_end, end);
    if (!fake_cuda_observer || one.what >= operation::kind::host) return;
    fake_cuda_observer({.what = sight::operation, .operation = &one});
}

// The time at which an operation may start; 0 while it is not known.
std::uint64_t ready(const operation& one) {
    std::uint64_t time = one.submitted;
    for (const pointer& before : one.after) {
        if (!before->has_time) return 0;
        time = std::max(time, before->end);
    }
    return time;
}

void plan(operation& one) {
    if (one.has_time || one.more || one.what == operation::kind::host || !timeline::is_on()) return;
    if (const auto time = ready(one)) {
        const auto start = timeline::reserve(one.of, time, one.takes);
        set_time(one, start, start + one.takes);
    }
}

bool is_ready(const pointer& one) {
    return !one->is_handed_over && std::all_of(one->after.begin(), one->after.end(),
                                               [](const pointer& other) { return other->is_done; });
}

bool are_done(const list& asked) {
    return std::all_of(asked.begin(), asked.end(), [](const pointer& one) { return one->is_done; });
}

void settle(const pointer& one) {
    one->is_done = true;
    one->after.clear();
    one->act = nullptr;
    std::erase(all().open, one);
}

void act(operation& one) {
    if (one.number && one.number == all().fails.number) {
        all().has_failed = true;
        all().failed_at = std::max(one.end, one.submitted);
    }
    if (!all().has_failed && one.act) one.act();
}

void run_host_functions();

void run(pointer one) {
    if (one->what == operation::kind::host) {
        one->is_handed_over = true;
        all().hosts.push_back(one);
        if (!std::exchange(all().has_thread, true)) std::thread(run_host_functions).detach();
        all().changed.notify_all();
        return;
    }
    plan(*one);
    const auto start = now();
    act(*one);
    if (const auto more = std::exchange(one->more, nullptr)) {
        one->takes += more();
        plan(*one);
        if (!one->has_time) timeline::wait_until(now() + one->takes);
    }
    if (!one->has_time) set_time(*one, start, now());
    settle(one);
}

void run_ready() {  // in order of submission: what one makes ready comes after it
    for (const auto waiting = all().open; const pointer& one : waiting)
        if (!one->is_done && is_ready(one)) run(one);
}

constexpr std::uint64_t soon = 100'000;  // ns

std::chrono::steady_clock::time_point at(std::uint64_t time) {
    return std::chrono::steady_clock::time_point{std::chrono::nanoseconds{time}};
}

// One at a time, each as soon as what it follows is over.
void run_host_functions() {
    std::unique_lock hold(all().lock);
    for (;;) {
        all().changed.wait(hold, [] { return !all().hosts.empty(); });
        const auto first = std::min_element(
            all().hosts.begin(), all().hosts.end(),
            [](const pointer& a, const pointer& b) { return ready(*a) < ready(*b); });
        const pointer one = *first;
        const auto time = ready(*one);
        if (time > now() + soon) {  // an earlier one may come
            all().changed.wait_until(hold, at(time - soon));
            continue;
        }
        all().hosts.erase(first);
        const bool is_called = !all().has_failed;
        hold.unlock();
        timeline::wait_until(time);
        const auto start = now();
        if (is_called) one->act();
        hold.lock();
        set_time(*one, start, now());
        settle(one);
        for (const pointer& later : all().open) plan(*later);
        if (!is_late()) run_ready();
        all().changed.notify_all();
    }
}

// Late mode: runs what these need, as far as no host function is to be waited for.
void bring(const list& wanted) {
    std::set<operation*> needed;
    list left = wanted;
    while (!left.empty()) {
        const pointer one = left.back();
        left.pop_back();
        if (one->is_done || !needed.insert(one.get()).second) continue;
        left.insert(left.end(), one->after.begin(), one->after.end());
    }
    for (const auto waiting = all().open; const pointer& one : waiting)
        if (needed.count(one.get()) && is_ready(one)) run(one);
}

// Late mode: one time of `in`, some operation happens although nothing waits for it.
void happen(unsigned in) {
    if (!is_late() || all().random() % in) return;
    list can;
    std::copy_if(all().open.begin(), all().open.end(), std::back_inserter(can), is_ready);
    if (!can.empty()) run(can[all().random() % can.size()]);
}

result wait_for(const list& awaited, std::uint64_t& end) {
    std::unique_lock hold(all().lock);
    while (!are_done(awaited)) {
        if (is_late()) bring(awaited);
        if (!are_done(awaited)) all().changed.wait(hold);
    }
    for (const pointer& one : awaited) end = std::max(end, one->end);
    return success;
}

}  // namespace

bool is_late() { return all().seed != nullptr; }

pointer submit(operation made, list after, std::uint32_t stream) {
    auto one = std::make_shared<operation>(std::move(made));
    const std::lock_guard hold(all().lock);
    if (one->what < operation::kind::host) one->number = ++all().submitted;
    std::erase_if(after, [](const pointer& o) { return o->is_done && o->end <= now(); });
    one->after = std::move(after);
    one->submitted = now();
    one->stream = stream;
    one->correlation = correlation;
    plan(*one);
    if (!is_late() && is_ready(one) && one->what != operation::kind::host) {
        run(one);
        return one;
    }
    all().open.push_back(one);
    if (!is_late()) run_ready();
    happen(4);
    return one;
}

result wait(const list& awaited) {
    std::uint64_t end = 0;
    wait_for(awaited, end);
    timeline::wait_until(end);
    return failure();
}

result wait_for_all() {
    list every;
    std::uint64_t end = 0;
    {
        const std::lock_guard hold(all().lock);
        every.assign(all().open.begin(), all().open.end());
        end = all().last_end;
    }
    wait_for(every, end);
    timeline::wait_until(end);
    return failure();
}

bool are_over(const list& asked) {
    const std::lock_guard hold(all().lock);
    happen(2);
    return are_done(asked) && std::all_of(asked.begin(), asked.end(),
                                          [](const pointer& one) { return one->end <= now(); });
}

result failure() {
    const std::lock_guard hold(all().lock);
    return all().has_failed && now() >= all().failed_at ? all().fails.code : success;
}

}  // namespace fake::queue
