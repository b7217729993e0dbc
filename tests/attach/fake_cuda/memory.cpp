// Allocations of each kind, pointers, hints.
#include <sys/mman.h>
#include <time.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "fake_cuda.hpp"
#include "observe.hpp"

namespace fake {
namespace {

struct allocation {
    std::size_t bytes;
    kind of;
    int device;
};
std::map<device_pointer, allocation> alive;
std::map<int, std::size_t> used;
std::mutex lock;

std::size_t memory_of_device() {
    const char* text = std::getenv("FAKE_CUDA_MEMORY");
    return text && *text ? std::strtoull(text, nullptr, 10) : std::size_t{1} << 30;
}

void take_time() {
    const char* text = std::getenv("FAKE_CUDA_DELAY_NS");
    if (!text) return;
    const timespec time{0, std::atol(text)};
    nanosleep(&time, nullptr);
}

result allocate(device_pointer* pointer, std::size_t bytes, kind of) {
    if (!is_initialised()) return not_initialized;
    if (current_device() < 0) return invalid_context;
    if (!pointer || bytes == 0) return invalid_value;
    take_time();
    const std::lock_guard hold(lock);
    const int device = current_device();
    if (of == kind::device && used[device] + bytes > memory_of_device()) return out_of_memory;
    // unmapped when freed: a later use ends the program
    const int sharing = of == kind::managed && fake_cuda_observer ? MAP_SHARED : MAP_PRIVATE;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return out_of_memory;
    *pointer = reinterpret_cast<device_pointer>(memory);
    alive[*pointer] = {bytes, of, device};
    if (of == kind::managed) residency::add(*pointer, bytes);
    if (of == kind::device) used[device] += bytes;
    ++counted.allocations;
    return success;
}

result release(device_pointer pointer, bool is_host) {
    if (pointer == 0) return success;
    const std::lock_guard hold(lock);
    const auto found = alive.find(pointer);
    if (found == alive.end() || (found->second.of == kind::pinned) != is_host) return invalid_value;
    if (found->second.of == kind::device) used[found->second.device] -= found->second.bytes;
    residency::remove(pointer);
    munmap(reinterpret_cast<void*>(pointer), found->second.bytes);
    alive.erase(found);
    ++counted.frees;
    return success;
}

// As `allocate`, for a call that could break a capture of another thread.
result allocate_now(device_pointer* pointer, std::size_t bytes, kind of) {
    return is_forbidden() ? capture_unsupported : allocate(pointer, bytes, of);
}

result release_now(device_pointer pointer, bool is_host) {
    return is_forbidden() ? capture_unsupported : release(pointer, is_host);
}

const allocation* find(device_pointer pointer) {
    auto after = alive.upper_bound(pointer);
    if (after == alive.begin()) return nullptr;
    --after;
    return pointer < after->first + after->second.bytes ? &after->second : nullptr;
}

// Shares memory with other processes or devices: GPU memory alone.
result share(device_pointer pointer) {
    const std::lock_guard hold(lock);
    const allocation* found = find(pointer);
    if (!found || found->of != kind::device) return invalid_value;
    ++counted.shares;
    return success;
}

}  // namespace

void release_all(int device) {
    std::map<device_pointer, allocation> all;
    {
        const std::lock_guard hold(lock);
        all = alive;
    }
    for (const auto& [pointer, one] : all)
        if (one.device == device) release(pointer, one.of == kind::pinned);
}

}  // namespace fake

using namespace fake;

FAKE result cuMemAlloc_v2(device_pointer* pointer, std::size_t bytes) {
    return observed("cuMemAlloc_v2", {bits(pointer), bytes}, [&] {
        return is_refused("cuMemAlloc") ? not_supported
                                        : allocate_now(pointer, bytes, kind::device);
    });
}

FAKE result cuMemAllocPitch_v2(device_pointer* pointer, std::size_t* pitch, std::size_t width,
                               std::size_t height, unsigned) {
    *pitch = (width + 511) / 512 * 512;
    return allocate_now(pointer, *pitch * height, kind::device);
}

FAKE result cuMemAllocAsync(device_pointer* pointer, std::size_t bytes, void*) {
    return allocate(pointer, bytes, kind::device);
}

FAKE result cuMemAllocAsync_ptsz(device_pointer* pointer, std::size_t bytes, void*) {
    return allocate(pointer, bytes, kind::device);
}

FAKE result cuMemAllocFromPoolAsync(device_pointer* pointer, std::size_t bytes, void*, void*) {
    return allocate(pointer, bytes, kind::device);
}

FAKE result cuMemPoolCreate(void** pool, const void*) {
    *pool = std::malloc(1);
    return success;
}

FAKE result cuMemPoolDestroy(void* pool) {
    std::free(pool);
    return success;
}

FAKE result cuMemFree_v2(device_pointer pointer) {
    return observed("cuMemFree_v2", {pointer}, [&] {
        if (!is_forbidden()) timeline::wait_until(timeline::end_of_all());
        return release_now(pointer, false);
    });
}

FAKE result cuMemFreeAsync(device_pointer pointer, void*) { return release(pointer, false); }

FAKE result cuMemFreeAsync_ptsz(device_pointer pointer, void*) { return release(pointer, false); }

FAKE result cuMemAllocManaged(device_pointer* pointer, std::size_t bytes, unsigned flags) {
    if (is_refused("cuMemAllocManaged")) return not_supported;
    if (flags != 1 && flags != 2) return invalid_value;
    return observed("cuMemAllocManaged", {bits(pointer), bytes, flags},
                    [&] { return allocate_now(pointer, bytes, kind::managed); });
}

FAKE result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
    if (is_refused("cuMemHostAlloc")) return not_supported;
    return allocate_now(reinterpret_cast<device_pointer*>(pointer), bytes, kind::pinned);
}

FAKE result cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
    return cuMemHostAlloc(pointer, bytes, 0);
}

FAKE result cuMemFreeHost(void* pointer) {
    return release_now(reinterpret_cast<device_pointer>(pointer), true);
}

FAKE result cuMemHostGetDevicePointer_v2(device_pointer* pointer, void* host, unsigned) {
    *pointer = reinterpret_cast<device_pointer>(host);
    return success;
}

FAKE result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    if (current_device() < 0) return invalid_context;
    const std::lock_guard hold(lock);
    *total = memory_of_device();
    *free = *total - used[current_device()];
    return success;
}

FAKE result cuMemGetAddressRange_v2(device_pointer* base, std::size_t* bytes,
                                    device_pointer pointer) {
    const std::lock_guard hold(lock);
    auto after = alive.upper_bound(pointer);
    if (after == alive.begin() || !find(pointer)) return not_found;
    --after;
    if (base) *base = after->first;
    if (bytes) *bytes = after->second.bytes;
    return success;
}

// CU_POINTER_ATTRIBUTE_MEMORY_TYPE (host 1, device 2), _IS_MANAGED.
FAKE result cuPointerGetAttribute(void* value, int attribute, device_pointer pointer) {
    const std::lock_guard hold(lock);
    const allocation* found = find(pointer);
    if (!found) return invalid_value;
    if (attribute == 2)
        *static_cast<unsigned*>(value) = found->of == kind::pinned ? 1 : 2;
    else if (attribute == 8)
        *static_cast<unsigned*>(value) = found->of == kind::managed;
    else
        return not_supported;
    return success;
}

FAKE result cuIpcGetMemHandle(void* handle, device_pointer pointer) {
    std::memset(handle, 0, 64);
    return share(pointer);
}

FAKE result cuMemGetHandleForAddressRange(void*, device_pointer pointer, std::size_t, int,
                                          unsigned long long) {
    return share(pointer);
}

FAKE result cuMemPoolExportPointer(void* data, device_pointer pointer) {
    std::memset(data, 0, 64);
    return share(pointer);
}

FAKE result cuMemPoolExportToShareableHandle(void*, void*, int, unsigned long long) {
    return success;
}

FAKE result cuMulticastBindAddr(unsigned long long, std::size_t, device_pointer pointer,
                                std::size_t, unsigned long long) {
    return share(pointer);
}

// CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
FAKE result cuPointerSetAttribute(const void*, int attribute, device_pointer pointer) {
    return attribute == 6 ? share(pointer) : not_supported;
}

FAKE result cuMemPoolTrimTo(void*, std::size_t) { return success; }

FAKE result cuMemCreate(unsigned long long* handle, std::size_t bytes, const void*,
                        unsigned long long) {
    *handle = bytes;
    return success;
}

FAKE result cuMemRelease(unsigned long long) { return success; }

FAKE result cuMemAdvise(device_pointer pointer, std::size_t bytes, int advice, int device) {
    const std::lock_guard hold(lock);
    const allocation* found = find(pointer);
    if (!found || found->of != kind::managed) return invalid_value;
    ++counted.advices;
    residency::advise(pointer, bytes, advice, device);
    return success;
}

// CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, _PREFERRED_LOCATION
FAKE result cuMemRangeGetAttribute(void* value, std::size_t, int attribute, device_pointer pointer,
                                   std::size_t) {
    bool is_read_mostly = false;
    int preferred = residency::no_device;
    if (!residency::hints(pointer, is_read_mostly, preferred)) return invalid_value;
    if (attribute != 1 && attribute != 2) return not_supported;
    *static_cast<int*>(value) = attribute == 1 ? is_read_mostly : preferred;
    return success;
}

FAKE result cuMemPrefetchAsync(device_pointer pointer, std::size_t bytes, int to, void* stream) {
    if (is_refused("cuMemPrefetchAsync")) return not_supported;
    const std::initializer_list<std::uint64_t> parameters = {
        pointer, bytes, pair(static_cast<unsigned>(to), 0), bits(stream)};
    return observed("cuMemPrefetchAsync", parameters, [&] {
        const std::lock_guard hold(lock);
        const allocation* found = find(pointer);
        if (!found || found->of != kind::managed) return invalid_value;
        ++counted.prefetches;
        residency::prefetch(pointer, bytes, to >= 0);
        return success;
    });
}
