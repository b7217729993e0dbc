#include "evict.hpp"

#include "libraries.hpp"
#include "writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace watari::attach::evict {
namespace {

constexpr std::uint64_t most_nanoseconds = 60'000'000'000u;  // in evicting, of a program

unsigned launches_of_each = 0;
thread_local bool evicting = false;

struct state {
    std::mutex lock;
    std::map<CUdeviceptr, std::size_t> managed;
    std::map<std::string, unsigned, std::less<>> launched;
    std::atomic<std::uint64_t> spent{0};  // nanoseconds
};

state& shared() {  // never destroyed: threads of the program launch until it has ended
    static auto* all = new state;
    return *all;
}

// Where the driver refuses it, writes after reads are not seen.
void advise(CUdeviceptr pointer, std::size_t size, CUmem_advise advice) {
    if (driver().advise) {
        driver().advise(pointer, size, advice, CU_DEVICE_CPU);
    }
}

void allocated(const CUpti_CallbackData& data) {
    const auto& p = *static_cast<const cuMemAllocManaged_params*>(data.functionParams);
    if (*static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS) {
        const std::lock_guard hold(shared().lock);
        shared().managed[*p.dptr] = p.bytesize;
        advise(*p.dptr, p.bytesize, CU_MEM_ADVISE_SET_READ_MOSTLY);
    }
}

void released(const CUpti_CallbackData& data) {
    const auto& p = *static_cast<const cuMemFree_v2_params*>(data.functionParams);
    const std::lock_guard hold(shared().lock);
    shared().managed.erase(p.dptr);
}

bool is_sampled(const char* kernel) {
    const std::lock_guard hold(shared().lock);
    return shared().spent < most_nanoseconds &&
           shared().launched[kernel ? kernel : ""]++ < launches_of_each;
}

// Nothing may wait while a graph is captured: its kernels are not sampled.
void evict_before(const CUpti_CallbackData& data, CUstream stream) {
    const auto& call = driver();
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!call.prefetch || call.is_capturing(stream, &capturing) != CUDA_SUCCESS ||
        capturing != CU_STREAM_CAPTURE_STATUS_NONE || !is_sampled(data.symbolName)) {
        return;
    }
    std::map<CUdeviceptr, std::size_t> managed;
    {
        const std::lock_guard hold(shared().lock);
        managed = shared().managed;
    }
    const auto begun = writer::now();
    call.context_synchronize();
    std::uint64_t bytes = 0;
    for (const auto& [pointer, size] : managed) {
        advise(pointer, size, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        bytes += call.prefetch(pointer, size, CU_DEVICE_CPU, stream) == CUDA_SUCCESS ? size : 0;
    }
    call.context_synchronize();
    for (const auto& [pointer, size] : managed) {
        advise(pointer, size, CU_MEM_ADVISE_SET_READ_MOSTLY);
    }
    shared().spent += writer::now() - begun;
    writer::write({.what = kind::evicted,
                   .start = writer::now(),
                   .bytes = bytes,
                   .correlation = data.correlationId});
}

constexpr std::array<CUpti_CallbackId, 4> launches = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};

bool is_launch(CUpti_CallbackId call) {
    return std::find(launches.begin(), launches.end(), call) != launches.end();
}

CUstream stream_of(CUpti_CallbackId call, const void* parameters) {
    const bool is_extended = call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
                             call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
    return is_extended ? static_cast<const cuLaunchKernelEx_params*>(parameters)->config->hStream
                       : static_cast<const cuLaunchKernel_params*>(parameters)->hStream;
}

}  // namespace

void set_launches(unsigned count) { launches_of_each = count; }

std::vector<CUpti_CallbackId> calls() {
    if (launches_of_each == 0) {
        return {};
    }
    std::vector<CUpti_CallbackId> wanted(launches.begin(), launches.end());
    wanted.push_back(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged);
    wanted.push_back(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
    return wanted;
}

bool is_evicting() { return evicting; }

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
    evicting = true;
    const bool begins = data.callbackSite == CUPTI_API_ENTER;
    if (call == CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged) {
        if (!begins) {
            allocated(data);
        }
    } else if (call == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2) {
        if (begins) {
            released(data);
        }
    } else if (begins && is_launch(call)) {
        evict_before(data, stream_of(call, data.functionParams));
    }
    evicting = false;
}

}  // namespace watari::attach::evict
