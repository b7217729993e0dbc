// The driver's functions, looked up as the CUDA runtime does: with the fake driver and with a
// GPU's.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cuda {

using result = int;
using device_pointer = unsigned long long;

inline void* find(const char* name, bool is_per_thread, int version = 12000) {
    using lookup = result (*)(const char*, void**, int, std::uint64_t, int*);
    static const auto look_up = [] {
        dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
        void* found = dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2");
        if (!found) std::fprintf(stderr, "no driver: %s\n", dlerror());
        if (!found) std::exit(9);
        return reinterpret_cast<lookup>(found);
    }();
    void* function = nullptr;
    int status = 0;
    look_up(name, &function, version, is_per_thread ? 2 : 1, &status);
    if (!function) std::fprintf(stderr, "the driver has no %s\n", name);
    if (!function) std::exit(9);
    return function;
}

// CUDA_MEMCPY2D_v2 and CUDA_MEMCPY3D_v2
struct end {
    unsigned type;
    void* host;
    device_pointer device;
    void* array;
};
struct rectangle {
    std::size_t from_x, from_y;
    end from;
    std::size_t from_pitch, to_x, to_y;
    end to;
    std::size_t to_pitch, width, height;
};
struct cuboid {
    std::size_t from_x, from_y, from_z, from_level;
    end from;
    void* from_unused;
    std::size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
    end to;
    void* to_unused;
    std::size_t to_pitch, to_height, width, height, depth;
};

#define DRIVER_CALL(name, parameters, per_thread, function) \
    inline auto name = reinterpret_cast<result(*) parameters>(find(function, per_thread));

#define DRIVER_CALLS(X)                                                                           \
    X(init, (unsigned), false, "cuInit")                                                          \
    X(retain_context, (void**, int), false, "cuDevicePrimaryCtxRetain")                           \
    X(set_context, (void*), false, "cuCtxSetCurrent")                                             \
    X(await_all, (), false, "cuCtxSynchronize")                                                   \
    X(release, (device_pointer), false, "cuMemFree")                                              \
    X(reset_context, (int), false, "cuDevicePrimaryCtxReset")                                     \
    X(allocate, (device_pointer*, std::size_t), false, "cuMemAlloc")                              \
    X(allocate_managed, (device_pointer*, std::size_t, unsigned), false, "cuMemAllocManaged")     \
    X(allocate_pinned, (void**, std::size_t, unsigned), false, "cuMemHostAlloc")                  \
    X(enroll, (void*, std::size_t, unsigned), false, "cuMemHostRegister")                         \
    X(kind_of, (void*, int, device_pointer), false, "cuPointerGetAttribute")                      \
    X(create_stream, (void**, unsigned), false, "cuStreamCreate")                                 \
    X(await, (void*), false, "cuStreamSynchronize")                                               \
    X(follow, (void*, void*, unsigned), false, "cuStreamWaitEvent")                               \
    X(begin_capture, (void*, int), false, "cuStreamBeginCapture")                                 \
    X(end_capture, (void*, void**), false, "cuStreamEndCapture")                                  \
    X(create_event, (void**, unsigned), false, "cuEventCreate")                                   \
    X(record, (void*, void*), false, "cuEventRecord")                                             \
    X(call_host, (void*, void (*)(void*), void*), false, "cuLaunchHostFunc")                      \
    X(set, (device_pointer, unsigned char, std::size_t, void*), false, "cuMemsetD8Async")         \
    X(in, (device_pointer, const void*, std::size_t), false, "cuMemcpyHtoD")                      \
    X(out, (void*, device_pointer, std::size_t), false, "cuMemcpyDtoH")                           \
    X(in_async, (device_pointer, const void*, std::size_t, void*), false, "cuMemcpyHtoDAsync")    \
    X(out_async, (void*, device_pointer, std::size_t, void*), false, "cuMemcpyDtoHAsync")         \
    X(any, (device_pointer, device_pointer, std::size_t), false, "cuMemcpy")                      \
    X(any_async, (device_pointer, device_pointer, std::size_t, void*), false, "cuMemcpyAsync")    \
    X(rows, (const rectangle*), false, "cuMemcpy2DUnaligned")                                     \
    X(rows_async, (const rectangle*, void*), false, "cuMemcpy2DAsync")                            \
    X(slices, (const cuboid*), false, "cuMemcpy3D")                                               \
    X(slices_async, (const cuboid*, void*), false, "cuMemcpy3DAsync")                             \
    X(own_rows, (const rectangle*), true, "cuMemcpy2DUnaligned")                                  \
    X(own_rows_async, (const rectangle*, void*), true, "cuMemcpy2DAsync")                         \
    X(own_in, (device_pointer, const void*, std::size_t), true, "cuMemcpyHtoD")                   \
    X(own_out, (void*, device_pointer, std::size_t), true, "cuMemcpyDtoH")                        \
    X(own_any, (device_pointer, device_pointer, std::size_t), true, "cuMemcpy")                   \
    X(own_in_async, (device_pointer, const void*, std::size_t, void*), true, "cuMemcpyHtoDAsync") \
    X(own_out_async, (void*, device_pointer, std::size_t, void*), true, "cuMemcpyDtoHAsync")      \
    X(own_any_async, (device_pointer, device_pointer, std::size_t, void*), true, "cuMemcpyAsync")

DRIVER_CALLS(DRIVER_CALL)

}  // namespace cuda

inline void require(cuda::result outcome, const char* call) {
    if (outcome == 0) return;
    std::fprintf(stderr, "%s: error %d\n", call, outcome);
    std::exit(3);
}
#define REQUIRE(call) require(call, #call)

constexpr std::size_t mib = 1 << 20;

// Makes the context of the first GPU current in this thread.
inline void begin() {
    void* context;
    REQUIRE(cuda::init(0));
    REQUIRE(cuda::retain_context(&context, 0));
    REQUIRE(cuda::set_context(context));
}

inline cuda::device_pointer allocated(std::size_t bytes) {
    cuda::device_pointer device;
    REQUIRE(cuda::allocate(&device, bytes));
    return device;
}

// Without flags, a stream waits for the legacy default stream; 1: it does not.
inline void* stream(unsigned flags = 1) {
    void* made;
    REQUIRE(cuda::create_stream(&made, flags));
    return made;
}

template <typename Work>
double milliseconds(Work work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
    return took.count();
}
