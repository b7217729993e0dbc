// Contexts: a primary one of each device, and the stack of each thread.
#include <atomic>

#include "fake_cuda.hpp"
#include "observe.hpp"

namespace fake {
namespace {

struct context {
    std::atomic<int> device;
    std::atomic<int> references;
};
context primary[8];
thread_local context* stack[16];
thread_local int depth = 0;

}  // namespace

int current_device() { return depth > 0 ? stack[depth - 1]->device.load() : -1; }

}  // namespace fake

using namespace fake;

FAKE result cuDevicePrimaryCtxRetain(void** made, int device) {
    if (!is_initialised()) return not_initialized;
    if (device < 0 || device >= devices() || device >= 8) return invalid_device;
    primary[device].device = device;
    *made = &primary[device];
    if (primary[device].references++ == 0 && fake_cuda_observer)
        fake_cuda_observer({.what = sight::context, .context = *made});
    return success;
}

FAKE result cuDevicePrimaryCtxReset_v2(int device) {
    queue::wait_for_all();
    release_all(device);
    return success;
}

FAKE result cuDevicePrimaryCtxRelease_v2(int device) {
    if (primary[device].references == 0) return invalid_context;
    return --primary[device].references ? success : cuDevicePrimaryCtxReset_v2(device);
}

FAKE result cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return success; }

FAKE result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    *flags = 0;
    *active = primary[device].references > 0;
    return success;
}

FAKE result cuCtxSetCurrent(void* set) {
    if (depth == 0) depth = 1;
    stack[depth - 1] = static_cast<context*>(set);
    if (!set) --depth;
    return success;
}

FAKE result cuCtxGetCurrent(void** current) {
    *current = depth > 0 ? stack[depth - 1] : nullptr;
    return success;
}

FAKE result cuCtxPushCurrent_v2(void* pushed) {
    if (depth == 16) return invalid_value;
    stack[depth++] = static_cast<context*>(pushed);
    return success;
}

FAKE result cuCtxPopCurrent_v2(void** popped) {
    if (depth == 0) return invalid_context;
    --depth;
    if (popped) *popped = stack[depth];
    return success;
}

// One context a device: the primary one stands for all contexts that programs make.
FAKE result cuCtxCreate_v2(void** made, unsigned, int device) {
    const result outcome = cuDevicePrimaryCtxRetain(made, device);
    return outcome == success ? cuCtxPushCurrent_v2(*made) : outcome;
}

FAKE result cuCtxDestroy_v2(void* destroyed) {
    if (depth > 0) --depth;
    --static_cast<context*>(destroyed)->references;
    return cuDevicePrimaryCtxReset_v2(static_cast<context*>(destroyed)->device);
}

FAKE result cuCtxGetDevice(int* device) {
    return observed("cuCtxGetDevice", {bits(device)}, [&] {
        if (depth == 0) return invalid_context;
        *device = current_device();
        return success;
    });
}

FAKE result cuCtxSynchronize() {
    return observed("cuCtxSynchronize", {}, [] {
        if (breaks_capture()) return capture_unsupported;
        const result outcome = queue::wait_for_all();
        return depth > 0 ? outcome : invalid_context;
    });
}

FAKE result cuStreamGetCtx(void*, void** context) { return cuCtxGetCurrent(context); }
