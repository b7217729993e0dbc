// The driver's functions that this library replaces, as cuda.h declares them, and the driver's own
// function behind each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../driver/driver.hpp"
#include "../driver/real.hpp"
#include "replaced.hpp"

namespace attach {

using driver::device_pointer;
using driver::pool;
using driver::result;
using driver::stream;

extern "C" {
#pragma GCC visibility push(default)
// replaced.cpp
result cuGetProcAddress(const char* name, void** found, int version, std::uint64_t flags);
result cuGetProcAddress_v2(const char* name, void** found, int version, std::uint64_t flags,
                           int* status);
// allocations.cpp
result cuInit(unsigned flags);
result cuMemAlloc_v2(device_pointer* pointer, std::size_t bytes);
result cuMemAllocPitch_v2(device_pointer* pointer, std::size_t* pitch, std::size_t width,
                          std::size_t height, unsigned element);
result cuMemAllocAsync(device_pointer* pointer, std::size_t bytes, stream on);
result cuMemAllocAsync_ptsz(device_pointer* pointer, std::size_t bytes, stream on);
result cuMemAllocFromPoolAsync(device_pointer* pointer, std::size_t bytes, pool from, stream on);
result cuMemAllocFromPoolAsync_ptsz(device_pointer* pointer, std::size_t bytes, pool from,
                                    stream on);
result cuMemAllocHost_v2(void** pointer, std::size_t bytes);
result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
result cuMemAllocManaged(device_pointer* pointer, std::size_t bytes, unsigned flags);
result cuMemFree_v2(device_pointer pointer);
result cuMemFreeAsync(device_pointer pointer, stream on);
result cuMemFreeAsync_ptsz(device_pointer pointer, stream on);
result cuMemFreeHost(void* pointer);
// captures.cpp
result cuStreamBeginCapture_v2(stream on, int mode);
result cuStreamBeginCapture_v2_ptsz(stream on, int mode);
result cuStreamBeginCaptureToGraph(stream on, void* graph, const void* after, const void* edges,
                                   std::size_t count, int mode);
result cuStreamBeginCaptureToGraph_ptsz(stream on, void* graph, const void* after,
                                        const void* edges, std::size_t count, int mode);
result cuStreamEndCapture(stream on, void** graph);
result cuStreamEndCapture_ptsz(stream on, void** graph);
// contexts.cpp
result cuDevicePrimaryCtxRetain(void** context, driver::device of);
result cuDevicePrimaryCtxReset_v2(driver::device of);
result cuDevicePrimaryCtxRelease_v2(driver::device of);
result cuCtxDestroy_v2(void* context);
result cuStreamDestroy_v2(stream on);
// shared.cpp
result cuMemCreate(void* handle, std::size_t bytes, const void* properties,
                   unsigned long long flags);
result cuIpcGetMemHandle(void* handle, device_pointer pointer);
result cuMemGetHandleForAddressRange(void* handle, device_pointer pointer, std::size_t bytes,
                                     int type, unsigned long long flags);
result cuMemPoolExportPointer(void* data, device_pointer pointer);
result cuMemPoolExportToShareableHandle(void* handle, pool from, int type,
                                        unsigned long long flags);
result cuMulticastBindAddr(unsigned long long to, std::size_t offset, device_pointer pointer,
                           std::size_t bytes, unsigned long long flags);
result cuPointerSetAttribute(const void* value, int attribute, device_pointer pointer);
// pooled/questions.cpp
result cuMemGetInfo_v2(std::size_t* free, std::size_t* total);
result cuMemGetAddressRange_v2(device_pointer* base, std::size_t* bytes, device_pointer pointer);
result cuPointerGetAttribute(void* value, int attribute, device_pointer pointer);
result cuPointerGetAttributes(unsigned count, int* attributes, void** values,
                              device_pointer pointer);
// pooled/retried.cpp
result cuArrayCreate_v2(void** made, const void* described);
result cuArray3DCreate_v2(void** made, const void* described);
result cuMipmappedArrayCreate(void** made, const void* described, unsigned levels);
result cuModuleLoadData(void** made, const void* image);
result cuModuleLoadDataEx(void** made, const void* image, unsigned count, int* options,
                          void** values);
result cuModuleLoadFatBinary(void** made, const void* image);
result cuLibraryLoadData(void** made, const void* code, int* options, void** values, unsigned count,
                         int* of_library, void** library_values, unsigned library_count);
result cuKernelGetFunction(void** function, void* kernel);
result cuStreamCreate(void** made, unsigned flags);
result cuStreamCreateWithPriority(void** made, unsigned flags, int priority);
result cuCtxSetLimit(int which, std::size_t value);
result cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long flags);
result cuGraphInstantiateWithParams(void** made, void* graph, void* parameters);
result cuGraphInstantiateWithParams_ptsz(void** made, void* graph, void* parameters);
result cuGraphLaunch(void* graph, stream on);
result cuGraphLaunch_ptsz(void* graph, stream on);
// staged/calls/copies.cpp
result cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes);
result cuMemcpyHtoD_v2_ptds(device_pointer to, const void* from, std::size_t bytes);
result cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes);
result cuMemcpyDtoH_v2_ptds(void* to, device_pointer from, std::size_t bytes);
result cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, stream on);
result cuMemcpyHtoDAsync_v2_ptsz(device_pointer to, const void* from, std::size_t bytes, stream on);
result cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, stream on);
result cuMemcpyDtoHAsync_v2_ptsz(void* to, device_pointer from, std::size_t bytes, stream on);
result cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes);
result cuMemcpy_ptds(device_pointer to, device_pointer from, std::size_t bytes);
result cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, stream on);
result cuMemcpyAsync_ptsz(device_pointer to, device_pointer from, std::size_t bytes, stream on);
// staged/calls/batches.cpp
result cuMemcpyBatchAsync(const device_pointer* to, const device_pointer* from,
                          const std::size_t* bytes, std::size_t count,
                          const driver::batch_attributes* attributes, const std::size_t* firsts,
                          std::size_t kinds, std::size_t* failed, stream on);
result cuMemcpyBatchAsync_ptsz(const device_pointer* to, const device_pointer* from,
                               const std::size_t* bytes, std::size_t count,
                               const driver::batch_attributes* attributes,
                               const std::size_t* firsts, std::size_t kinds, std::size_t* failed,
                               stream on);
result cuMemcpyBatchAsync_v2(const device_pointer* to, const device_pointer* from,
                             const std::size_t* bytes, std::size_t count,
                             const driver::batch_attributes* attributes, const std::size_t* firsts,
                             std::size_t kinds, stream on);
result cuMemcpyBatchAsync_v2_ptsz(const device_pointer* to, const device_pointer* from,
                                  const std::size_t* bytes, std::size_t count,
                                  const driver::batch_attributes* attributes,
                                  const std::size_t* firsts, std::size_t kinds, stream on);
// staged/calls/imports.cpp
result cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned flags);
result cuMemHostUnregister(void* host);
result cuIpcOpenMemHandle_v2(device_pointer* pointer, driver::shared_handle handle, unsigned flags);
result cuIpcCloseMemHandle(device_pointer pointer);
result cuExternalMemoryGetMappedBuffer(device_pointer* pointer, void* memory,
                                       const unsigned long long* described);
result cuMemPoolImportPointer(device_pointer* pointer, pool from, void* data);
result cuMemImportFromShareableHandle(unsigned long long* handle, void* from, int kind);
result cuMemRelease(unsigned long long handle);
result cuMemMap(device_pointer pointer, std::size_t bytes, std::size_t offset,
                unsigned long long handle, unsigned long long flags);
result cuMemUnmap(device_pointer pointer, std::size_t bytes);
// staged/calls/rectangles.cpp
result cuMemcpy2D_v2(const driver::rectangle* asked);
result cuMemcpy2D_v2_ptds(const driver::rectangle* asked);
result cuMemcpy2DUnaligned_v2(const driver::rectangle* asked);
result cuMemcpy2DUnaligned_v2_ptds(const driver::rectangle* asked);
result cuMemcpy2DAsync_v2(const driver::rectangle* asked, stream on);
result cuMemcpy2DAsync_v2_ptsz(const driver::rectangle* asked, stream on);
result cuMemcpy3D_v2(const driver::cuboid* asked);
result cuMemcpy3D_v2_ptds(const driver::cuboid* asked);
result cuMemcpy3DAsync_v2(const driver::cuboid* asked, stream on);
result cuMemcpy3DAsync_v2_ptsz(const driver::cuboid* asked, stream on);
// prefetched/launches.cpp
result cuLaunchKernel(const void* function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                      unsigned threads_y, unsigned threads_z, unsigned shared, stream on,
                      void** parameters, void** extra);
result cuLaunchKernel_ptsz(const void* function, unsigned x, unsigned y, unsigned z,
                           unsigned threads_x, unsigned threads_y, unsigned threads_z,
                           unsigned shared, stream on, void** parameters, void** extra);
result cuLaunchKernelEx(const driver::launch* how, const void* function, void** parameters,
                        void** extra);
result cuLaunchKernelEx_ptsz(const driver::launch* how, const void* function, void** parameters,
                             void** extra);
result cuModuleUnload(void* module);
result cuLibraryUnload(void* library);
#pragma GCC visibility pop
}

// The driver's own function, as found by a program's lookup, or by the first call of a program that
// links libcuda.
template <auto* Replacement>
void* real_slot = nullptr;

template <class Function>
struct absent;
template <class... Arguments>
struct absent<result(Arguments...)> {
    static result call(Arguments...) { return driver::not_initialized; }
};

// The driver's own function behind a replacement. Never null: without a driver, the function
// returns not_initialized.
template <auto* Replacement>
auto* real() {
    using function = std::remove_pointer_t<decltype(Replacement)>;
    void* known = __atomic_load_n(&real_slot<Replacement>, __ATOMIC_ACQUIRE);
    if (!known) {
        known = driver_symbol(symbol_of(reinterpret_cast<void*>(Replacement)));
        __atomic_store_n(&real_slot<Replacement>, known, __ATOMIC_RELEASE);
    }
    return known ? reinterpret_cast<function*>(known) : &absent<function>::call;
}

}  // namespace attach
