#include "fresh.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace attach::staged {
namespace {

std::uintptr_t page_size() {
    static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(page_size() - 1); }

}  // namespace

bool is_fresh(const void* address, std::size_t bytes) {
    constexpr unsigned looks = 4;
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    for (unsigned i = 0; i < looks; ++i) {
        const std::uintptr_t page = page_of(begin + bytes / (2 * looks) * (2 * i + 1));
        unsigned char is_there = 1;
        const int error = mincore(reinterpret_cast<void*>(page), page_size(), &is_there);
        if (error || is_there & 1) return false;
    }
    return true;
}

void make_pages(void* address, std::size_t bytes) {
    constexpr int for_writing = 23;  // MADV_POPULATE_WRITE, which older headers lack
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const std::uintptr_t first = page_of(begin);
    madvise(reinterpret_cast<void*>(first), begin + bytes - first, for_writing);
}

}  // namespace attach::staged
