// Intercepts the library's statx: `syscall` of the program comes before that of libc.
#include "files/larger_units.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstring>

namespace {

std::atomic<std::uint32_t> least_unit{0};

/// Enlarges the unit in an answer of statx, at the offsets that direct_unit.cpp reads.
void enlarge(int file, char* answer) {
    constexpr std::uint32_t dio_align = 0x2000;
    std::uint32_t mask = 0, unit = 0;
    std::memcpy(&mask, answer, sizeof mask);
    std::memcpy(&unit, answer + 156, sizeof unit);
    const bool is_direct = mask & dio_align ? unit > 0 : (fcntl(file, F_GETFL) & O_DIRECT) != 0;
    mask |= dio_align;
    unit = is_direct ? std::max(unit, least_unit.load()) : 0;
    std::memcpy(answer, &mask, sizeof mask);
    std::memcpy(answer + 156, &unit, sizeof unit);
}

}  // namespace

extern "C" long syscall(long number, ...) noexcept {
    va_list list;
    va_start(list, number);
    long a[6];
    for (long& each : a) each = va_arg(list, long);
    va_end(list);
    static const auto real = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
    const long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_statx && result == 0 && least_unit > 0)
        enlarge(static_cast<int>(a[0]), reinterpret_cast<char*>(a[4]));
    return result;
}

namespace watari::files {

larger_units::larger_units(std::uint32_t bytes) { least_unit = bytes; }
larger_units::~larger_units() { least_unit = 0; }

}  // namespace watari::files
