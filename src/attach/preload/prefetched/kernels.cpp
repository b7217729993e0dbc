#include "kernels.hpp"

#include <cstdint>

#include "../driver/driver_call.hpp"

namespace attach::prefetched {
namespace {

struct entry {
    const void* function;
    std::size_t row;
};

constexpr std::size_t size = 4096;  // a power of two; functions beyond half of it are looked up
entry entries[size];
std::size_t used = 0;

driver_call<driver::result(const char**, const void*)> function_name{"cuFuncGetName"};
driver_call<driver::result(const char**, const void*)> kernel_name{"cuKernelGetName"};

entry& place_of(const void* function) {
    std::size_t at = reinterpret_cast<std::uintptr_t>(function) * 0x9e3779b97f4a7c15u >> 52;
    while (entries[at].function && entries[at].function != function) at = (at + 1) % size;
    return entries[at];
}

}  // namespace

bool known_row(const void* function, std::size_t& row) {
    const entry& found = place_of(function);
    row = found.row;
    return found.function;
}

void remember_row(const void* function, std::size_t row) {
    entry& place = place_of(function);
    if (used >= size / 2 || place.function) return;
    place = {function, row};
    ++used;
}

void forget_rows() {
    for (entry& one : entries) one = {};
    used = 0;
}

const char* symbol_of_function(const void* function) {
    const char* name = nullptr;
    if (function_name(&name, function) == driver::success && name) return name;
    return kernel_name(&name, function) == driver::success ? name : nullptr;
}

}  // namespace attach::prefetched
