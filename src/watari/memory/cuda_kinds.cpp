#include "watari/memory/cuda_kinds.hpp"

#include "watari/core/cuda.hpp"
#include "watari/core/device.hpp"
#include "watari/memory/host.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace watari::memory::cuda {

namespace {

/// Managed allocations of this process: their sizes, and what was free before the first.
struct managed_account {
    std::mutex mutex;
    std::map<void*, std::size_t> sizes;
    std::size_t held = 0;
    std::size_t free_at_start = 0;
};

/// Pinned memory that malloc gave and CUDA registered; the rest is cudaMallocHost's.
struct registered_blocks {
    std::mutex mutex;
    std::set<void*> blocks;
};

registered_blocks& registered() {
    static registered_blocks the_blocks;
    return the_blocks;
}

managed_account& account() {
    static managed_account the_account;
    return the_account;
}

void* checked(void* data, cudaError_t status, const char* call, std::size_t bytes,
              std::size_t available) {
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw beyond_memory(call, bytes, available);
    }
    check(status);
    return data;
}

}  // namespace

std::string no_gpu(int device) {
    if (device < device::count()) return "";
    if (device::count() == 0) return device::absent_reason();
    return "no gpu:" + std::to_string(device);
}

std::string no_managed(int device) {
    if (const std::string reason = no_gpu(device); !reason.empty()) return reason;
    if (!device::attribute("managedMemory", device)) return "the GPU has no managed memory";
    if (!device::attribute("concurrentManagedAccess", device))
        return "concurrentManagedAccess = 0: CPU and GPU cannot use it in turn page by page";
    return "";
}

std::string no_system(int device) {
    if (const std::string reason = no_gpu(device); !reason.empty()) return reason;
    if (!device::attribute("pageableMemoryAccess", device))
        return "pageableMemoryAccess = 0: the GPU cannot address malloc's memory (neither ATS nor "
               "HMM; `watari probe` says what HMM lacks)";
    return "";
}

std::size_t available_device(int device) { return device::memory(device).free; }

std::size_t available_managed(int device) {
    managed_account& managed = account();
    const std::lock_guard lock(managed.mutex);
    if (managed.sizes.empty()) managed.free_at_start = device::memory(device).free;
    const std::size_t on_gpu =
        managed.free_at_start - std::min(managed.held, managed.free_at_start);
    return std::min(on_gpu, host::available());
}

void* allocate_pinned(std::size_t bytes, const placement& how) {
    if (how.numa_node < 0 && how.thp == huge_pages::as_set) {
        void* data = nullptr;
        const cudaError_t status = cudaMallocHost(&data, bytes);
        return checked(data, status, "cudaMallocHost", bytes, host::available());
    }
    // cudaMallocHost cannot be told where: malloc, place, then register
    void* data = host::allocate(bytes, how);
    const cudaError_t status = cudaHostRegister(data, bytes, cudaHostRegisterDefault);
    if (status != cudaSuccess) host::release(data);
    checked(data, status, "cudaHostRegister", bytes, host::available());
    const std::lock_guard lock(registered().mutex);
    return *registered().blocks.insert(data).first;
}

void* allocate_device(std::size_t bytes, const placement& how) {
    device::use(how.device);
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, bytes);
    return checked(data, status, "cudaMalloc", bytes, available_device(how.device));
}

void* allocate_managed(std::size_t bytes, const placement& how) {
    device::use(how.device);
    void* data = nullptr;
    const cudaError_t status = cudaMallocManaged(&data, bytes, cudaMemAttachGlobal);
    checked(data, status, "cudaMallocManaged", bytes, 0);
    managed_account& managed = account();
    const std::lock_guard lock(managed.mutex);
    managed.sizes[data] = bytes;
    managed.held += bytes;
    return data;
}

void release_pinned(void* data) noexcept {
    const std::lock_guard lock(registered().mutex);
    if (registered().blocks.erase(data) == 0) {
        cudaFreeHost(data);
        return;
    }
    cudaHostUnregister(data);
    host::release(data);
}

void release_device(void* data) noexcept { cudaFree(data); }

void release_managed(void* data) noexcept {
    managed_account& managed = account();
    const std::lock_guard lock(managed.mutex);
    managed.held -= managed.sizes[data];
    managed.sizes.erase(data);
    cudaFree(data);
}

}  // namespace watari::memory::cuda
