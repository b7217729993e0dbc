// A table of calls: each row reads source, target and bytes from the parameters of a call.
#include "calls.hpp"

#include "../records/activity.hpp"
#include "../records/writer.hpp"
#include "../sampled/evict.hpp"
#include "libraries.hpp"
#include "sites.hpp"

#include <algorithm>
#include <array>

namespace watari::attach {
namespace {

struct ends {
    std::uint64_t source = 0, target = 0, bytes = 0;
};

template <typename Pointer>
std::uint64_t address(Pointer pointer) {
    if constexpr (std::is_pointer_v<Pointer>) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    } else {
        return static_cast<std::uint64_t>(pointer);
    }
}

template <typename Parameters, auto Source, auto Target>
ends linear(const void* parameters) {
    const auto& p = *static_cast<const Parameters*>(parameters);
    return {address(p.*Source), address(p.*Target), p.ByteCount};
}

template <typename Parameters>
ends plain(const void* parameters) {  // any to any, by unified addresses
    return linear<Parameters, &Parameters::src, &Parameters::dst>(parameters);
}

template <typename Parameters>
ends rows(const void* parameters) {
    const CUDA_MEMCPY2D& copy = *static_cast<const Parameters*>(parameters)->pCopy;
    const auto side = [](CUmemorytype type, const void* host, CUdeviceptr device) {
        return type == CU_MEMORYTYPE_HOST    ? address(host)
               : type == CU_MEMORYTYPE_ARRAY ? 0u
                                             : address(device);
    };
    return {side(copy.srcMemoryType, copy.srcHost, copy.srcDevice),
            side(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
            copy.WidthInBytes * copy.Height};
}

template <typename P>
constexpr auto host_to_device = linear<P, &P::srcHost, &P::dstDevice>;
template <typename P>
constexpr auto device_to_host = linear<P, &P::srcDevice, &P::dstHost>;
template <typename P>
constexpr auto device_to_device = linear<P, &P::srcDevice, &P::dstDevice>;

struct copy_call {
    CUpti_CallbackId call;
    ends (*read)(const void*);
};

constexpr std::array copies = {
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, host_to_device<cuMemcpyHtoD_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds, host_to_device<cuMemcpyHtoD_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
              host_to_device<cuMemcpyHtoDAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
              host_to_device<cuMemcpyHtoDAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, device_to_host<cuMemcpyDtoH_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds, device_to_host<cuMemcpyDtoH_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
              device_to_host<cuMemcpyDtoHAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz,
              device_to_host<cuMemcpyDtoHAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2, device_to_device<cuMemcpyDtoD_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2_ptds,
              device_to_device<cuMemcpyDtoD_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
              device_to_device<cuMemcpyDtoDAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2_ptsz,
              device_to_device<cuMemcpyDtoDAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy, plain<cuMemcpy_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds, plain<cuMemcpy_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, plain<cuMemcpyAsync_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz, plain<cuMemcpyAsync_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2, rows<cuMemcpy2D_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2_ptds, rows<cuMemcpy2D_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2, rows<cuMemcpy2DUnaligned_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2_ptds,
              rows<cuMemcpy2DUnaligned_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2, rows<cuMemcpy2DAsync_v2_params>},
    copy_call{CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2_ptsz, rows<cuMemcpy2DAsync_v2_params>},
};

struct prefetch_of {
    std::uint64_t address, bytes;
    int device;  // -1: the CPU
};

prefetch_of first_prefetch(const void* parameters) {
    const auto& p = *static_cast<const cuMemPrefetchAsync_params*>(parameters);
    return {p.devPtr, p.count, p.dstDevice};
}

prefetch_of second_prefetch(const void* parameters) {
    const auto& p = *static_cast<const cuMemPrefetchAsync_v2_params*>(parameters);
    return {p.devPtr, p.count, p.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? p.location.id : -1};
}

struct prefetch_call {
    CUpti_CallbackId call;
    prefetch_of (*read)(const void*);
};

constexpr std::array prefetches = {
    prefetch_call{CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync, first_prefetch},
    prefetch_call{CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync_ptsz, first_prefetch},
    prefetch_call{CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync_v2, second_prefetch},
    prefetch_call{CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync_v2_ptsz, second_prefetch},
};

// Calls after which the GPU has completed some work.
constexpr std::array waits = {
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
};

template <typename Table>
auto row_of(const Table& table, CUpti_CallbackId call) {
    return std::find_if(table.begin(), table.end(),
                        [&](const auto& row) { return row.call == call; });
}

}  // namespace

bool subscribe_to_calls(CUpti_SubscriberHandle subscriber) {
    const auto wanted = [&](CUpti_CallbackId call) {
        return check(cupti().enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call),
                     "cuptiEnableCallback");
    };
    const auto all = [&](const auto& table) {
        return std::all_of(table.begin(), table.end(),
                           [&](const auto& row) { return wanted(row.call); });
    };
    const auto sampled = evict::calls();
    const bool is_sampled = !sampled.empty();  // copies are those of the traced run
    return std::all_of(waits.begin(), waits.end(), wanted) &&
           std::all_of(sampled.begin(), sampled.end(), wanted) &&
           (is_sampled || (all(copies) && all(prefetches)));
}

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
    if (data.callbackSite == CUPTI_API_EXIT) {
        take_some();
    }
    if (const auto row = row_of(copies, call); row != copies.end()) {
        if (data.callbackSite == CUPTI_API_ENTER) {
            const auto [source, target, bytes] = row->read(data.functionParams);
            const auto begun = writer::now();
            const auto site = call_site();
            writer::write({.what = kind::call,
                           .start = begun,
                           .end = target,
                           .address = source,
                           .bytes = bytes,
                           .device = static_cast<std::uint32_t>(writer::now() - begun),
                           .correlation = data.correlationId,
                           .name = site});
        }
    } else if (const auto other = row_of(prefetches, call); other != prefetches.end()) {
        if (data.callbackSite == CUPTI_API_ENTER) {
            const auto [address, bytes, device] = other->read(data.functionParams);
            writer::write({.what = kind::prefetch,
                           .start = writer::now(),
                           .address = address,
                           .bytes = bytes,
                           .device = static_cast<std::uint32_t>(device),
                           .correlation = data.correlationId,
                           .name = call_site()});
        }
    } else {
        evict::on_call(call, data);
    }
}

}  // namespace watari::attach
