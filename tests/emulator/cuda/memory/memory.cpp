// Allocations of each kind.
#include "memory.hpp"

#include <sys/mman.h>
#include <time.h>

#include <map>
#include <mutex>

#include "../observe.hpp"
#include "../setting.hpp"
#include "../streams.hpp"

namespace fake {
namespace {

std::map<device_pointer, allocation> alive;
std::map<int, std::size_t> used;
std::mutex lock;
std::uint64_t last_identifier = 0;

void take_time() {
    const timespec time{0, static_cast<long>(setting("FAKE_CUDA_DELAY_NS"))};
    if (time.tv_nsec) nanosleep(&time, nullptr);
}

result allocate(device_pointer* pointer, std::size_t bytes, kind of, unsigned flags = 0) {
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
    alive[*pointer] = {*pointer, bytes, of, device, flags, ++last_identifier};
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
    if (found->second.of == kind::registered) return invalid_value;
    if (found->second.of == kind::device) used[found->second.device] -= found->second.bytes;
    residency::remove(pointer);
    munmap(reinterpret_cast<void*>(pointer), found->second.bytes);
    alive.erase(found);
    ++counted.frees;
    return success;
}

// As `allocate`, for a call that could break a capture of another thread.
result allocate_now(device_pointer* pointer, std::size_t bytes, kind of, unsigned flags = 0) {
    return breaks_unsafely() ? capture_unsupported : allocate(pointer, bytes, of, flags);
}

result release_now(device_pointer pointer, bool is_host) {
    if (breaks_unsafely()) return capture_unsupported;
    if (pointer) queue::wait_for_all();
    return release(pointer, is_host);
}

result allocate_in(device_pointer* pointer, std::size_t bytes, void* stream) {
    if (!stream_of(stream).captures && breaks_unsafely()) return capture_unsupported;
    if (bytes) return allocate(pointer, bytes, kind::device);
    *pointer = 0;
    return success;
}

// Frees memory when the earlier work of a stream is done.
result release_in(device_pointer pointer, void* stream) {
    if (!stream_of(stream).captures && breaks_unsafely()) return capture_unsupported;
    if (pointer == 0) return success;
    const auto found = find(pointer);
    if (!found || found->begin != pointer || found->of != kind::device) return invalid_value;
    if (stream_of(stream).captures) return release(pointer, false);
    return submit(stream, {.act = [=] { release(pointer, false); }});
}

result register_host(device_pointer pointer, std::size_t bytes, unsigned flags) {
    if (breaks_unsafely()) return capture_unsupported;
    if (current_device() < 0) return invalid_context;
    if (!pointer || bytes == 0) return invalid_value;
    const std::lock_guard hold(lock);
    const auto after = alive.lower_bound(pointer + bytes);
    if (after != alive.begin() &&
        std::prev(after)->second.begin + std::prev(after)->second.bytes > pointer)
        return std::prev(after)->second.of == kind::registered ? already_registered : invalid_value;
    alive[pointer] = {pointer, bytes, kind::registered, current_device(), flags, ++last_identifier};
    return success;
}

result unregister(device_pointer pointer) {
    if (breaks_unsafely()) return capture_unsupported;
    const auto found = find(pointer);
    if (!found) return not_registered;
    if (found->of != kind::registered || found->begin != pointer) return invalid_value;
    queue::wait_for_all();
    const std::lock_guard hold(lock);
    alive.erase(pointer);
    return success;
}

}  // namespace

std::optional<allocation> find(device_pointer pointer) {
    const std::lock_guard hold(lock);
    const auto after = alive.upper_bound(pointer);
    if (after == alive.begin()) return {};
    const allocation& one = std::prev(after)->second;
    if (pointer >= one.begin + one.bytes) return {};
    return one;
}

queue::place place_of(device_pointer pointer) {
    const auto found = find(pointer);
    if (!found) return queue::place::pageable;
    if (found->is_host()) return queue::place::pinned;
    return found->of == kind::managed ? queue::place::managed : queue::place::device;
}

void release_all(int device) {
    std::map<device_pointer, allocation> all;
    {
        const std::lock_guard hold(lock);
        std::erase_if(alive, [](const auto& row) { return row.second.of == kind::registered; });
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

FAKE result cuMemAllocAsync(device_pointer* pointer, std::size_t bytes, void* stream) {
    return observed("cuMemAllocAsync", {bits(pointer), bytes, bits(stream)},
                    [&] { return allocate_in(pointer, bytes, stream); });
}

FAKE result cuMemAllocFromPoolAsync(device_pointer* pointer, std::size_t bytes, void*,
                                    void* stream) {
    return allocate_in(pointer, bytes, stream);
}

FAKE result cuMemFree_v2(device_pointer pointer) {
    return observed("cuMemFree_v2", {pointer}, [&] { return release_now(pointer, false); });
}

FAKE result cuMemFreeAsync(device_pointer pointer, void* stream) {
    return observed("cuMemFreeAsync", {pointer, bits(stream)},
                    [&] { return release_in(pointer, stream); });
}

FAKE result cuMemAllocManaged(device_pointer* pointer, std::size_t bytes, unsigned flags) {
    if (is_refused("cuMemAllocManaged")) return not_supported;
    if (flags != 1 && flags != 2) return invalid_value;
    return observed("cuMemAllocManaged", {bits(pointer), bytes, flags},
                    [&] { return allocate_now(pointer, bytes, kind::managed); });
}

FAKE result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    if (is_refused("cuMemHostAlloc")) return not_supported;
    return observed("cuMemHostAlloc", {bits(pointer), bytes, flags}, [&] {
        return allocate_now(reinterpret_cast<device_pointer*>(pointer), bytes, kind::pinned, flags);
    });
}

FAKE result cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
    return cuMemHostAlloc(pointer, bytes, 0);
}

FAKE result cuMemFreeHost(void* pointer) {
    return observed("cuMemFreeHost", {bits(pointer)},
                    [&] { return release_now(bits(pointer), true); });
}

FAKE result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
    if (is_refused("cuMemHostRegister")) return not_supported;
    return observed("cuMemHostRegister_v2", {bits(pointer), bytes, flags},
                    [&] { return register_host(bits(pointer), bytes, flags); });
}

FAKE result cuMemHostUnregister(void* pointer) {
    return observed("cuMemHostUnregister", {bits(pointer)},
                    [&] { return unregister(bits(pointer)); });
}

FAKE result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    if (current_device() < 0) return invalid_context;
    const std::lock_guard hold(lock);
    *total = memory_of_device();
    *free = *total - used[current_device()];
    return success;
}
