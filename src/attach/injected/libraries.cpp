#include "libraries.hpp"

#include "writer.hpp"

#include <dlfcn.h>
#include <mutex>
#include <string>

namespace watari::attach {
namespace {

constexpr std::uint32_t oldest =
    22;  // CUPTI_API_VERSION of CUDA 12.4, whose records activity.cpp reads

cupti_functions loaded{};

template <typename Function>
bool find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

bool load_cupti(const char* path) {
    const auto refuse = [](const std::string& why) {
        writer::note("error", 0, why);
        return false;
    };
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return refuse(std::string("CUPTI cannot be loaded: ") + dlerror());
    }
    const bool complete =
        find(library, loaded.get_version, "cuptiGetVersion") &&
        find(library, loaded.get_result_string, "cuptiGetResultString") &&
        find(library, loaded.callback_name, "cuptiGetCallbackName") &&
        find(library, loaded.context_id, "cuptiGetContextId") &&
        find(library, loaded.device_id, "cuptiGetDeviceId") &&
        find(library, loaded.set_thread_ids, "cuptiSetThreadIdType") &&
        find(library, loaded.subscribe, "cuptiSubscribe") &&
        find(library, loaded.enable_callback, "cuptiEnableCallback") &&
        find(library, loaded.register_callbacks, "cuptiActivityRegisterCallbacks") &&
        find(library, loaded.register_timestamp, "cuptiActivityRegisterTimestampCallback") &&
        find(library, loaded.enable, "cuptiActivityEnable") &&
        find(library, loaded.disable, "cuptiActivityDisable") &&
        find(library, loaded.configure_counters, "cuptiActivityConfigureUnifiedMemoryCounter") &&
        find(library, loaded.next_record, "cuptiActivityGetNextRecord") &&
        find(library, loaded.dropped_records, "cuptiActivityGetNumDroppedRecords") &&
        find(library, loaded.flush_all, "cuptiActivityFlushAll") &&
        find(library, loaded.flush_period, "cuptiActivityFlushPeriod");
    if (!complete) {
        return refuse(std::string(path) + " is no CUPTI of CUDA 12.4 or later: " + dlerror());
    }
    std::uint32_t version = 0;
    if (!check(loaded.get_version(&version), "cuptiGetVersion")) {
        return false;
    }
    if (version < oldest) {
        return refuse(std::string(path) + " has version " + std::to_string(version) +
                      ": records of CUDA 12.4 (22) and later can be read");
    }
    writer::write(
        {.what = kind::begin, .detail = format_version, .start = writer::now(), .bytes = version});
    return true;
}

const cupti_functions& cupti() { return loaded; }

const driver_functions& driver() {
    static const driver_functions functions = [] {
        driver_functions found{};
        if (void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
            find(library, found.context_push, "cuCtxPushCurrent_v2");
            find(library, found.context_pop, "cuCtxPopCurrent_v2");
            find(library, found.context_synchronize, "cuCtxSynchronize");
            find(library, found.current_device, "cuCtxGetDevice");
            find(library, found.memory_info, "cuMemGetInfo_v2");
            find(library, found.prefetch, "cuMemPrefetchAsync");
            find(library, found.advise, "cuMemAdvise");
            find(library, found.range_attribute, "cuMemRangeGetAttribute");
            find(library, found.stream_query, "cuStreamQuery");
            find(library, found.stream_create, "cuStreamCreate");
            find(library, found.is_capturing, "cuStreamIsCapturing");
        }
        return found;
    }();
    return functions;
}

void leave_new_memory() {
    static std::once_flag once;
    std::call_once(once, [] {
        void (*leave)() = nullptr;
        if (find(RTLD_DEFAULT, leave, "watari_leave_new_memory")) {
            leave();
        }
    });
}

bool check(CUptiResult result, const char* call) {
    if (result == CUPTI_SUCCESS) {
        return true;
    }
    const char* text = nullptr;
    loaded.get_result_string(result, &text);
    writer::note("error", result, std::string(call) + ": " + (text ? text : "unknown error"));
    return false;
}

}  // namespace watari::attach
