#include "activity.hpp"

#include "../calls/libraries.hpp"
#include "translated.hpp"
#include "writer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <unordered_set>
#include <vector>

namespace watari::attach {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;  // small: a crash loses buffers that are not full
constexpr unsigned flush_milliseconds = 100;
constexpr unsigned most_flushes = 200;
std::atomic<std::uint64_t> received{0};
std::atomic<std::uint64_t> last_flush{0};
std::atomic<std::uint64_t> taken{0};  // ns
std::uint64_t clock_ahead = 0;        // ns by which CUPTI's clock is ahead of CLOCK_MONOTONIC

// Writes the name of a function at its first call.
void name_call(std::uint32_t function) {
    // one of each thread, without a lock; never destroyed: records arrive while the process ends
    static thread_local auto* named = new std::unordered_set<std::uint32_t>;
    if (named->insert(function).second) {
        const char* name = nullptr;
        const auto domain = static_cast<CUpti_CallbackDomain>(function >> 16);
        const bool is_known =
            cupti().callback_name(domain, function & 0xFFFF, &name) == CUPTI_SUCCESS && name;
        writer::note_once("call", function, is_known ? name : "unknown");
    }
}

void CUPTIAPI request(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
    *size = *buffer ? buffer_bytes : 0;
    *most_records = 0;  // as many as fit
}

void CUPTIAPI complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                       std::size_t valid) {
    translated found;
    auto& records = found.records;
    for (CUpti_Activity* activity = nullptr;
         cupti().next_record(buffer, valid, &activity) == CUPTI_SUCCESS;) {
        translate(activity, found);
    }
    for (record& one : records) {
        if (one.start) {  // records of events and streams have no times
            one.start -= clock_ahead;
            one.end -= clock_ahead;
        }
    }
    for (call_record& one : found.calls) {
        one.start -= clock_ahead;
        one.end -= clock_ahead;
        name_call(one.function);
    }
    std::size_t lost = 0;
    if (cupti().dropped_records(context, stream, &lost) == CUPTI_SUCCESS && lost) {
        records.push_back({.what = kind::dropped, .start = writer::now(), .bytes = lost});
    }
    received += records.size() + found.calls.size();
    writer::write(records.data(), records.size());
    writer::write(found.calls.data(), found.calls.size());
    std::free(buffer);
}

std::uint64_t CUPTIAPI timestamp() { return writer::now(); }

// Nanoseconds by which CLOCK_REALTIME is ahead of CLOCK_MONOTONIC. The thread may stop between two
// readings, which makes the difference less: the largest of a few.
std::uint64_t real_time_ahead() {
    std::uint64_t found = 0;
    for (int times = 0; times < 5; ++times) {
        timespec time{};
        clock_gettime(CLOCK_REALTIME, &time);
        const auto real = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
                          static_cast<std::uint64_t>(time.tv_nsec);
        found = std::max(found, real - writer::now());
    }
    return found;
}

}  // namespace

bool start_activities(bool kernels_alone) {
    const auto& library = cupti();
    if (library.register_timestamp(timestamp) != CUPTI_SUCCESS) {
        clock_ahead = real_time_ahead();  // CUPTI's own clock on Linux
    }
    if (!check(library.register_callbacks(request, complete), "cuptiActivityRegisterCallbacks")) {
        return false;
    }
    library.set_thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);  // the first thread's is the PID
    for (const auto activity :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME,
          CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
          CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_STREAM,
          CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}) {
        if (kernels_alone && activity != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            continue;
        }
        if (!check(library.enable(activity), "cuptiActivityEnable")) {
            return false;
        }
    }
    check(library.flush_period(flush_milliseconds), "cuptiActivityFlushPeriod");
    return true;
}

void enable_unified_memory(CUcontext context) {
    std::vector<CUpti_ActivityUnifiedMemoryCounterConfig> wanted;
    for (int counter = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
         counter <= CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD; ++counter) {
        wanted.push_back({CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES,
                          static_cast<CUpti_ActivityUnifiedMemoryCounterKind>(counter), 0, 1});
    }
    const auto& library = cupti();
    auto result =
        library.configure_counters(wanted.data(), static_cast<std::uint32_t>(wanted.size()));
    if (check(result, "cuptiActivityConfigureUnifiedMemoryCounter")) {
        result = library.enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
        check(result, "cuptiActivityEnable(UNIFIED_MEMORY_COUNTER)");
    }
    std::uint32_t device = 0;
    std::uint32_t number = 0;
    library.device_id(context, &device);
    library.context_id(context, &number);
    writer::write({.what = kind::context,
                   .detail = static_cast<std::uint32_t>(result),
                   .start = writer::now(),
                   .device = device,
                   .flags = number});
}

void record_unified_memory(bool is_on) {
    const auto activity = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    check(is_on ? cupti().enable(activity) : cupti().disable(activity),
          "cuptiActivityEnable(UNIFIED_MEMORY_COUNTER)");
}

void take_some() {
    auto last = last_flush.load();
    const auto time = writer::now();
    if (time - last > flush_milliseconds * 1'000'000u &&
        last_flush.compare_exchange_strong(last, time)) {
        cupti().flush_all(0);
        taken += writer::now() - time;
    }
}

std::uint64_t taking() { return taken; }

unsigned drain() {
    using namespace std::chrono_literals;
    unsigned quiet = 0;
    unsigned flushes = 0;
    while (quiet < 3 && flushes < most_flushes) {  // counters of unified memory arrive late
        const auto before = received.load();
        cupti().flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        std::this_thread::sleep_for(10ms);
        quiet = received.load() == before ? quiet + 1 : 0;
        ++flushes;
    }
    return flushes;
}

}  // namespace watari::attach
