#include "evict.hpp"

#include "activity.hpp"
#include "libraries.hpp"
#include "writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace watari::attach::evict {
namespace {

constexpr unsigned least_launches = 2;  // of each kernel, once half of the time has passed

unsigned launches_of_each = 0;
std::uint64_t half_time = 0;  // of CLOCK_MONOTONIC
std::uint64_t end_time = 0;
thread_local bool evicting = false;

struct state {
    std::mutex lock;
    std::map<CUdeviceptr, std::size_t> managed;
    std::map<std::string, unsigned, std::less<>> sampled;
    std::set<std::string, std::less<>> refused;
    std::atomic<bool> is_away{false};  // what kernels need may be in CPU memory, read-mostly
};

state& shared() {  // never destroyed: threads of the program launch until it has ended
    static auto* all = new state;
    return *all;
}

// Where the driver refuses read-mostly, writes after reads are not seen. Memory is so from before a
// sampled launch to the next that is not: writes to read-mostly pages take seconds for a GiB.
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
    }
}

void released(const CUpti_CallbackData& data) {
    const auto& p = *static_cast<const cuMemFree_v2_params*>(data.functionParams);
    const std::lock_guard hold(shared().lock);
    shared().managed.erase(p.dptr);
}

// The first launches of each kernel. Later on, when memory is large and time runs out, two of each
// kernel, so that every kernel has its turn; at the end none. The file names what was left out.
bool is_sampled(const char* symbol) {
    const std::string kernel = symbol ? symbol : "unnamed";
    const std::lock_guard hold(shared().lock);
    const auto time = writer::now();
    auto& count = shared().sampled[kernel];
    if (count >= launches_of_each) {
        return false;
    }
    if (time < half_time || (time < end_time && count < least_launches)) {
        ++count;
        return true;
    }
    if (shared().refused.insert(kernel).second) {
        writer::write({.what = kind::unsampled,
                       .detail = count,
                       .start = time,
                       .name = writer::intern("name", kernel)});
    }
    return false;
}

std::map<CUdeviceptr, std::size_t> all_managed() {
    const std::lock_guard hold(shared().lock);
    return shared().managed;
}

void evict_before(const CUpti_CallbackData& data, CUstream stream) {
    const auto& call = driver();
    const auto managed = all_managed();
    call.context_synchronize();
    take_some();  // what a run that is ended has sampled
    std::uint64_t bytes = 0;
    for (const auto& [pointer, size] : managed) {
        advise(pointer, size, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        bytes += call.prefetch(pointer, size, CU_DEVICE_CPU, stream) == CUDA_SUCCESS ? size : 0;
    }
    call.context_synchronize();
    for (const auto& [pointer, size] : managed) {
        advise(pointer, size, CU_MEM_ADVISE_SET_READ_MOSTLY);
    }
    shared().is_away = true;
    writer::write({.what = kind::evicted,
                   .start = writer::now(),
                   .bytes = bytes,
                   .correlation = data.correlationId});
}

// A launch that is not sampled finds its memory on the GPU, as far as there is room: faults are far
// slower than a prefetch. It waits for the sampled launch, whose faults must be its own.
void give_back(CUstream stream) {
    const auto& call = driver();
    CUdevice device = 0;
    std::size_t room = 0;
    std::size_t total = 0;
    call.context_synchronize();
    take_some();
    if (!call.current_device || !call.memory_info || call.current_device(&device) != CUDA_SUCCESS ||
        call.memory_info(&room, &total) != CUDA_SUCCESS) {
        room = 0;
    }
    for (const auto& [pointer, size] : all_managed()) {
        advise(pointer, size, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        if (size <= room && call.prefetch(pointer, size, device, stream) == CUDA_SUCCESS) {
            room -= size;
        }
    }
    shared().is_away = false;
}

// Nothing may wait while a graph is captured: its kernels are not sampled.
void before_launch(const CUpti_CallbackData& data, CUstream stream) {
    const auto& call = driver();
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!call.prefetch || call.is_capturing(stream, &capturing) != CUDA_SUCCESS ||
        capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
        return;
    }
    if (is_sampled(data.symbolName)) {
        evict_before(data, stream);
    } else if (shared().is_away) {
        give_back(stream);
    }
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

void set_launches(unsigned count, double seconds) {
    launches_of_each = count;
    const auto nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
    half_time = writer::now() + nanoseconds / 2;
    end_time = writer::now() + nanoseconds;
}

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
        before_launch(data, stream_of(call, data.functionParams));
    }
    evicting = false;
}

}  // namespace watari::attach::evict
