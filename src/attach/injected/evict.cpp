#include "evict.hpp"

#include "activity.hpp"
#include "libraries.hpp"
#include "sample.hpp"
#include "writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace watari::attach::evict {
namespace {

constexpr std::uint64_t least_wait = 1'000'000'000;  // ns, for a sampled launch
constexpr unsigned least_launches = 2;  // sampled of each kernel after half of the time

unsigned launches_of_each = 0;
std::uint64_t most_time = 0;  // ns that sampling may take in total
thread_local bool evicting = false;
thread_local bool is_sampling = false;  // between the two callbacks of a sampled launch

struct state {
    std::mutex lock;
    std::map<CUdeviceptr, std::size_t> managed;
    std::map<std::string, unsigned, std::less<>> sampled;
    std::set<std::string, std::less<>> refused;
    std::optional<sample> current;        // the last sample, until the next launch
    std::atomic<bool> is_away{false};     // memory that kernels need may be on the CPU
    std::atomic<bool> is_busy{false};     // a thread evicts, measures or returns memory
    std::atomic<bool> waits{true};        // no sampled kernel has waited for the program so far
    std::atomic<std::uint64_t> spent{0};  // ns on sampling so far
    std::uint64_t begun = 0;  // time at which the sampled launch began, with its eviction
};

state& shared() {  // never destroyed: threads of the program launch kernels until it has ended
    static auto* all = new state;
    return *all;
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

// Returns the number of a launch among the sampled launches of its kernel, or nothing if it is not
// sampled. The first launches of each kernel are sampled; after half of the time only two of each
// kernel, so that every kernel has its turn; after all of it none. The file names kernels with
// launches left out.
std::optional<unsigned> sampled_turn(const char* symbol) {
    const std::string kernel = symbol ? symbol : "unnamed";
    const std::lock_guard hold(shared().lock);
    const std::uint64_t spent = shared().spent;
    auto& count = shared().sampled[kernel];
    if (count >= launches_of_each) {
        return std::nullopt;
    }
    if (spent < most_time / 2 || (spent < most_time && count < least_launches)) {
        return count++;
    }
    if (shared().refused.insert(kernel).second) {
        writer::write({.what = kind::unsampled,
                       .detail = count,
                       .start = writer::now(),
                       .name = writer::intern("name", kernel)});
    }
    return std::nullopt;
}

std::map<CUdeviceptr, std::size_t> all_managed() {
    const std::lock_guard hold(shared().lock);
    return shared().managed;
}

// Ends the last sample before the next launch: writes to read-mostly pages take seconds per GiB.
void end_current() {
    if (shared().current) {
        end_sample(*shared().current);
        shared().current.reset();
    }
}

void evict_before(const CUpti_CallbackData& data, CUstream stream, unsigned turn) {
    driver().context_synchronize();
    shared().begun = writer::now();
    take_some();  // so that a run that is killed keeps these records
    end_current();
    shared().current = begin_sample(all_managed(), stream, data.correlationId, turn);
    shared().is_away = true;
}

// Measures the pages before the program can touch them: the launch returns after the kernel has
// ended. A kernel that waits for the program's next step costs half of the remaining time, once.
void measure_after() {
    if (!is_sampling) {
        return;
    }
    auto& all = shared();
    const auto time = writer::now();
    const auto spent = all.spent + (time - all.begun);
    const auto half = spent < most_time ? (most_time - spent) / 2 : 0;
    all.waits = all.waits && measure(*all.current, time + std::max(half, least_wait));
    all.spent += writer::now() - all.begun;
    is_sampling = false;
    all.is_busy = false;
}

// Returns memory to the GPU, as far as there is room, before a launch that is not sampled: faults
// are far slower than a prefetch. Waits first for the sampled launch, whose faults must be its own.
void give_back(CUstream stream) {
    const auto& call = driver();
    CUdevice device = 0;
    std::size_t room = 0;
    std::size_t total = 0;
    call.context_synchronize();
    const auto begun = writer::now();
    take_some();
    end_current();
    if (!call.current_device || !call.memory_info || call.current_device(&device) != CUDA_SUCCESS ||
        call.memory_info(&room, &total) != CUDA_SUCCESS) {
        room = 0;
    }
    for (const auto& [pointer, size] : all_managed()) {
        if (size <= room && call.prefetch(pointer, size, device, stream) == CUDA_SUCCESS) {
            room -= size;
        }
    }
    call.context_synchronize();
    shared().spent += writer::now() - begun;
    shared().is_away = false;
}

// Nothing may wait while a graph is captured: its kernels are not sampled. Launches of other
// threads during a sampled launch are not sampled either.
void before_launch(const CUpti_CallbackData& data, CUstream stream) {
    const auto& call = driver();
    auto& all = shared();
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!call.prefetch || call.is_capturing(stream, &capturing) != CUDA_SUCCESS ||
        capturing != CU_STREAM_CAPTURE_STATUS_NONE || all.is_busy.exchange(true)) {
        return;
    }
    if (const auto turn = sampled_turn(data.symbolName)) {
        evict_before(data, stream, *turn);
        is_sampling = true;  // and busy
        return;
    }
    if (all.is_away) {
        give_back(stream);
    }
    all.is_busy = false;
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
    const bool is_per_thread = call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
                               call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
    const CUstream stream =
        is_extended ? static_cast<const cuLaunchKernelEx_params*>(parameters)->config->hStream
                    : static_cast<const cuLaunchKernel_params*>(parameters)->hStream;
    return stream || !is_per_thread ? stream : CU_STREAM_PER_THREAD;
}

}  // namespace

void set_launches(unsigned count, double seconds) {
    launches_of_each = count;
    most_time = static_cast<std::uint64_t>(seconds * 1e9);
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
    } else if (is_launch(call)) {
        begins ? before_launch(data, stream_of(call, data.functionParams)) : measure_after();
    }
    evicting = false;
}

}  // namespace watari::attach::evict
