// The driver's functions as the programs call them: linked, or (OPENED) looked up by dlopen, dlsym
// and cuGetProcAddress, as the CUDA runtime does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using result = int;
using device_pointer = unsigned long long;

#define DRIVER_FUNCTIONS(X)                                                                        \
    X(cuInit, "", (unsigned))                                                                      \
    X(cuDevicePrimaryCtxRetain, "", (void**, int))                                                 \
    X(cuCtxSetCurrent, "", (void*))                                                                \
    X(cuCtxSynchronize, "", ())                                                                    \
    X(cuStreamCreate, "", (void**, unsigned))                                                      \
    X(cuStreamDestroy, "_v2", (void*))                                                             \
    X(cuStreamBeginCapture, "_v2", (void*, int))                                                   \
    X(cuStreamEndCapture, "", (void*, void**))                                                     \
    X(cuDevicePrimaryCtxReset, "_v2", (int))                                                       \
    X(cuDevicePrimaryCtxRelease, "_v2", (int))                                                     \
    X(cuCtxDestroy, "_v2", (void*))                                                                \
    X(cuMemAlloc, "_v2", (device_pointer*, std::size_t))                                           \
    X(cuMemAllocPitch, "_v2", (device_pointer*, std::size_t*, std::size_t, std::size_t, unsigned)) \
    X(cuMemAllocAsync, "", (device_pointer*, std::size_t, void*))                                  \
    X(cuMemAllocFromPoolAsync, "", (device_pointer*, std::size_t, void*, void*))                   \
    X(cuMemPoolCreate, "", (void**, const void*))                                                  \
    X(cuMemAllocManaged, "", (device_pointer*, std::size_t, unsigned))                             \
    X(cuMemHostAlloc, "", (void**, std::size_t, unsigned))                                         \
    X(cuMemFree, "_v2", (device_pointer))                                                          \
    X(cuMemFreeAsync, "", (device_pointer, void*))                                                 \
    X(cuMemFreeHost, "", (void*))                                                                  \
    X(cuMemCreate, "", (unsigned long long*, std::size_t, const void*, unsigned long long))        \
    X(cuIpcGetMemHandle, "", (void*, device_pointer))                                              \
    X(cuMemGetHandleForAddressRange, "",                                                           \
      (void*, device_pointer, std::size_t, int, unsigned long long))                               \
    X(cuMemPoolExportPointer, "", (void*, device_pointer))                                         \
    X(cuMemPoolExportToShareableHandle, "", (void*, void*, int, unsigned long long))               \
    X(cuMemPoolTrimTo, "", (void*, std::size_t))                                                   \
    X(cuMulticastBindAddr, "",                                                                     \
      (unsigned long long, std::size_t, device_pointer, std::size_t, unsigned long long))          \
    X(cuPointerSetAttribute, "", (const void*, int, device_pointer))                               \
    X(cuPointerGetAttribute, "", (void*, int, device_pointer))                                     \
    X(cuPointerGetAttributes, "", (unsigned, int*, void**, device_pointer))                        \
    X(cuMemGetInfo, "_v2", (std::size_t*, std::size_t*))                                           \
    X(cuMemGetAddressRange, "_v2", (device_pointer*, std::size_t*, device_pointer))                \
    X(cuThreadExchangeStreamCaptureMode, "", (int*))                                               \
    X(cuMemAdvise, "", (device_pointer, std::size_t, int, int))                                    \
    X(cuMemRangeGetAttribute, "", (void*, std::size_t, int, device_pointer, std::size_t))          \
    X(cuMemcpyHtoD, "_v2", (device_pointer, const void*, std::size_t))                             \
    X(cuMemcpyDtoH, "_v2", (void*, device_pointer, std::size_t))                                   \
    X(cuMemcpyHtoDAsync, "_v2", (device_pointer, const void*, std::size_t, void*))                 \
    X(cuMemcpyDtoHAsync, "_v2", (void*, device_pointer, std::size_t, void*))                       \
    X(cuStreamSynchronize, "", (void*))                                                            \
    X(cuStreamWaitEvent, "", (void*, void*, unsigned))                                             \
    X(cuEventCreate, "", (void**, unsigned))                                                       \
    X(cuEventRecord, "", (void*, void*))                                                           \
    X(cuEventSynchronize, "", (void*))                                                             \
    X(cuEventQuery, "", (void*))                                                                   \
    X(cuGraphInstantiateWithFlags, "", (void**, void*, unsigned long long))                        \
    X(cuGraphLaunch, "", (void*, void*))                                                           \
    X(cuModuleLoadData, "", (void**, const void*))                                                 \
    X(cuModuleGetFunction, "", (void**, void*, const char*))                                       \
    X(cuLaunchKernel, "",                                                                          \
      (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, \
       void**))

#ifdef OPENED
#include <dlfcn.h>
#define DECLARE(name, suffix, arguments) inline result(*name) arguments = nullptr;
DRIVER_FUNCTIONS(DECLARE)

inline void load_driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(9);
    }
    auto find = reinterpret_cast<result (*)(const char*, void**, int, std::uint64_t, int*)>(
        dlsym(library, "cuGetProcAddress_v2"));
    int status;
#define LOOK_UP(name, suffix, arguments) \
    find(#name, reinterpret_cast<void**>(&name), 13000, 0, &status);
    DRIVER_FUNCTIONS(LOOK_UP)
}
#else
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define DECLARE(name, suffix, arguments) extern "C" result name arguments;
DRIVER_FUNCTIONS(DECLARE)

inline void load_driver() {}
#endif

inline void require(result outcome, const char* call) {
    if (outcome == 0) return;
    std::fprintf(stderr, "%s failed with %d\n", call, outcome);
    std::exit(3);
}
#define REQUIRE(call) require(call, #call)

// Initialises CUDA; the context of the first GPU, which becomes current in this thread.
inline void* made_context() {
    void* context;
    REQUIRE(cuInit(0));
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0));
    REQUIRE(cuCtxSetCurrent(context));
    return context;
}

// The kernel of this name, which the fake driver knows from each image.
inline void* kernel(const char* name = "add_one") {
    void *module, *function;
    REQUIRE(cuModuleLoadData(&module, "image"));
    REQUIRE(cuModuleGetFunction(&function, module, name));
    return function;
}

constexpr unsigned non_blocking = 1;  // may be captured beside use of the default stream

inline void* made_stream(unsigned flags = 0) {
    void* stream;
    REQUIRE(cuStreamCreate(&stream, flags));
    return stream;
}
