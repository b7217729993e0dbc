// A buffer holds records of CUPTI one after the other, each of the layout of its kind. The layouts
// are those of CUDA 12.4 (Kernel9, Memcpy5, Memset4, UnifiedMemoryCounter2, Synchronization). Later
// versions keep them and add fields at the end; CUPTI itself steps from record to record.
#include "activity.hpp"

#include "libraries.hpp"
#include "writer.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

namespace watari::attach {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;  // small: a crash loses buffers that are not full
constexpr unsigned flush_milliseconds = 100;
constexpr unsigned most_flushes = 200;
std::atomic<std::uint64_t> received{0};
std::atomic<std::uint64_t> last_flush{0};
std::uint64_t clock_ahead = 0;  // ns by which CUPTI's clock is ahead of CLOCK_MONOTONIC

template <typename Activity>
const Activity& as(const CUpti_Activity* activity) {
    return *reinterpret_cast<const Activity*>(activity);
}

record of_kernel(const CUpti_ActivityKernel9& a) {
    const auto product = [](int x, int y, int z) {
        return static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y) *
               static_cast<std::uint64_t>(z);
    };
    return {.what = kind::kernel,
            .start = a.start,
            .end = a.end,
            .address = product(a.gridX, a.gridY, a.gridZ),
            .bytes = product(a.blockX, a.blockY, a.blockZ),
            .device = a.deviceId,
            .stream = a.streamId,
            .correlation = a.correlationId,
            .name = writer::intern("name", a.name ? a.name : "unnamed")};
}

record of_copy(const CUpti_ActivityMemcpy5& a) {
    const auto is_async = static_cast<std::uint32_t>(a.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
    return {.what = kind::copy,
            .detail = a.copyKind,
            .start = a.start,
            .end = a.end,
            .bytes = a.bytes,
            .device = a.deviceId,
            .stream = a.streamId,
            .correlation = a.correlationId,
            .flags = a.srcKind | (static_cast<std::uint32_t>(a.dstKind) << 8) | (is_async << 16)};
}

record of_peer_copy(const CUpti_ActivityMemcpyPtoP4& a) {
    return {.what = kind::copy,
            .detail = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
            .start = a.start,
            .end = a.end,
            .bytes = a.bytes,
            .device = a.dstDeviceId,
            .stream = a.streamId,
            .correlation = a.correlationId,
            .flags = a.srcKind | (static_cast<std::uint32_t>(a.dstKind) << 8)};
}

record of_fill(const CUpti_ActivityMemset4& a) {
    return {.what = kind::fill,
            .detail = a.memoryKind,
            .start = a.start,
            .end = a.end,
            .bytes = a.bytes,
            .device = a.deviceId,
            .stream = a.streamId,
            .correlation = a.correlationId};
}

record of_counter(const CUpti_ActivityUnifiedMemoryCounter2& a) {
    return {.what = kind::counter,
            .detail = static_cast<std::uint32_t>(a.counterKind),
            .start = a.start,
            .end = a.end,
            .address = a.address,
            .bytes = a.value,
            .device = a.srcId,
            .stream = a.dstId,
            .flags = a.flags};
}

record of_wait(const CUpti_ActivitySynchronization& a) {
    return {.what = kind::wait,
            .detail = static_cast<std::uint32_t>(a.type),
            .start = a.start,
            .end = a.end,
            .stream = a.streamId,
            .correlation = a.correlationId};
}

void translate(const CUpti_Activity* activity, std::vector<record>& records) {
    switch (activity->kind) {
        case CUPTI_ACTIVITY_KIND_KERNEL:
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            return records.push_back(of_kernel(as<CUpti_ActivityKernel9>(activity)));
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            return records.push_back(of_copy(as<CUpti_ActivityMemcpy5>(activity)));
        case CUPTI_ACTIVITY_KIND_MEMCPY2:
            return records.push_back(of_peer_copy(as<CUpti_ActivityMemcpyPtoP4>(activity)));
        case CUPTI_ACTIVITY_KIND_MEMSET:
            return records.push_back(of_fill(as<CUpti_ActivityMemset4>(activity)));
        case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
            return records.push_back(of_counter(as<CUpti_ActivityUnifiedMemoryCounter2>(activity)));
        case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
            return records.push_back(of_wait(as<CUpti_ActivitySynchronization>(activity)));
        default:
            return;  // CUPTI adds records of its own, such as its overhead
    }
}

void CUPTIAPI request(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
    *size = *buffer ? buffer_bytes : 0;
    *most_records = 0;  // as many as fit
}

void CUPTIAPI complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                       std::size_t valid) {
    std::vector<record> records;
    for (CUpti_Activity* activity = nullptr;
         cupti().next_record(buffer, valid, &activity) == CUPTI_SUCCESS;) {
        translate(activity, records);
    }
    for (record& one : records) {
        one.start -= clock_ahead;
        one.end -= clock_ahead;
    }
    std::size_t lost = 0;
    if (cupti().dropped_records(context, stream, &lost) == CUPTI_SUCCESS && lost) {
        records.push_back({.what = kind::dropped, .start = writer::now(), .bytes = lost});
    }
    received += records.size();
    writer::write(records.data(), records.size());
    std::free(buffer);
}

std::uint64_t CUPTIAPI timestamp() { return writer::now(); }

std::uint64_t real_time() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

bool start_activities() {
    const auto& library = cupti();
    if (library.register_timestamp(timestamp) != CUPTI_SUCCESS) {
        clock_ahead = real_time() - writer::now();  // CUPTI's own clock on Linux
    }
    if (!check(library.register_callbacks(request, complete), "cuptiActivityRegisterCallbacks")) {
        return false;
    }
    for (const auto activity : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
                                CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}) {
        if (!check(library.enable(activity), "cuptiActivityEnable")) {
            return false;
        }
    }
    check(library.flush_period(flush_milliseconds), "cuptiActivityFlushPeriod");
    return true;
}

void enable_unified_memory() {
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
    writer::write({.what = kind::context,
                   .detail = static_cast<std::uint32_t>(result),
                   .start = writer::now()});
}

void take_some() {
    auto last = last_flush.load();
    const auto time = writer::now();
    if (time - last > flush_milliseconds * 1'000'000u &&
        last_flush.compare_exchange_strong(last, time)) {
        cupti().flush_all(0);
    }
}

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
