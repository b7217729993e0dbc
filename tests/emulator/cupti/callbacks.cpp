#include <dlfcn.h>
#include <atomic>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "fake_cupti.hpp"

namespace fake_cupti {
namespace {

CUpti_CallbackFunc subscribed = nullptr;
void* subscriber_data = nullptr;
std::set<std::pair<int, CUpti_CallbackId>> enabled;
std::atomic<std::uint32_t> calls{0};
thread_local std::uint32_t depth = 0;

struct named {
    const char* function;
    CUpti_CallbackId call;
    const char* per_thread = nullptr;  // the function for which stream 0 is that of the thread
    CUpti_CallbackId per_thread_call = CUPTI_DRIVER_TRACE_CBID_INVALID;

    CUpti_CallbackId of(bool is_per_thread) const { return is_per_thread ? per_thread_call : call; }
};
#define PLAIN(name) \
    { #name, CUPTI_DRIVER_TRACE_CBID_##name }
#define EITHER(name, suffix) \
    { #name, CUPTI_DRIVER_TRACE_CBID_##name, #name #suffix, CUPTI_DRIVER_TRACE_CBID_##name##suffix }
constexpr named names[] = {
    PLAIN(cuMemAllocManaged),
    PLAIN(cuMemAlloc_v2),
    PLAIN(cuMemFree_v2),
    PLAIN(cuMemHostAlloc),
    PLAIN(cuMemFreeHost),
    PLAIN(cuMemHostRegister_v2),
    PLAIN(cuMemHostUnregister),
    PLAIN(cuCtxSynchronize),
    PLAIN(cuCtxGetDevice),
    PLAIN(cuStreamCreate),
    PLAIN(cuStreamCreateWithPriority),
    PLAIN(cuStreamDestroy_v2),
    PLAIN(cuEventCreate),
    PLAIN(cuEventDestroy_v2),
    PLAIN(cuEventQuery),
    PLAIN(cuEventSynchronize),
    EITHER(cuMemcpyHtoD_v2, _ptds),
    EITHER(cuMemcpyDtoH_v2, _ptds),
    EITHER(cuMemcpyDtoD_v2, _ptds),
    EITHER(cuMemcpy, _ptds),
    EITHER(cuMemcpyAsync, _ptsz),
    EITHER(cuMemcpyHtoDAsync_v2, _ptsz),
    EITHER(cuMemcpyDtoHAsync_v2, _ptsz),
    EITHER(cuMemcpyDtoDAsync_v2, _ptsz),
    EITHER(cuMemcpy2D_v2, _ptds),
    EITHER(cuMemcpy2DUnaligned_v2, _ptds),
    EITHER(cuMemcpy2DAsync_v2, _ptsz),
    EITHER(cuMemcpy3D_v2, _ptds),
    EITHER(cuMemcpy3DAsync_v2, _ptsz),
    EITHER(cuMemsetD8_v2, _ptds),
    EITHER(cuMemsetD8Async, _ptsz),
    EITHER(cuMemsetD32_v2, _ptds),
    EITHER(cuMemsetD32Async, _ptsz),
    EITHER(cuMemAllocAsync, _ptsz),
    EITHER(cuMemFreeAsync, _ptsz),
    EITHER(cuMemPrefetchAsync, _ptsz),
    EITHER(cuLaunchKernel, _ptsz),
    EITHER(cuLaunchHostFunc, _ptsz),
    EITHER(cuStreamAddCallback, _ptsz),
    EITHER(cuStreamSynchronize, _ptsz),
    EITHER(cuStreamQuery, _ptsz),
    EITHER(cuStreamWaitEvent, _ptsz),
    EITHER(cuStreamBeginCapture_v2, _ptsz),
    EITHER(cuStreamEndCapture, _ptsz),
    EITHER(cuEventRecord, _ptsz),
    EITHER(cuGraphLaunch, _ptsz),
};

// Recording takes the CPU's time, outside of the recorded times of a call.
void take_time() {
    static const auto takes = setting("FAKE_CUPTI_CALL_NS");
    for (const auto begun = fake::now(); takes && fake::now() < begun + takes;) {
    }
}

void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (subscribed && enabled.count({domain, id})) subscribed(subscriber_data, domain, id, data);
}

thread_local std::uint32_t correlation_at[8];

std::uint32_t on_call(const fake::seen& sight) {
    if (sight.begins) correlation_at[depth++ % 8] = ++calls;
    const std::uint32_t correlation = correlation_at[(depth - 1) % 8];
    CUpti_CallbackId call = CUPTI_DRIVER_TRACE_CBID_INVALID;
    take_time();
    for (const named& row : names) {
        if (std::strcmp(row.function, sight.function) != 0) continue;
        call = row.of(sight.is_per_thread);
        CUpti_CallbackData data{};
        int outcome = sight.outcome;
        data.callbackSite = sight.begins ? CUPTI_API_ENTER : CUPTI_API_EXIT;
        data.functionName = sight.is_per_thread ? row.per_thread : row.function;
        data.functionParams = sight.parameters;
        data.functionReturnValue = &outcome;
        data.symbolName = sight.symbol;
        data.correlationId = correlation;
        call_back(CUPTI_CB_DOMAIN_DRIVER_API, call, &data);
    }
    if (!sight.begins) {
        --depth;
        record(sight, call, correlation);
    }
    return correlation;
}

}  // namespace

std::uint32_t stream_number(const void* stream) {
    static const auto number_of = [] {
        void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        return reinterpret_cast<decltype(&fake_cuda_stream_number)>(
            dlsym(driver, "fake_cuda_stream_number"));
    }();
    return number_of(stream);
}

std::uint32_t observe(const fake::seen& sight) {
    if (sight.what == fake::sight::call) return on_call(sight);
    if (sight.what != fake::sight::context) {
        record(sight, CUPTI_DRIVER_TRACE_CBID_INVALID, 0);
        return 0;
    }
    CUpti_ResourceData data{};
    data.context = static_cast<CUcontext>(sight.context);
    call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
    return 0;
}

}  // namespace fake_cupti

using namespace fake_cupti;

FAKE_CUPTI CUptiResult cuptiGetVersion(std::uint32_t* version) {
    const auto set = setting("FAKE_CUPTI_VERSION");
    *version = set ? static_cast<std::uint32_t>(set) : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
    *text = "an error of the fake CUPTI";
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t call,
                                            const char** name) {
    for (const named& row : names)
        for (const bool is_per_thread : {false, true})
            if (domain == CUPTI_CB_DOMAIN_DRIVER_API && row.of(is_per_thread) == call &&
                (!is_per_thread || row.per_thread)) {
                *name = is_per_thread ? row.per_thread : row.function;
                return CUPTI_SUCCESS;
            }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

FAKE_CUPTI CUptiResult cuptiGetContextId(CUcontext, std::uint32_t* id) {
    *id = 1;
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* id) {
    *id = 0;
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }

FAKE_CUPTI CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                      CUpti_CallbackFunc callback, void* data) {
    if (subscribed) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    auto* observer =
        driver ? static_cast<fake::observer*>(dlsym(driver, "fake_cuda_observer")) : nullptr;
    if (!observer) return CUPTI_ERROR_NOT_INITIALIZED;
    *observer = observe;
    subscribed = callback;
    subscriber_data = data;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&subscribed);
    return CUPTI_SUCCESS;
}

FAKE_CUPTI CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                           CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    if (enable)
        enabled.insert({domain, id});
    else
        enabled.erase({domain, id});
    return CUPTI_SUCCESS;
}
