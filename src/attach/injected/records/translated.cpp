// A buffer holds records of CUPTI one after the other, each of the layout of its kind. The layouts
// are those of CUDA 12.4 (API, Kernel9, Memcpy5, Memset4, UnifiedMemoryCounter2, Synchronization,
// CudaEvent, Stream). Later versions keep them and add fields at the end; CUPTI itself steps from
// record to record.
#include "translated.hpp"

#include "writer.hpp"

#include <cstdint>

namespace watari::attach {
namespace {

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
            .address = a.cudaEventId,
            .stream = a.streamId,
            .correlation = a.correlationId,
            .flags = a.contextId};
}

record of_event(const CUpti_ActivityCudaEvent& a) {
    return {.what = kind::event,
            .address = a.eventId,
            .stream = a.streamId,
            .correlation = a.correlationId,
            .flags = a.contextId};
}

record of_stream(const CUpti_ActivityStream& a) {
    return {.what = kind::stream,
            .detail = static_cast<std::uint32_t>(a.flag),
            .stream = a.streamId,
            .correlation = a.correlationId,
            .flags = a.contextId};
}

// Both domains number their functions from 1: the upper half of the identifier is the domain.
call_record of_call(const CUpti_ActivityAPI& a) {
    const auto domain = a.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                              : CUPTI_CB_DOMAIN_DRIVER_API;
    return {.start = a.start,
            .end = a.end,
            .thread = a.threadId,
            .correlation = a.correlationId,
            .function = static_cast<std::uint32_t>(domain) << 16 | a.cbid,
            .result = a.returnValue};
}

}  // namespace

void translate(const CUpti_Activity* activity, translated& into) {
    auto& records = into.records;
    switch (activity->kind) {
        case CUPTI_ACTIVITY_KIND_RUNTIME:
        case CUPTI_ACTIVITY_KIND_DRIVER:
            return into.calls.push_back(of_call(as<CUpti_ActivityAPI>(activity)));
        case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
            return records.push_back(of_event(as<CUpti_ActivityCudaEvent>(activity)));
        case CUPTI_ACTIVITY_KIND_STREAM:
            return records.push_back(of_stream(as<CUpti_ActivityStream>(activity)));
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

}  // namespace watari::attach
