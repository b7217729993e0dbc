#include "prefetched.hpp"

#include <cstdlib>

#include "../driver_call.hpp"
#include "../gains.hpp"
#include "../lock.hpp"
#include "../memory.hpp"
#include "../settings.hpp"
#include "arguments.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "table.hpp"

namespace attach::prefetched {
namespace {

using driver::device_pointer;
using driver::result;
using driver::stream;

struct allocation {
    device_pointer pointer;
    std::size_t bytes;
    std::uint32_t site;
    const void* made_in;
};

constexpr std::size_t least = 1 << 20;  // bytes: a smaller allocation is left to its faults
constexpr std::size_t most_at_once = 64;
// 15 GB/s by faults, 50 by a prefetch (docs/memory-paths.md)
constexpr double saved_of_a_byte = 1 / 15.0 - 1 / 50.0;  // ns

use* uses;
std::size_t use_count;
allocation* managed;
std::size_t managed_count, managed_room, managed_bytes;

driver_call<result(void**)> get_current{"cuCtxGetCurrent"};
driver_call<result(driver::device*)> get_device{"cuCtxGetDevice"};
driver_call<result(std::size_t*, driver::device)> get_memory{"cuDeviceTotalMem_v2"};
driver_call<result(device_pointer, std::size_t, driver::device, stream)> prefetch{
    "cuMemPrefetchAsync"};

__attribute__((constructor)) void read_environment() {
    if (is_on()) use_count = read_table(std::getenv("WATARI_CHANGES_PREFETCHES"), uses);
}

// The first row of this function's kernel, use_count if it has none.
std::size_t row_of(const void* function) {
    std::size_t row = use_count;
    {
        const guard hold;
        if (known_row(function, row)) return row;
    }
    const char* symbol = symbol_of_function(function);
    row = symbol ? find_kernel(uses, use_count, hash_of(symbol)) : use_count;
    const guard hold;
    remember_row(function, row);
    return row;
}

// Copies the allocations that the kernel of this row uses.
std::size_t used_by(std::size_t row, allocation (&found)[most_at_once]) {
    const std::uint32_t kernel = uses[row].kernel;
    std::size_t count = 0;
    const guard hold;
    for (; row < use_count && uses[row].kernel == kernel; ++row)
        for (std::size_t i = 0; i < managed_count && count < most_at_once; ++i)
            if (managed[i].site == uses[row].site && managed[i].bytes >= least)
                found[count++] = managed[i];
    return count;
}

// Managed memory beyond the GPU's is left to faults: a prefetch would throw other pages out.
bool fits(driver::device device) {
    std::size_t memory = 0;
    return get_memory(&memory, device) == driver::success && managed_bytes <= memory / 8 * 7;
}

}  // namespace

bool is_on() { return settings().changes.prefetched; }

std::uint32_t hash_of(const char* text) {
    std::uint32_t hash = 2166136261u;
    for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 16777619u;
    return hash;
}

void add(device_pointer pointer, std::size_t bytes, std::uint32_t site) {
    void* context = nullptr;
    if (!is_on() || get_current(&context) != driver::success) return;
    const guard hold;
    if (managed_count == managed_room) {
        const std::size_t room = managed_room ? managed_room * 2 : 64;
        auto* more = static_cast<allocation*>(std::realloc(managed, room * sizeof(allocation)));
        if (!more) return;
        managed = more;
        managed_room = room;
    }
    managed[managed_count++] = {pointer, bytes, site, context};
    managed_bytes += bytes;
}

template <class IsGone>
static void remove(IsGone is_gone) {
    const guard hold;
    for (std::size_t i = 0; i < managed_count;)
        if (is_gone(managed[i])) {
            managed_bytes -= managed[i].bytes;
            managed[i] = managed[--managed_count];
        } else {
            ++i;
        }
}

void forget(device_pointer pointer) {
    if (is_on()) remove([&](const allocation& one) { return one.pointer == pointer; });
}

void forget_context(const void* context) {
    if (is_on()) remove([&](const allocation& one) { return one.made_in == context; });
}

void before(const void* function, stream on, void** parameters) {
    allocation found[most_at_once];
    driver::device device = -1;
    if (!is_on() || !use_count || is_any_captured()) return;
    const std::size_t row = row_of(function);
    if (row == use_count || get_device(&device) != driver::success || !fits(device)) return;
    const std::size_t count = used_by(row, found);
    const arguments given(function, parameters);
    for (std::size_t i = 0; i < count; ++i) {
        const allocation& one = found[i];
        if (!given.name(one.pointer, one.bytes) || !is_any_mapped(one.pointer, one.bytes)) continue;
        if (prefetch(one.pointer, one.bytes, device, on) != driver::success) continue;
        const double saved = saved_of_a_byte * static_cast<double>(one.bytes);
        add_gain(change::prefetched, one.bytes, static_cast<std::int64_t>(saved));
    }
}

void forget_functions() {
    if (!is_on()) return;
    const guard hold;
    forget_rows();
}

}  // namespace attach::prefetched
