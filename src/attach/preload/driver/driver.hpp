// The part of CUDA's driver interface that the preloaded library replaces or calls, as cuda.h has
// it (CUDA 12 and 13 have the same binary interface for these names). Declared here, so that the
// library builds on a machine without CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach::driver {

using result = int;  // CUresult
using device_pointer = unsigned long long;
using device = int;
using stream = void*;
using pool = void*;

// CUlaunchConfig
struct launch {
    unsigned x, y, z, threads_x, threads_y, threads_z, shared;
    stream on;
    void* attributes;
    unsigned count;
};

// CUDA_MEMCPY2D_v2
struct rectangle {
    std::size_t from_x, from_y;
    unsigned from_type;
    const void* from_host;
    device_pointer from;
    void* from_array;
    std::size_t from_pitch, to_x, to_y;
    unsigned to_type;
    void* to_host;
    device_pointer to;
    void* to_array;
    std::size_t to_pitch, width, height;
};

// CUDA_MEMCPY3D_v2
struct cuboid {
    std::size_t from_x, from_y, from_z, from_level;
    unsigned from_type;
    const void* from_host;
    device_pointer from;
    void *from_array, *from_unused;
    std::size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
    unsigned to_type;
    void* to_host;
    device_pointer to;
    void *to_array, *to_unused;
    std::size_t to_pitch, to_height, width, height, depth;
};
// CUipcMemHandle
struct shared_handle {
    char bytes[64];
};

// CUmemcpyAttributes
struct batch_attributes {
    int order;  // in which the sources are read
    struct {
        int type, id;
    } from_hint, to_hint;
    unsigned flags;
};
constexpr int order_of_stream = 1, order_any = 3;  // CU_MEMCPY_SRC_ACCESS_ORDER_*

constexpr unsigned host_memory = 1, device_memory = 2, any_memory = 4;  // CU_MEMORYTYPE_*

constexpr result success = 0;
constexpr result invalid_value = 1;
constexpr result out_of_memory = 2;
constexpr result not_initialized = 3;
constexpr result not_supported = 801;
constexpr result capture_invalidated = 901;
constexpr result capture_unjoined = 904;

constexpr int relaxed_capture = 2;                    // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr unsigned attach_global = 1;                 // CU_MEM_ATTACH_GLOBAL
constexpr unsigned host_portable_and_mapped = 1 | 2;  // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP
constexpr device cpu_device = -1;                     // CU_DEVICE_CPU
constexpr int advise_read_mostly = 1;                 // CU_MEM_ADVISE_SET_READ_MOSTLY
constexpr int advise_preferred_location = 3;          // CU_MEM_ADVISE_SET_PREFERRED_LOCATION
constexpr int advise_accessed_by = 5;                 // CU_MEM_ADVISE_SET_ACCESSED_BY
constexpr int attribute_managed_memory = 83;          // CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
constexpr int attribute_pageable_access = 88;         // CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS
constexpr int attribute_concurrent_managed = 89;   // CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
constexpr std::uintptr_t stream_of_thread = 2;     // CU_STREAM_PER_THREAD
constexpr int attribute_sync_memops = 6;           // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
constexpr int first_version_of_64_bits = 3020;     // cuMemAlloc_v2; before it sizes had 32 bits
constexpr int first_version_of_modes = 10010;      // cuStreamBeginCapture_v2
constexpr int first_version_of_shared_v2 = 11000;  // cuIpcOpenMemHandle_v2
constexpr int first_version_of_batch_v2 = 13000;   // cuMemcpyBatchAsync_v2
constexpr int first_version_of_v2_lookup = 12000;  // cuGetProcAddress_v2
constexpr std::uint64_t per_thread_stream = 2;     // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

}  // namespace attach::driver
