// Replacements of the functions that allocate and release: they name each allocation, make it in
// the style of this process, and record it.
#include "../driver/device.hpp"
#include "../log/event_log.hpp"
#include "../log/gains.hpp"
#include "../log/lock.hpp"
#include "../pooled/pooled.hpp"
#include "../prefetched/prefetched.hpp"
#include "../staged/memory/known.hpp"
#include "../styles/changes.hpp"
#include "../styles/hints.hpp"
#include "../styles/managed.hpp"
#include "../styles/memory.hpp"
#include "functions.hpp"

namespace attach {
namespace {

// Each thread has its own default stream: memory freed on one cannot be reused on another.
using driver::stream_of_thread;
stream own_stream(stream on) { return on ? on : reinterpret_cast<stream>(stream_of_thread); }

void record(const request& asked, std::uint64_t begun, device_pointer pointer, bool is_moved,
            result outcome) {
    if (!memory_log_folder()) return;
    const std::uint64_t took = now() - begun;
    const int device = current_device();
    const kind as = is_moved ? chosen_style().device_becomes : asked.of;
    event line("alloc", begun);
    line.text("api", asked.api).hash("site", asked.name.site).number("n", asked.name.ordinal);
    line.pointer("ptr", outcome == driver::success ? pointer : 0);
    line.number("bytes", static_cast<long long>(asked.bytes));
    line.text("kind", kind_names[static_cast<int>(asked.of)]);
    line.text("as", kind_names[static_cast<int>(as)]).number("device", device);
    line.pointer("context", reinterpret_cast<std::uintptr_t>(current_context()));
    if (asked.from) line.pointer("pool", reinterpret_cast<std::uintptr_t>(asked.from));
    line.seconds("s", took).number("rc", outcome);
    const guard hold;
    line.write();
}

// The walk through the call stack takes longer than all the rest.
allocation_name name_if_needed(kind of) {
    const bool needed = names_allocations() || (of == kind::managed && prefetched::is_on());
    return needed ? name_allocation() : allocation_name{};
}

// Allocates GPU memory: in the style of this process, or as the driver makes it.
template <class AsIs>
result allocate_device(request asked, device_pointer* pointer, AsIs as_is) {
    asked.name = name_if_needed(asked.of);
    const bool moved = pointer && is_moved(asked);
    const std::uint64_t begun = now();
    const result outcome =
        moved ? allocate(asked, pointer) : pooled::allocate(asked, pointer, as_is);
    record(asked, begun, pointer ? *pointer : 0, moved, outcome);
    return outcome;
}

template <class AsIs>
result allocate_host(const char* api, void** pointer, std::size_t bytes, AsIs as_is) {
    const request asked{api, kind::pinned, bytes, name_if_needed(kind::pinned)};
    const std::uint64_t begun = now();
    const result outcome = as_is();
    record(asked, begun, reinterpret_cast<device_pointer>(pointer ? *pointer : nullptr), false,
           outcome);
    return outcome;
}

void record_free(const char* api, std::uint64_t begun, device_pointer pointer, result outcome) {
    if (!memory_log_folder()) return;
    const std::uint64_t took = now() - begun;
    event line("free", begun);
    line.text("api", api).pointer("ptr", pointer).seconds("s", took).number("rc", outcome);
    const guard hold;
    line.write();
}

template <class AsIs>
result free_device(const char* api, device_pointer pointer, stream on, bool is_ordered,
                   AsIs as_is) {
    const std::uint64_t begun = now();
    result outcome;
    managed::forget(pointer);
    staged::forget_imported(pointer);
    if (!release(pointer, on, is_ordered, outcome)) outcome = as_is();
    record_free(api, begun, pointer, outcome);
    return outcome;
}

}  // namespace

result cuInit(unsigned flags) {
    complain();
    if (settings().changes.any()) expect_gains();
    const std::uint64_t begun = now();
    const result outcome = real<cuInit>()(flags);
    const std::uint64_t took = now() - begun;
    const guard hold;
    event("init", begun).seconds("s", took).number("rc", outcome).write();
    return outcome;
}

result cuMemAlloc_v2(device_pointer* pointer, std::size_t bytes) {
    return allocate_device({"cuMemAlloc", kind::device, bytes, {}}, pointer,
                           [&] { return real<cuMemAlloc_v2>()(pointer, bytes); });
}

result cuMemAllocPitch_v2(device_pointer* pointer, std::size_t* pitch, std::size_t width,
                          std::size_t height, unsigned element) {
    constexpr std::size_t row = 512;  // drivers round a row up to this
    const std::size_t rounded = (width + row - 1) / row * row;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(rounded, height, &bytes) || rounded < width || !pitch)
        bytes = 0;  // the driver refuses it
    bool is_as_it_was = false;
    const result outcome =
        allocate_device({"cuMemAllocPitch", kind::device, bytes, {}}, pointer, [&] {
            is_as_it_was = true;
            return real<cuMemAllocPitch_v2>()(pointer, pitch, width, height, element);
        });
    if (outcome == driver::success && !is_as_it_was) *pitch = rounded;
    if (outcome == driver::success && *pitch != rounded) pooled::forget(*pointer);
    return outcome;
}

result cuMemAllocAsync(device_pointer* pointer, std::size_t bytes, stream on) {
    return allocate_device({"cuMemAllocAsync", kind::device, bytes, {}, on, nullptr, true}, pointer,
                           [&] { return real<cuMemAllocAsync>()(pointer, bytes, on); });
}

result cuMemAllocAsync_ptsz(device_pointer* pointer, std::size_t bytes, stream on) {
    return allocate_device(
        {"cuMemAllocAsync", kind::device, bytes, {}, own_stream(on), nullptr, true}, pointer,
        [&] { return real<cuMemAllocAsync_ptsz>()(pointer, bytes, on); });
}

result cuMemAllocFromPoolAsync(device_pointer* pointer, std::size_t bytes, pool from, stream on) {
    return allocate_device(
        {"cuMemAllocFromPoolAsync", kind::device, bytes, {}, on, from, true}, pointer,
        [&] { return real<cuMemAllocFromPoolAsync>()(pointer, bytes, from, on); });
}

result cuMemAllocFromPoolAsync_ptsz(device_pointer* pointer, std::size_t bytes, pool from,
                                    stream on) {
    return allocate_device(
        {"cuMemAllocFromPoolAsync", kind::device, bytes, {}, own_stream(on), from, true}, pointer,
        [&] { return real<cuMemAllocFromPoolAsync_ptsz>()(pointer, bytes, from, on); });
}

result cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
    return allocate_host("cuMemAllocHost", pointer, bytes,
                         [&] { return real<cuMemAllocHost_v2>()(pointer, bytes); });
}

result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    return allocate_host("cuMemHostAlloc", pointer, bytes,
                         [&] { return real<cuMemHostAlloc>()(pointer, bytes, flags); });
}

result cuMemAllocManaged(device_pointer* pointer, std::size_t bytes, unsigned flags) {
    const request asked{"cuMemAllocManaged", kind::managed, bytes, name_if_needed(kind::managed)};
    const std::uint64_t begun = now();
    const result outcome = real<cuMemAllocManaged>()(pointer, bytes, flags);
    const bool treated =
        outcome == driver::success && is_chosen(asked.name.site, asked.name.ordinal, bytes);
    if (treated) treat_managed(*pointer, bytes, nullptr);
    if (outcome == driver::success) managed::add(*pointer, bytes, treated ? asked.name.site : 0);
    record(asked, begun, pointer ? *pointer : 0, false, outcome);
    return outcome;
}

result cuMemFree_v2(device_pointer pointer) {
    return free_device("cuMemFree", pointer, nullptr, false, [&] {
        return pooled::keep(pointer) ? driver::success : real<cuMemFree_v2>()(pointer);
    });
}

result cuMemFreeAsync(device_pointer pointer, stream on) {
    const bool is_ordered = on != reinterpret_cast<stream>(stream_of_thread);
    pooled::forget(pointer);
    return free_device("cuMemFreeAsync", pointer, on, is_ordered,
                       [&] { return real<cuMemFreeAsync>()(pointer, on); });
}

result cuMemFreeAsync_ptsz(device_pointer pointer, stream on) {
    const bool is_ordered = own_stream(on) != reinterpret_cast<stream>(stream_of_thread);
    pooled::forget(pointer);
    return free_device("cuMemFreeAsync", pointer, on, is_ordered,
                       [&] { return real<cuMemFreeAsync_ptsz>()(pointer, on); });
}

result cuMemFreeHost(void* pointer) {
    const std::uint64_t begun = now();
    const result outcome = real<cuMemFreeHost>()(pointer);
    record_free("cuMemFreeHost", begun, reinterpret_cast<device_pointer>(pointer), outcome);
    return outcome;
}

}  // namespace attach
