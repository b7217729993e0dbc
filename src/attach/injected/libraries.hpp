// The functions of CUPTI and of the driver that the injected library calls. It links to neither:
// CUPTI is loaded from the path that `watari trace` gives, the driver is in the process already.
#pragma once

#include <cupti.h>

namespace watari::attach {

struct cupti_functions {
    decltype(&cuptiGetVersion) get_version;
    decltype(&cuptiGetResultString) get_result_string;
    decltype(&cuptiGetCallbackName) callback_name;
    decltype(&cuptiGetContextId) context_id;
    decltype(&cuptiGetDeviceId) device_id;
    decltype(&cuptiSetThreadIdType) set_thread_ids;
    decltype(&cuptiSubscribe) subscribe;
    decltype(&cuptiEnableCallback) enable_callback;
    decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
    decltype(&cuptiActivityRegisterTimestampCallback) register_timestamp;
    decltype(&cuptiActivityEnable) enable;
    decltype(&cuptiActivityDisable) disable;
    decltype(&cuptiActivityConfigureUnifiedMemoryCounter) configure_counters;
    decltype(&cuptiActivityGetNextRecord) next_record;
    decltype(&cuptiActivityGetNumDroppedRecords) dropped_records;
    decltype(&cuptiActivityFlushAll) flush_all;
    decltype(&cuptiActivityFlushPeriod) flush_period;
};

// Looked up by their names in the driver's library. CUDA 13's header declares other signatures: the
// names without a number keep the signatures of CUDA 8.
struct driver_functions {
    CUresult (*context_push)(CUcontext);
    CUresult (*context_pop)(CUcontext*);
    CUresult (*context_synchronize)();
    CUresult (*current_device)(CUdevice*);
    CUresult (*memory_info)(size_t*, size_t*);
    CUresult (*prefetch)(CUdeviceptr, size_t, CUdevice, CUstream);
    CUresult (*advise)(CUdeviceptr, size_t, CUmem_advise, CUdevice);
    CUresult (*range_attribute)(void*, size_t, CUmem_range_attribute, CUdeviceptr, size_t);
    CUresult (*stream_query)(CUstream);
    CUresult (*stream_create)(CUstream*, unsigned);
    CUresult (*is_capturing)(CUstream, CUstreamCaptureStatus*);
};

// Loads CUPTI. Returns false, with the reason in a note, if it cannot be used.
bool load_cupti(const char* path);

const cupti_functions& cupti();

// The driver's functions; null if the process has no driver.
const driver_functions& driver();

// Asks the preloaded library to leave new memory as the program asks for it; without that library
// nothing happens. Acts once.
void leave_new_memory();

// Writes a note if a call failed; returns true for success.
bool check(CUptiResult result, const char* call);

}  // namespace watari::attach
