#include "watari/memory/cuda_kinds.hpp"

#include "watari/core/cuda.hpp"
#include "watari/core/device.hpp"
#include "watari/memory/host.hpp"

#include <algorithm>
#include <mutex>

namespace watari::memory::cuda {

namespace {

/// Bytes of managed memory that this process holds, and bytes free on the GPU when it held none.
struct managed_account {
    std::mutex mutex;
    std::size_t held = 0;
    std::size_t free_at_start = 0;
};

managed_account& account() {
    static managed_account the_account;
    return the_account;
}

/// Throws unless the allocation of `bytes` succeeded; only after a failure it reads the available
/// bytes.
void check_room(cudaError_t status, const char* call, std::size_t bytes, kind k, int device) {
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw beyond_memory(call, bytes, row(k).available(device));
    }
    check(status);
}

}  // namespace

std::string no_gpu(int device) {
    if (device < device::count()) return "";
    if (device::count() == 0) return device::absent_reason();
    return "no gpu:" + std::to_string(device);
}

std::string no_managed(int device) {
    if (const std::string reason = no_gpu(device); !reason.empty()) return reason;
    if (!device::has(device::attribute::managed_memory, device))
        return "the GPU has no managed memory";
    if (!device::has(device::attribute::concurrent_managed_access, device))
        return "concurrentManagedAccess = 0: CPU and GPU cannot use it in turn page by page";
    return "";
}

std::string no_system(int device) {
    if (const std::string reason = no_gpu(device); !reason.empty()) return reason;
    if (!device::has(device::attribute::pageable_memory_access, device))
        return "pageableMemoryAccess = 0: the GPU cannot address malloc's memory (neither ATS nor "
               "HMM; `watari probe` says what HMM lacks)";
    return "";
}

std::size_t available_device(int device) { return device::memory(device).free; }

std::size_t available_managed(int device) {
    managed_account& managed = account();
    const std::lock_guard lock(managed.mutex);
    if (managed.held == 0 || managed.free_at_start == 0)
        managed.free_at_start = device::memory(device).free;
    const std::size_t on_gpu =
        managed.free_at_start - std::min(managed.held, managed.free_at_start);
    return std::min(on_gpu, host::available());
}

void* allocate_pinned(std::size_t bytes, const placement& how) {
    if (!how.places_pages()) {
        void* data = nullptr;
        check_room(cudaMallocHost(&data, bytes), "cudaMallocHost", bytes, kind::pinned, how.device);
        return data;
    }
    // cudaMallocHost takes no location: allocate, place, then register
    void* data = host::allocate(bytes, how);
    const cudaError_t status = cudaHostRegister(data, bytes, cudaHostRegisterDefault);
    if (status != cudaSuccess) host::release(data, bytes, how);
    check_room(status, "cudaHostRegister", bytes, kind::pinned, how.device);
    return data;
}

void* allocate_device(std::size_t bytes, const placement& how) {
    device::use(how.device);
    void* data = nullptr;
    check_room(cudaMalloc(&data, bytes), "cudaMalloc", bytes, kind::device, how.device);
    return data;
}

void* allocate_managed(std::size_t bytes, const placement& how) {
    device::use(how.device);
    void* data = nullptr;
    check_room(cudaMallocManaged(&data, bytes, cudaMemAttachGlobal), "cudaMallocManaged", bytes,
               kind::managed, how.device);
    managed_account& managed = account();
    const std::lock_guard lock(managed.mutex);
    managed.held += bytes;
    return data;
}

void release_pinned(void* data, std::size_t bytes, const placement& how) noexcept {
    if (!how.places_pages()) {
        cudaFreeHost(data);
        return;
    }
    cudaHostUnregister(data);
    host::release(data, bytes, how);
}

void release_device(void* data, std::size_t, const placement&) noexcept { cudaFree(data); }

void release_managed(void* data, std::size_t bytes, const placement&) noexcept {
    managed_account& managed = account();
    const std::lock_guard lock(managed.mutex);
    cudaFree(data);
    managed.held -= bytes;
}

}  // namespace watari::memory::cuda
