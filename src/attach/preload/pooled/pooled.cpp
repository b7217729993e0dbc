#include "pooled.hpp"

#include "../calls/functions.hpp"
#include "../driver/driver_call.hpp"
#include "../log/gains.hpp"
#include "../log/lock.hpp"
#include "../styles/managed.hpp"
#include "blocks.hpp"

namespace attach::pooled {
namespace {

constexpr int most_devices = 64;

used_blocks used;
kept_blocks kept;

driver_call<result(void**)> get_current{"cuCtxGetCurrent"};
driver_call<result(driver::device*)> get_device{"cuCtxGetDevice"};
driver_call<result(std::size_t*, driver::device)> get_memory{"cuDeviceTotalMem_v2"};
driver_call<result()> synchronize{"cuCtxSynchronize"};
driver_call<result(const void*)> enter{"cuCtxPushCurrent_v2"};
driver_call<result(void**)> leave{"cuCtxPopCurrent_v2"};

const void* context_now() {
    void* context = nullptr;
    return get_current(&context) == driver::success ? context : nullptr;
}

// The memory of a device; 0 if it is not known.
std::size_t memory_of(driver::device device) {
    static std::size_t known[most_devices];
    if (device < 0 || device >= most_devices) return 0;
    std::size_t bytes = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (bytes) return bytes;
    if (get_memory(&bytes, device) != driver::success) return 0;
    __atomic_store_n(&known[device], bytes, __ATOMIC_RELAXED);
    return bytes;
}

// Bytes that may be kept of a device: a quarter of its memory; none where managed memory needs more
// than half of it, since kept blocks would drive its pages out.
std::size_t most_bytes(driver::device device) {
    const std::size_t memory = memory_of(device);
    return managed::total() > memory / 2 ? 0 : memory / 4;
}

// The calling thread may have another context, or none.
void release(const block& row) {
    const bool is_inside = enter(row.made_in) == driver::success;
    real<cuMemFree_v2>()(row.pointer);
    void* context = nullptr;
    if (is_inside) leave(&context);
}

template <class IsIt>
bool remove_kept(IsIt is_it, block& removed) {
    const guard hold;
    return kept.remove(is_it, removed);
}

// The block at this address, which is no longer in use, if it can be kept. If it cannot, the block
// is unknown from now on: the driver frees it.
bool stop_use(driver::device_pointer pointer, block& freed) {
    const void* context = context_now();
    const guard hold;
    return used.remove(pointer, freed) && freed.made_in == context && !freed.is_shared &&
           !is_any_captured();
}

// Releases the oldest kept blocks until this one has room beside the others.
void make_room(const block& freed, std::size_t limit) {
    block oldest{};
    const auto is_in_the_way = [&](const block& one) {
        return kept.is_full() ||
               (one.device == freed.device && kept.bytes_of(freed.device) + freed.bytes > limit);
    };
    while (remove_kept(is_in_the_way, oldest)) release(oldest);
}

// Nanoseconds that the driver would have taken more for a block's release and its allocation.
// Measured on an H100: a release takes as long as the allocation, and 0.3 us a MiB more.
std::int64_t saved_by(const block& row, std::uint64_t took) {
    const std::uint64_t release = row.nanoseconds + row.bytes / (1 << 20) * 300;
    return static_cast<std::int64_t>(row.nanoseconds + release) -
           2 * static_cast<std::int64_t>(took);
}

}  // namespace

bool is_on() { return settings().changes.pooled; }

bool is_meant(const request& asked) {
    return is_on() && !asked.is_ordered && asked.bytes > 0 &&
           is_chosen(asked.name.site, asked.name.ordinal, asked.bytes);
}

bool take(std::size_t bytes, driver::device_pointer* pointer) {
    if (kept.is_empty()) return false;
    const std::uint64_t begun = now();
    const void* context = context_now();
    driver::device device = -1;
    block row{};
    if (get_device(&device) != driver::success) return false;
    {
        const guard hold;
        const auto fits = [&](const block& one) {
            return one.bytes == bytes && one.made_in == context && one.device == device;
        };
        if (!kept.remove(fits, row)) return false;
        used.add(row);
    }
    *pointer = row.pointer;
    add_gain(change::pooled, bytes, saved_by(row, now() - begun));
    return true;
}

void add(driver::device_pointer pointer, std::size_t bytes, std::uint64_t nanoseconds) {
    driver::device device = -1;
    if (get_device(&device) != driver::success) return;
    const void* context = context_now();
    const guard hold;
    used.add({pointer, bytes, context, device, nanoseconds, false});
}

bool keep(driver::device_pointer pointer) {
    block freed{};
    if (!is_on() || !pointer) return false;
    if (!stop_use(pointer, freed)) {
        give_back_at(pointer);  // freed twice: the driver says so
        return false;
    }
    const std::size_t limit = most_bytes(freed.device);
    if (freed.bytes > limit) return false;
    if (synchronize() != driver::success) return false;  // cuMemFree returns the error, too
    make_room(freed, limit);
    const guard hold;
    if (kept.is_full() || is_any_captured()) return false;  // another thread was faster
    kept.add(freed);
    return true;
}

void forget(driver::device_pointer pointer) {
    if (!is_on()) return;
    give_back_at(pointer);
    block unused{};
    const guard hold;
    used.remove(pointer, unused);
}

void share(driver::device_pointer address) {
    if (!is_on()) return;
    give_back_at(address);
    const guard hold;
    used.each([&](block& one) {
        one.is_shared = one.is_shared || one.contains(address);
        return true;
    });
}

bool give_back() {
    bool any = false;
    block row{};
    while (!kept.is_empty() && remove_kept([](const block&) { return true; }, row)) {
        release(row);
        any = true;
    }
    return any;
}

void give_back_at(driver::device_pointer address) {
    block row{};
    const auto is_here = [&](const block& one) { return one.contains(address); };
    if (!kept.is_empty() && remove_kept(is_here, row)) release(row);
}

bool holds_any() {
    const guard hold;
    return !kept.is_empty() || !used.is_empty();
}

void forget_context(const void* context, driver::device device) {
    const auto is_gone = [&](const block& one) {
        return one.made_in == context || one.device == device;
    };
    block unused{};
    const guard hold;
    used.each([&](const block& one) { return !is_gone(one); });
    while (kept.remove(is_gone, unused)) continue;
}

}  // namespace attach::pooled
