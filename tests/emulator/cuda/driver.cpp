// Initialisation, devices, and the functions by name.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "fake_cuda.hpp"
#include "setting.hpp"

namespace fake {

counts counted;

namespace {

std::atomic<bool> initialised{false};
pid_t initialised_in = 0;

// As the driver does: loads the library and calls its function inside cuInit.
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
                     "\"shares\":%lld,\"read_mostly\":%lld}\n",
                     static_cast<int>(getpid()), counted.allocations, counted.frees,
                     counted.launches, counted.copies, counted.copied_bytes, counted.prefetches,
                     counted.advices, counted.shares, counted.read_mostly);
        std::fclose(file);
    }
} report_at_exit;

}  // namespace

int devices() { return static_cast<int>(setting("FAKE_CUDA_DEVICES", 1)); }

std::size_t memory_of_device() { return setting("FAKE_CUDA_MEMORY", 1 << 30); }

bool has_pageable_access() { return setting("FAKE_CUDA_PAGEABLE") != 0; }

// A child of fork cannot use what its parent initialised.
bool is_initialised() { return initialised && initialised_in == getpid(); }

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

// The addresses of FAKE_CUDA_BUS, one of each GPU.
FAKE result cuDeviceGetPCIBusId(char* address, int length, int device) {
    const char* each = std::getenv("FAKE_CUDA_BUS");
    for (int i = 0; each && i < device; ++i)
        each = std::strchr(each, ',') ? std::strchr(each, ',') + 1 : nullptr;
    if (!each) return not_supported;
    std::snprintf(address, static_cast<std::size_t>(length), "%.*s",
                  static_cast<int>(std::strcspn(each, ",")), each);
    return success;
}

FAKE result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = memory_of_device();
    return success;
}

FAKE result cuDeviceGetAttribute(int* value, int attribute, int) {
    // max threads, warp size, multiprocessors, capability 9.0; unified addressing, managed,
    // concurrent, pools
    static const std::map<int, int> known = {{1, 1024}, {2, 1024}, {10, 32}, {16, 4}, {75, 9},
                                             {41, 1},   {83, 1},   {89, 1},  {115, 1}};
    constexpr int pageable = 88;
    const auto found = known.find(attribute);
    *value = found != known.end() ? found->second : attribute == pageable && has_pageable_access();
    return success;
}

FAKE result cuGetErrorName(result, const char** name) {
    *name = "CUDA_ERROR";
    return success;
}

FAKE result cuGetErrorString(result, const char** text) {
    *text = "an error of the fake driver";
    return success;
}

namespace {

// The newest variant of a name that this driver has, as for programs of CUDA 12 and 13.
void* newest(const char* name, int version, bool is_per_thread) {
    const bool is_first = version < 13000 && std::strstr(name, "BatchAsync");  // other parameters
    char symbol[128];
    static constexpr const char* own[] = {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds"};
    static constexpr const char* any[] = {"_v3", "_v2", ""};
    std::vector<const char*> suffixes(std::begin(any), std::end(any));
    if (is_per_thread) suffixes.insert(suffixes.begin(), std::begin(own), std::end(own));
    for (const char* suffix : suffixes) {
        if (is_first && std::strncmp(suffix, "_v2", 3) == 0) continue;
        std::snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
        static void* self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (void* found = self ? dlsym(self, symbol) : nullptr) return found;
    }
    return nullptr;
}

}  // namespace

// Functions that the CUDA runtime looks up and this driver lacks: they exist, and return
// not_supported. The runtime begins (cuInit) and fails at its first call that needs more, since
// this driver has none of the undocumented tables that the runtime requests.
FAKE result cuGetExportTable(const void**, const void*) { return not_supported; }

namespace {
result absent() { return not_supported; }
}  // namespace

FAKE result cuGetProcAddress_v2(const char* name, void** found, int version, std::uint64_t flags,
                                int* status) {
    *found = newest(name, version, (flags & 2) != 0);
    if (!*found) *found = reinterpret_cast<void*>(&absent);
    if (status) *status = 0;
    return success;
}

FAKE result cuGetProcAddress(const char* name, void** found, int version, std::uint64_t flags) {
    return cuGetProcAddress_v2(name, found, version, flags, nullptr);
}
