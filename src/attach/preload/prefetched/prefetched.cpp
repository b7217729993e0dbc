#include "prefetched.hpp"

#include <cstdlib>

#include "../driver/driver_call.hpp"
#include "../log/gains.hpp"
#include "../log/lock.hpp"
#include "../styles/managed.hpp"
#include "../styles/memory.hpp"
#include "../styles/settings.hpp"
#include "arguments.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "table.hpp"

namespace attach::prefetched {
namespace {

using driver::device_pointer;
using driver::result;
using driver::stream;
using managed::allocation;

constexpr std::size_t least = 1 << 20;  // bytes: a smaller allocation is left to its faults
constexpr std::size_t most_at_once = 64;
// 15 GB/s by faults, 50 by a prefetch (cases/memory/README.md)
constexpr double saved_of_a_byte = 1 / 15.0 - 1 / 50.0;  // ns

use* uses;
std::size_t use_count;

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
        count += managed::of_site(uses[row].site, found + count, most_at_once - count);
    return count;
}

// Managed memory beyond the GPU's is left to faults: a prefetch would throw other pages out.
bool fits(driver::device device) {
    std::size_t memory = 0;
    return get_memory(&memory, device) == driver::success && managed::total() <= memory / 8 * 7;
}

}  // namespace

bool is_on() { return settings().changes.prefetched; }

std::uint32_t hash_of(const char* text) {
    std::uint32_t hash = 2166136261u;
    for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 16777619u;
    return hash;
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
        if (one.bytes < least || !given.name(one.pointer, one.bytes)) continue;
        if (!is_any_mapped(one.pointer, one.bytes)) continue;
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
