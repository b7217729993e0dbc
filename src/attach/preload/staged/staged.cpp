#include "staged.hpp"

#include <pthread.h>

#include "../driver/device.hpp"
#include "../driver/driver_call.hpp"
#include "../log/event_log.hpp"
#include "../log/gains.hpp"
#include "../styles/memory.hpp"
#include "early.hpp"
#include "memory/pointers.hpp"
#include "memory/ranges.hpp"
#include "pool/backoff.hpp"
#include "pool/crew.hpp"
#include "pool/pool.hpp"

namespace attach::staged {
namespace {

using driver::result;

constinit driver_call<result(int*)> exchange_mode{"cuThreadExchangeStreamCaptureMode"};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
bool is_started = false;
unsigned threads = 0;
int node = -1;
std::size_t total = 0;   // weight of copies that could be staged, until the threads start
std::size_t staged = 0;  // bytes

// Of the driver, bytes a second, to the GPU and from it: the best that was seen in this process; as
// long as none was seen, those of an H100.
std::uint64_t best_rates[2] = {};
constexpr std::uint64_t usual_rates[2] = {8'000'000'000, 12'000'000'000};
unsigned legacy_copies = 0;  // under way

void begin_child();

// The threads start when copies pay for them (plan.hpp). Returns whether there are any.
bool is_ready(const transfer& asked) {
    if (__atomic_load_n(&is_started, __ATOMIC_ACQUIRE)) return threads > 0;
    const std::size_t weight = weight_of(asked);
    pthread_mutex_lock(&mutex);
    total += weight + take_early_weight();
    if (!is_started && is_due(total)) {
        static bool follows_forks = false;
        if (!follows_forks) pthread_atfork(nullptr, nullptr, begin_child);
        follows_forks = true;
        const driver::device gpu = current_device();
        const crew planned = crew_near(gpu);
        node = planned.node;
        if (planned.threads && !has_page_tables_of_host(gpu)) threads = start_pool(planned);
        if (threads < least_threads) threads = 0;
        __atomic_store_n(&is_started, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&mutex);
    return is_started && threads > 0;
}

// In the child of a fork CUDA begins anew, if at all.
void begin_child() {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    is_started = false;
    threads = 0;
    total = staged = 0;
    legacy_copies = 0;
    forget_pool();
    forget_all_lanes();
    forget_early();
}

// Calls of this thread that a capture of another thread forbids are allowed while one exists.
class relaxed_capture {
public:
    relaxed_capture() { exchange(); }
    ~relaxed_capture() { exchange(); }
    relaxed_capture(const relaxed_capture&) = delete;
    relaxed_capture& operator=(const relaxed_capture&) = delete;

private:
    void exchange() { exchange_mode(&mode); }
    int mode = driver::relaxed_capture;
};

bool is_legacy(driver::stream on) { return reinterpret_cast<std::uintptr_t>(on) <= 1; }

// A copy in the legacy stream, which excludes captures. `admitted`: none is under way.
class legacy_copy {
public:
    explicit legacy_copy(driver::stream on) : counts(is_legacy(on)) {
        if (counts) __atomic_add_fetch(&legacy_copies, 1, __ATOMIC_SEQ_CST);
        admitted = !is_any_captured();
    }
    ~legacy_copy() {
        if (counts) __atomic_sub_fetch(&legacy_copies, 1, __ATOMIC_SEQ_CST);
    }
    legacy_copy(const legacy_copy&) = delete;
    legacy_copy& operator=(const legacy_copy&) = delete;
    bool admitted;

private:
    bool counts;
};

void count(const transfer& asked, const outcome& done) {
    std::uint64_t rate = __atomic_load_n(&best_rates[asked.is_to_host], __ATOMIC_RELAXED);
    if (!rate) rate = usual_rates[asked.is_to_host];
    const double by_driver = 1e9 * static_cast<double>(asked.bytes) / static_cast<double>(rate);
    add_gain(change::staged, asked.bytes,
             static_cast<std::int64_t>(by_driver) - static_cast<std::int64_t>(now() - done.begun));
}

}  // namespace

bool is_pageable(const transfer& asked) {
    return is_unknown(asked.host, asked.host_span()) &&
           is_memory_of(current_device(), asked.device, asked.device_span());
}

bool copy(const transfer& asked, result& outcome_of_copy) {
    if (asked.rows.width > least_piece || !is_stream_of(current_context(), asked.on) ||
        !is_anonymous(asked.host, asked.host_span(), asked.is_to_host) || !is_ready(asked))
        return false;
    const legacy_copy held(asked.on);
    if (!held.admitted) return false;
    const relaxed_capture relaxed;
    const std::size_t before = __atomic_load_n(&staged, __ATOMIC_RELAXED);
    lane* in = take_lane(current_context(), asked.on, lane_of(asked.bytes, before), node);
    if (!in) return false;
    __atomic_add_fetch(&staged, asked.bytes, __ATOMIC_RELAXED);
    const outcome done = run(*in, asked);
    give_back(in);
    outcome_of_copy = done.result;
    if (done.result == driver::success) count(asked, done);
    return true;
}

void compare_with(const transfer& by_driver, std::uint64_t nanoseconds) {
    if (nanoseconds == 0) return;
    const auto rate = static_cast<std::uint64_t>(1e9 * static_cast<double>(by_driver.bytes) /
                                                 static_cast<double>(nanoseconds));
    std::uint64_t& best = best_rates[by_driver.is_to_host];
    if (rate > __atomic_load_n(&best, __ATOMIC_RELAXED))
        __atomic_store_n(&best, rate, __ATOMIC_RELAXED);
}

void await_legacy_copies() {
    backoff waiting;
    while (__atomic_load_n(&legacy_copies, __ATOMIC_SEQ_CST) > 0) waiting.pass();
}

bool holds_any() { return lane_count() > 0; }

void forget(const void* context) { forget_lanes(context); }

}  // namespace attach::staged
