// Initialisation, devices, contexts, streams, events, modules and launches.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "fake_cuda.hpp"
#include "observe.hpp"

namespace fake {

counts counted;

namespace {

std::atomic<bool> initialised{false};
pid_t initialised_in = 0;

struct context {
    int device;
    int references;
};
context primary[8];
thread_local context* stack[16];
thread_local int depth = 0;

long long number(const char* name, long long otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::atoll(text) : otherwise;
}

// As the driver: the library is loaded and its function called inside cuInit.
void load_injection() {
    const char* path = std::getenv("CUDA_INJECTION64_PATH");
    if (!path || !*path) return;
    void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        std::fprintf(stderr, "fake libcuda: %s\n", dlerror());
        return;
    }
    if (void* begin = dlsym(library, "InitializeInjection")) reinterpret_cast<int (*)()>(begin)();
}

struct reporter {
    ~reporter() {
        const char* path = std::getenv("FAKE_CUDA_COUNTS");
        if (!path || !initialised) return;
        std::FILE* file = std::fopen(path, "ae");
        if (!file) return;
        std::fprintf(file,
                     "{\"pid\":%d,\"allocations\":%lld,\"frees\":%lld,\"launches\":%lld,"
                     "\"copies\":%lld,\"copied_bytes\":%lld,\"prefetches\":%lld,\"advices\":%lld,"
                     "\"shares\":%lld}\n",
                     static_cast<int>(getpid()), counted.allocations, counted.frees,
                     counted.launches, counted.copies, counted.copied_bytes, counted.prefetches,
                     counted.advices, counted.shares);
        std::fclose(file);
    }
} report_at_exit;

}  // namespace

int devices() { return static_cast<int>(number("FAKE_CUDA_DEVICES", 1)); }

// A child of fork cannot use what its parent initialised.
bool is_initialised() { return initialised && initialised_in == getpid(); }

int current_device() { return depth > 0 ? stack[depth - 1]->device : -1; }

bool is_refused(const char* function) {
    const char* refused = std::getenv("FAKE_CUDA_REFUSE");
    return refused && std::strcmp(refused, function) == 0;
}

}  // namespace fake

using namespace fake;

FAKE result cuInit(unsigned flags) {
    static std::once_flag once;
    if (flags != 0) return invalid_value;
    if (devices() == 0) return no_device;
    if (initialised && initialised_in != getpid()) return not_initialized;
    std::call_once(once, [] {
        initialised_in = getpid();
        initialised = true;
        load_injection();
    });
    return success;
}

FAKE result cuDriverGetVersion(int* version) {
    *version = 13000;
    return success;
}

FAKE result cuDeviceGetCount(int* count) {
    *count = devices();
    return success;
}

FAKE result cuDeviceGet(int* device, int ordinal) {
    if (!is_initialised()) return not_initialized;
    if (ordinal < 0 || ordinal >= devices()) return invalid_device;
    *device = ordinal;
    return success;
}

FAKE result cuDeviceGetName(char* name, int length, int) {
    std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
    return success;
}

FAKE result cuDeviceGetUuid_v2(char* uuid, int device) {
    std::memset(uuid, device + 1, 16);
    return success;
}

FAKE result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = static_cast<std::size_t>(number("FAKE_CUDA_MEMORY", 1 << 30));
    return success;
}

FAKE result cuDeviceGetAttribute(int* value, int attribute, int) {
    // max threads, warp size, unified addressing, managed, pageable, concurrent; capability 9.0
    switch (attribute) {
        case 1:
        case 2:
            *value = 1024;
            break;
        case 10:
            *value = 32;
            break;
        case 16:
            *value = 4;
            break;  // multiprocessors
        case 41:
        case 83:
        case 89:
        case 115:
            *value = 1;
            break;
        case 75:
            *value = 9;
            break;
        case 76:
            *value = 0;
            break;
        case 88:
            *value = number("FAKE_CUDA_PAGEABLE", 0) != 0;
            break;
        default:
            *value = 0;
    }
    return success;
}

FAKE result cuDevicePrimaryCtxRetain(void** made, int device) {
    if (!is_initialised()) return not_initialized;
    if (device < 0 || device >= devices() || device >= 8) return invalid_device;
    primary[device].device = device;
    *made = &primary[device];
    if (primary[device].references++ == 0 && fake_cuda_observer) {
        seen created{sight::context};
        created.context = *made;
        fake_cuda_observer(created);
    }
    return success;
}

FAKE result cuDevicePrimaryCtxReset_v2(int device) {
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

// One context a device: the primary one stands for those that programs make.
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
    if (depth == 0) return invalid_context;
    *device = current_device();
    return success;
}

FAKE result cuCtxSynchronize() {
    return observed("cuCtxSynchronize", {}, [] {
        if (breaks_capture()) return capture_unsupported;
        return depth > 0 ? success : invalid_context;
    });
}

FAKE result cuGetErrorName(result, const char** name) {
    *name = "CUDA_ERROR";
    return success;
}

FAKE result cuGetErrorString(result, const char** text) {
    *text = "an error of the fake driver";
    return success;
}

FAKE result cuModuleLoadData(void** module, const void* image) {
    if (!image) return invalid_image;
    *module = std::malloc(1);
    return success;
}

FAKE result cuModuleUnload(void* module) {
    std::free(module);
    return success;
}

FAKE result cuModuleGetFunction(void** function, void*, const char* name) {
    if (!has_kernel(name)) return not_found;
    *function = strdup(name);
    return success;
}

FAKE result cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                           void* stream, void** arguments, void** extra) {
    ++counted.launches;
    const auto* name = static_cast<const char*>(function);
    const std::initializer_list<std::uint64_t> parameters = {
        bits(function),  pair(grid_x, grid_y), pair(grid_z, block_x), pair(block_y, block_z),
        pair(shared, 0), bits(stream),         bits(arguments),       bits(extra)};
    const auto run = [&] {
        const residency::gpu_works running;
        return run_kernel(name, arguments) ? success : launch_failed;
    };
    return observed("cuLaunchKernel", parameters, run, name);
}

namespace {

// The newest variant of a name that this driver has, as for programs of CUDA 12 and 13.
void* newest(const char* name, bool is_per_thread) {
    char symbol[128];
    for (const char* suffix : {is_per_thread ? "_ptsz" : "_v2", "_v2", ""}) {
        std::snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
        static void* self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (void* found = self ? dlsym(self, symbol) : nullptr) return found;
    }
    return nullptr;
}

}  // namespace

// What the CUDA runtime looks up beyond this driver: it is there, and does nothing. The runtime
// begins (cuInit) and ends at its first call that needs more, since the tables that it asks the
// driver for beside the documented functions are not made up here.
FAKE result cuGetExportTable(const void**, const void*) { return not_supported; }

namespace {
result absent() { return not_supported; }
}  // namespace

FAKE result cuGetProcAddress_v2(const char* name, void** found, int, std::uint64_t flags,
                                int* status) {
    *found = newest(name, (flags & 2) != 0);
    if (!*found) *found = reinterpret_cast<void*>(&absent);
    if (status) *status = 0;
    return success;
}

FAKE result cuGetProcAddress(const char* name, void** found, int version, std::uint64_t flags) {
    return cuGetProcAddress_v2(name, found, version, flags, nullptr);
}
