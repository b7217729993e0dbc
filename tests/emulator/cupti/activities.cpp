// Records of the newest layouts of the headers, packed one after the other into the client's
// buffers.
#include <unistd.h>

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
        case CUPTI_ACTIVITY_KIND_DRIVER:
            return sizeof(CUpti_ActivityAPI);
        case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
            return sizeof(CUpti_ActivityCudaEvent2);
        case CUPTI_ACTIVITY_KIND_STREAM:
            return sizeof(CUpti_ActivityStream);
        case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
            return sizeof(CUpti_ActivitySynchronization2);
        default:
            return sizeof(CUpti_ActivityUnifiedMemoryCounter3);
    }
}

// Nanoseconds from the driver's clock to CLOCK_REALTIME; 0 once the client has given a clock. One
// difference for all records: the thread may stop between the two readings.
std::uint64_t ahead() {
    static const std::uint64_t once = [] {
        timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
               static_cast<std::uint64_t>(time.tv_nsec) - fake::now();
    }();
    return timestamp ? 0 : once;
}

template <typename Activity>
void put(Activity one) {
    if (!enabled.count(one.kind)) return;
    if constexpr (requires { one.start; }) {
        one.start += ahead();
        one.end += ahead();
    }
    const auto drop = setting("FAKE_CUPTI_DROP");
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

using fake::queue::operation;
using fake::queue::place;

// What the records of all operations have.
template <typename Activity>
Activity record_of(CUpti_ActivityKind kind, const operation& of) {
    Activity one{};
    one.kind = kind;
    one.start = of.start;
    one.end = of.end;
    one.streamId = of.stream;
    one.correlationId = of.correlation;
    return one;
}

void put_kernel(const operation& of) {
    auto one = record_of<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, of);
    one.gridX = static_cast<int>(of.blocks);
    one.blockX = static_cast<int>(of.threads);
    one.gridY = one.gridZ = one.blockY = one.blockZ = 1;
    one.name = of.symbol;
    put(one);
}

std::uint8_t memory(place one) {
    return one == place::pageable  ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE
           : one == place::pinned  ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED
           : one == place::managed ? CUPTI_ACTIVITY_MEMORY_KIND_MANAGED
                                   : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
}

std::uint8_t direction(const operation& of) {
    const auto is_host = [](place one) { return one == place::pageable || one == place::pinned; };
    if (is_host(of.from))
        return is_host(of.to) ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOH : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    return is_host(of.to) ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
}

void put_copy(const operation& of) {
    auto one = record_of<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, of);
    one.copyKind = direction(of);
    one.srcKind = memory(of.from);
    one.dstKind = memory(of.to);
    one.flags = of.is_async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
    one.bytes = of.bytes;
    put(one);
}

void put_fill(const operation& of) {
    auto one = record_of<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, of);
    one.bytes = of.bytes;
    put(one);
}

std::uint32_t stream_of(std::uint64_t handle) {
    return stream_number(reinterpret_cast<const void*>(handle));
}

// The number of an event: its handle, as far as it fits.
std::uint32_t number_of(std::uint64_t event) { return static_cast<std::uint32_t>(event >> 4); }

// What the records of a stream's calls have.
template <typename Activity>
Activity record_in(CUpti_ActivityKind kind, std::uint32_t stream, std::uint32_t correlation) {
    Activity one{};
    one.kind = kind;
    one.contextId = 1;
    one.streamId = stream;
    one.correlationId = correlation;
    return one;
}

void record_wait(const fake::seen& sight, CUpti_ActivitySynchronizationType type,
                 std::uint32_t stream, std::uint32_t event, std::uint32_t correlation) {
    auto one = record_in<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                                         stream, correlation);
    one.type = type;
    one.start = sight.start;
    one.end = sight.end;
    one.cudaEventId = event;
    put(one);
}

void record_event(std::uint32_t stream, std::uint32_t event, std::uint32_t correlation) {
    auto one =
        record_in<CUpti_ActivityCudaEvent2>(CUPTI_ACTIVITY_KIND_CUDA_EVENT, stream, correlation);
    one.eventId = event;
    put(one);
}

void record_stream(std::uint32_t stream, bool is_blocking, std::uint32_t correlation) {
    auto one = record_in<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM, stream, correlation);
    one.flag = is_blocking ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT
                           : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
    put(one);
}

void record_order(const fake::seen& sight, std::uint32_t correlation) {
    const auto* p = static_cast<const std::uint64_t*>(sight.parameters);
    const auto is = [&](const char* name) { return std::strcmp(sight.function, name) == 0; };
    if (is("cuStreamSynchronize"))
        record_wait(sight, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, stream_of(p[0]),
                    CUPTI_SYNCHRONIZATION_INVALID_VALUE, correlation);
    else if (is("cuCtxSynchronize"))
        record_wait(sight, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE,
                    CUPTI_SYNCHRONIZATION_INVALID_VALUE, CUPTI_SYNCHRONIZATION_INVALID_VALUE,
                    correlation);
    else if (is("cuEventSynchronize"))
        record_wait(sight, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
                    CUPTI_SYNCHRONIZATION_INVALID_VALUE, number_of(p[0]), correlation);
    else if (is("cuStreamWaitEvent"))
        record_wait(sight, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, stream_of(p[0]),
                    number_of(p[1]), correlation);
    else if (is("cuEventRecord"))
        record_event(stream_of(p[1]), number_of(p[0]), correlation);
    else if (is("cuStreamCreate") || is("cuStreamCreateWithPriority"))
        record_stream(stream_of(*reinterpret_cast<const std::uint64_t*>(p[0])), (p[1] & 1) == 0,
                      correlation);
}

void record_api(const fake::seen& sight, CUpti_CallbackId id, std::uint32_t correlation) {
    CUpti_ActivityAPI one{};
    one.kind = CUPTI_ACTIVITY_KIND_DRIVER;
    one.cbid = id;
    one.start = sight.start;
    one.end = sight.end;
    one.processId = static_cast<std::uint32_t>(getpid());
    one.threadId = static_cast<std::uint32_t>(gettid());
    one.correlationId = correlation;
    one.returnValue = static_cast<std::uint32_t>(sight.outcome);
    put(one);
}

void record_operation(const operation& of) {
    switch (of.what) {
        case operation::kind::kernel:
            return put_kernel(of);
        case operation::kind::copy:
            return put_copy(of);
        default:
            return put_fill(of);
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
        const auto lose = setting("FAKE_CUPTI_LOSE");
        if (lose && ++transfers % lose == 0) return;
        one.counterKind = sight.what == fake::sight::moved_to_gpu
                              ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
                              : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
        one.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE;
    }
    put(one);
}

}  // namespace

void record(const fake::seen& sight, CUpti_CallbackId call, std::uint32_t correlation) {
    const std::lock_guard hold(lock);
    has_context = true;
    if (sight.what == fake::sight::operation) {
        record_operation(*sight.operation);
    } else if (sight.what == fake::sight::call) {
        record_order(sight, correlation);
        record_api(sight, call, correlation);
    } else {
        record_page(sight);
    }
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
    if (setting("FAKE_CUPTI_OWN_CLOCK")) return CUPTI_ERROR_NOT_INITIALIZED;
    timestamp = function;
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    const std::lock_guard hold(lock);
    enabled.insert(kind);
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    const std::lock_guard hold(lock);
    enabled.erase(kind);
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(
    CUpti_ActivityUnifiedMemoryCounterConfig*, std::uint32_t) {
    return setting("FAKE_CUPTI_NO_COUNTERS") ? CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED
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
