#include "memory.hpp"

#include <cstdlib>

#include "../driver/device.hpp"
#include "../driver/real.hpp"
#include "../log/lock.hpp"
#include "hints.hpp"

namespace attach {
namespace {

using driver::device_pointer;
using driver::result;
using driver::stream;

// An allocation of another kind than the program asked for. A block that is freed on a stream is
// kept for the next allocation of its size on this stream, as in a pool: the order of the stream
// makes this safe without a wait. Every context has its own default stream.
struct block {
    device_pointer pointer;
    void* host;  // pinned, system
    std::size_t bytes;
    kind as;
    const void* made_in;  // the context
    stream freed_on;
    block* next;
};

constexpr std::size_t buckets = 4096;
constexpr int most_free = 64;  // beyond this number, freed blocks are released
block* in_use[buckets];
block* freed = nullptr;
int freed_count = 0;
bool leaves_new = false;

block*& bucket(device_pointer pointer) {
    return in_use[(pointer >> 9) * 0x9e3779b97f4a7c15u >> 52];
}

void push(block*& list, block* row) {
    row->next = list;
    list = row;
}

// Removes the first row of a list for which `is_meant` is true, and returns it; null if none.
template <class Meant>
block* take(block*& list, Meant is_meant) {
    for (block** at = &list; *at; at = &(*at)->next)
        if (is_meant(**at)) {
            block* row = *at;
            *at = row->next;
            return row;
        }
    return nullptr;
}

block* take_freed(std::size_t bytes, stream on, const void* in, kind as) {
    block* row = take(freed, [&](const block& one) {
        return one.bytes == bytes && one.freed_on == on && one.made_in == in && one.as == as;
    });
    if (row) --freed_count;
    return row;
}

result free_memory(const block& row) {
    if (row.as == kind::pinned) {
        auto* call = driver_function<result(void*)>("cuMemFreeHost");
        return call ? call(row.host) : driver::not_supported;
    }
    if (row.as == kind::system) {
        if (is_any_captured()) return driver::success;  // not freed: nothing may wait now
        // cuMemFree waits for work that uses the memory; free does not
        auto* call = driver_function<result()>("cuCtxSynchronize");
        const result outcome = call ? call() : driver::not_supported;
        std::free(row.host);
        return outcome;
    }
    auto* call = driver_function<result(device_pointer)>("cuMemFree_v2");
    return call ? call(row.pointer) : driver::not_supported;
}

bool is_freed(device_pointer pointer) {
    const block* row = freed;
    while (row && row->pointer != pointer) row = row->next;
    return row;
}

// While a stream is captured, other threads and streams may not allocate. This object permits it to
// the library's own calls, which are not part of the capture.
class outside_capture {
public:
    outside_capture() { exchange(); }
    ~outside_capture() { exchange(); }
    outside_capture(const outside_capture&) = delete;
    outside_capture& operator=(const outside_capture&) = delete;

private:
    void exchange() {
        if (auto* call = driver_function<result(int*)>("cuThreadExchangeStreamCaptureMode"))
            call(&mode);
    }
    int mode = driver::relaxed_capture;
};

// Waits for all streams and releases the blocks that streams have freed; does nothing during a
// capture. Calls the driver without the lock.
void release_freed() {
    if (is_any_captured()) return;
    block* rows;
    {
        const guard hold;
        rows = freed;
        freed = nullptr;
        freed_count = 0;
    }
    if (!rows) return;
    if (auto* call = driver_function<result()>("cuCtxSynchronize")) call();
    while (rows) {
        block* row = rows;
        rows = row->next;
        free_memory(*row);
        std::free(row);
    }
}

result make_pinned(block& row) {
    auto* make = driver_function<result(void**, std::size_t, unsigned)>("cuMemHostAlloc");
    auto* address =
        driver_function<result(device_pointer*, void*, unsigned)>("cuMemHostGetDevicePointer_v2");
    if (!make || !address) return driver::not_supported;
    result outcome = make(&row.host, row.bytes, driver::host_portable_and_mapped);
    if (outcome != driver::success) return outcome;
    outcome = address(&row.pointer, row.host, 0);
    if (outcome != driver::success) free_memory(row);
    return outcome;
}

result make_system(block& row) {
    constexpr std::size_t huge = std::size_t{2} << 20, alignment = 512;
    if (posix_memalign(&row.host, row.bytes >= huge ? huge : alignment, row.bytes) != 0)
        return driver::out_of_memory;
    row.pointer = reinterpret_cast<device_pointer>(row.host);
    return driver::success;
}

result make_managed(block& row, stream on) {
    auto* make =
        driver_function<result(device_pointer*, std::size_t, unsigned)>("cuMemAllocManaged");
    if (!make) return driver::not_supported;
    const result outcome = make(&row.pointer, row.bytes, driver::attach_global);
    if (outcome == driver::success) treat_managed(row.pointer, row.bytes, on);
    return outcome;
}

result make(block& row, stream on) {
    const outside_capture mode;
    if (row.as == kind::pinned) return make_pinned(row);
    if (row.as == kind::system) return make_system(row);
    return make_managed(row, on);
}

// Whether a stream is being captured: an allocation there is only a node of a graph.
bool is_capturing(stream on) {
    int status = 0;
    auto* call = driver_function<result(stream, int*)>("cuStreamIsCapturing");
    return call && call(on, &status) == driver::success && status != 0;
}

}  // namespace

extern "C" void watari_leave_new_memory() { __atomic_store_n(&leaves_new, true, __ATOMIC_RELAXED); }

bool is_anything_moved() { return chosen_style().device_becomes != kind::device; }

bool is_moved(const request& asked) {
    return !__atomic_load_n(&leaves_new, __ATOMIC_RELAXED) && is_anything_moved() &&
           asked.bytes > 0 && is_chosen(asked.name.site, asked.name.ordinal, asked.bytes) &&
           !(asked.is_ordered && is_capturing(asked.stream));
}

result allocate(const request& asked, device_pointer* pointer) {
    const kind as = chosen_style().device_becomes;
    const void* context = current_context();
    block* row = nullptr;
    if (asked.is_ordered) {
        const guard hold;
        row = take_freed(asked.bytes, asked.stream, context, as);
    }
    if (!row) {
        row = static_cast<block*>(std::calloc(1, sizeof(block)));
        if (!row) return driver::out_of_memory;
        row->bytes = asked.bytes;
        row->as = as;
        row->made_in = context;
        result outcome = make(*row, asked.stream);
        if (outcome == driver::out_of_memory) {
            release_freed();
            outcome = make(*row, asked.stream);
        }
        if (outcome != driver::success) {
            std::free(row);
            return outcome;
        }
    }
    *pointer = row->pointer;
    const guard hold;
    push(bucket(row->pointer), row);
    return driver::success;
}

bool release(device_pointer pointer, stream on, bool is_ordered, result& outcome) {
    if (!is_anything_moved()) return false;
    const void* context = is_ordered ? current_context() : nullptr;
    const bool is_captured = is_ordered && is_capturing(on);
    bool is_full = false;
    block* row;
    {
        const guard hold;
        const auto is_it = [&](const block& one) { return one.pointer == pointer; };
        row = take(bucket(pointer), is_it);
        if (!row) {  // freed twice, or not one of these
            outcome = driver::invalid_value;
            return is_freed(pointer);
        }
        outcome = driver::success;
        if (is_captured) {  // every run of the graph uses it: it stays to the end
            push(bucket(pointer), row);
            return true;
        }
        is_ordered = is_ordered && row->made_in == context;
        if (is_ordered) {
            row->freed_on = on;
            push(freed, row);
            is_full = ++freed_count > most_free;
        }
    }
    if (!is_ordered) {
        const outside_capture mode;
        outcome = free_memory(*row);
        std::free(row);
    }
    if (is_full) release_freed();
    return true;
}

void forget_context(const void* context) {
    const auto is_gone = [&](const block& one) { return one.made_in == context; };
    const auto forget = [&](block*& list) {
        int count = 0;
        for (block* row; (row = take(list, is_gone)); ++count) {
            if (row->as == kind::system) std::free(row->host);  // not part of the context
            std::free(row);
        }
        return count;
    };
    const guard hold;
    for (block*& list : in_use) forget(list);
    freed_count -= forget(freed);
}

void forget_stream(stream on) {
    static char nobody;  // no stream has this handle: kept until all streams are done
    const guard hold;
    for (block* row = freed; row; row = row->next)
        if (row->freed_on == on) row->freed_on = &nobody;
}

}  // namespace attach
