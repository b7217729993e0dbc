#include "managed.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

namespace watari::attach::managed {
namespace {

struct state {
    std::mutex lock;
    managed_memory live;
    std::size_t bytes = 0;
};

state& shared() {  // never destroyed: threads of the program allocate until it has ended
    static auto* all = new state;
    return *all;
}

void allocated(CUdeviceptr pointer, std::size_t size) {
    const std::lock_guard hold(shared().lock);
    shared().live[pointer] = size;
    shared().bytes += size;
}

void released(CUdeviceptr pointer) {
    const std::lock_guard hold(shared().lock);
    const auto found = shared().live.find(pointer);
    if (found != shared().live.end()) {
        shared().bytes -= found->second;
        shared().live.erase(found);
    }
}

}  // namespace

std::vector<CUpti_CallbackId> calls() {
    return {CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2};
}

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
    const bool begins = data.callbackSite == CUPTI_API_ENTER;
    if (call == CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged && !begins) {
        const auto& p = *static_cast<const cuMemAllocManaged_params*>(data.functionParams);
        if (*static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS) {
            allocated(*p.dptr, p.bytesize);
        }
    } else if (call == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2 && begins) {
        released(static_cast<const cuMemFree_v2_params*>(data.functionParams)->dptr);
    }
}

chosen largest(std::size_t most) {
    std::vector<std::pair<CUdeviceptr, std::size_t>> rows;
    chosen found{.memory = {}, .left_out = 0, .left_bytes = 0};
    {
        const std::lock_guard hold(shared().lock);
        if (shared().live.size() <= most) {
            found.memory = shared().live;
            return found;
        }
        rows.assign(shared().live.begin(), shared().live.end());
    }
    const auto first_left = rows.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(rows.begin(), first_left, rows.end(),
                     [](const auto& one, const auto& other) { return one.second > other.second; });
    found.memory.insert(rows.begin(), first_left);
    found.left_out = rows.size() - most;
    found.left_bytes =
        std::accumulate(first_left, rows.end(), std::size_t{0},
                        [](std::size_t sum, const auto& one) { return sum + one.second; });
    return found;
}

std::size_t bytes() {
    const std::lock_guard hold(shared().lock);
    return shared().bytes;
}

}  // namespace watari::attach::managed
