#include "launches.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace watari::attach {
namespace {

template <typename Parameters>
std::uint64_t threads_of(const Parameters& p) {
    return std::uint64_t{p.gridDimX} * p.gridDimY * p.gridDimZ * p.blockDimX * p.blockDimY *
           p.blockDimZ;
}

launch plain(const void* parameters) {
    const auto& p = *static_cast<const cuLaunchKernel_params*>(parameters);
    return {p.hStream, threads_of(p), false};
}

launch cooperative(const void* parameters) {
    const auto& p = *static_cast<const cuLaunchCooperativeKernel_params*>(parameters);
    return {p.hStream, threads_of(p), true};
}

launch extended(const void* parameters) {
    const auto& p = *static_cast<const cuLaunchKernelEx_params*>(parameters)->config;
    const bool is_cooperative =
        p.attrs && std::any_of(p.attrs, p.attrs + p.numAttrs, [](const CUlaunchAttribute& one) {
            return one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && one.value.cooperative;
        });
    return {p.hStream, threads_of(p), is_cooperative};
}

struct row {
    CUpti_CallbackId call;
    launch (*read)(const void*);
    bool is_per_thread;  // the null stream is the thread's own
};

constexpr std::array rows = {
    row{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, plain, false},
    row{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, plain, true},
    row{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, extended, false},
    row{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, extended, true},
    row{CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, cooperative, false},
    row{CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, cooperative, true},
};

}  // namespace

std::vector<CUpti_CallbackId> launch_calls() {
    std::vector<CUpti_CallbackId> calls;
    std::transform(rows.begin(), rows.end(), std::back_inserter(calls),
                   [](const row& one) { return one.call; });
    return calls;
}

std::optional<launch> launch_of(CUpti_CallbackId call, const void* parameters) {
    const auto* found =
        std::find_if(rows.begin(), rows.end(), [&](const row& one) { return one.call == call; });
    if (found == rows.end()) {
        return std::nullopt;
    }
    launch one = found->read(parameters);
    if (!one.stream && found->is_per_thread) {
        one.stream = CU_STREAM_PER_THREAD;
    }
    return one;
}

}  // namespace watari::attach
