// Records of the newest layouts of the headers, packed one after the other into the client's
// buffers.
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "fake_cupti.hpp"

namespace fake_cupti {
namespace {

CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
CUpti_TimestampCallbackFunc timestamp = nullptr;
std::set<CUpti_ActivityKind> enabled;
bool has_context = false;

std::uint8_t* buffer = nullptr;
std::size_t size = 0, used = 0, dropped = 0;
std::uint64_t records = 0, transfers = 0;
std::recursive_mutex lock;

void hand_back() {
    if (!buffer) return;
    std::uint8_t* full = buffer;
    buffer = nullptr;
    complete(nullptr, 0, full, size, used);
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            return sizeof(CUpti_ActivityKernel10);
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            return sizeof(CUpti_ActivityMemcpy6);
        case CUPTI_ACTIVITY_KIND_MEMSET:
            return sizeof(CUpti_ActivityMemset4);
        default:
            return sizeof(CUpti_ActivityUnifiedMemoryCounter3);
    }
}

// Nanoseconds from the driver's clock to CLOCK_REALTIME; 0 once the client has given a clock.
std::uint64_t ahead() {
    timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    const auto real = static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
                      static_cast<std::uint64_t>(time.tv_nsec);
    return timestamp ? 0 : real - fake::now();
}

template <typename Activity>
void put(Activity one) {
    if (!enabled.count(one.kind)) return;
    one.start += ahead();
    one.end += ahead();
    const auto drop = number("FAKE_CUPTI_DROP");
    if (drop && ++records % drop == 0) {
        ++dropped;
        return;
    }
    if (buffer && used + sizeof one > size) hand_back();
    if (!buffer) {
        std::size_t most = 0;
        request(&buffer, &size, &most);
        used = 0;
    }
    std::memcpy(buffer + used, &one, sizeof one);
    used += sizeof one;
}

CUpti_ActivityMemcpy6 copy_of(const fake::seen& sight, std::uint32_t correlation) {
    const auto* p = static_cast<const std::uint64_t*>(sight.parameters);
    CUpti_ActivityMemcpy6 one{};
    const bool in = std::strstr(sight.function, "HtoD"), out = std::strstr(sight.function, "DtoH");
    one.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    one.copyKind = in    ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
                   : out ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
                         : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
    one.srcKind = in ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    one.dstKind = out ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    one.flags = std::strstr(sight.function, "Async") ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
    one.bytes = p[2];
    one.start = sight.start;
    one.end = sight.end;
    one.streamId = 7;
    one.correlationId = correlation;
    return one;
}

void record_call(const fake::seen& sight, std::uint32_t correlation) {
    const auto* p = static_cast<const std::uint64_t*>(sight.parameters);
    if (std::strcmp(sight.function, "cuLaunchKernel") == 0) {
        CUpti_ActivityKernel10 one{};
        one.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        one.start = sight.start;
        one.end = sight.end;
        one.streamId = 7;
        one.gridX = static_cast<int>(p[1]);
        one.gridY = one.gridZ = one.blockX = one.blockY = one.blockZ = 1;
        one.correlationId = correlation;
        one.name = sight.symbol;
        put(one);
    } else if (std::strncmp(sight.function, "cuMemcpy", 8) == 0) {
        put(copy_of(sight, correlation));
    } else if (std::strncmp(sight.function, "cuMemset", 8) == 0) {
        CUpti_ActivityMemset4 one{};
        one.kind = CUPTI_ACTIVITY_KIND_MEMSET;
        one.bytes = p[2];
        one.start = sight.start;
        one.end = sight.end;
        one.correlationId = correlation;
        put(one);
    }
}

void record_page(const fake::seen& sight) {
    CUpti_ActivityUnifiedMemoryCounter3 one{};
    one.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    one.address = sight.address;
    one.value = sight.bytes;
    one.start = sight.start;
    one.end = sight.end;
    if (sight.what == fake::sight::faulted) {
        one.counterKind = sight.by_gpu
                              ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT
                              : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT;
        one.flags = sight.writes ? CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE
                                 : CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_READ;
    } else {
        const auto lose = number("FAKE_CUPTI_LOSE");
        if (lose && ++transfers % lose == 0) return;
        one.counterKind = sight.what == fake::sight::moved_to_gpu
                              ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
                              : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
        one.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE;
    }
    put(one);
}

}  // namespace

void record(const fake::seen& sight, std::uint32_t correlation) {
    const std::lock_guard hold(lock);
    has_context = true;
    if (sight.what == fake::sight::call)
        record_call(sight, correlation);
    else
        record_page(sight);
}

}  // namespace fake_cupti

using namespace fake_cupti;

FAKE_CUPTI CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc wanted,
                                                      CUpti_BuffersCallbackCompleteFunc completed) {
    request = wanted;
    complete = completed;
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
    if (number("FAKE_CUPTI_OWN_CLOCK")) return CUPTI_ERROR_NOT_INITIALIZED;
    timestamp = function;
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    enabled.insert(kind);
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(
    CUpti_ActivityUnifiedMemoryCounterConfig*, std::uint32_t) {
    return number("FAKE_CUPTI_NO_COUNTERS") ? CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED
                                            : CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid,
                                                  CUpti_Activity** next) {
    auto* at = reinterpret_cast<std::uint8_t*>(*next);
    at = at ? at + bytes_of((*next)->kind) : from;
    if (at >= from + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *next = reinterpret_cast<CUpti_Activity*>(at);
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t,
                                                         std::size_t* count) {
    *count = std::exchange(dropped, 0);
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityFlushAll(std::uint32_t) {
    const std::lock_guard hold(lock);
    hand_back();
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityFlushPeriod(std::uint32_t) { return CUPTI_SUCCESS; }
