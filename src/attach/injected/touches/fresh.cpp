// The first touch of fresh memory and its release: what the CPU pays for a page, small or as a part
// of a huge one. The median of several counts: a program that touches much memory pays it, too.
#include "touches.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>

namespace watari::attach {
namespace {

using steady = std::chrono::steady_clock;
constexpr std::size_t huge_page = std::size_t{2} << 20, size = std::size_t{32} << 20;
constexpr int times = 5;

// Nanoseconds to touch and release `size` bytes; 0 where there is no memory.
double touched_once(int advice, std::size_t page) {
    void* mapped =
        mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return 0.0;
    }
    const auto unaligned = reinterpret_cast<std::uintptr_t>(mapped) % huge_page;
    volatile auto* bytes = static_cast<unsigned char*>(mapped) + (huge_page - unaligned);
    // a kernel without huge pages refuses the advice: both kinds then take the same time
    static_cast<void>(madvise(mapped, size + huge_page, advice));
    const auto begun = steady::now();
    for (std::size_t i = 0; i < size; i += page) {
        bytes[i] = 1;
    }
    munmap(mapped, size + huge_page);
    return std::chrono::duration<double, std::nano>(steady::now() - begun).count();
}

}  // namespace

double first_touch(pages kind) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const int advice = kind == pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    double took[times];
    for (double& one : took) {
        one = touched_once(advice, page);
    }
    std::sort(std::begin(took), std::end(took));
    return took[times / 2] / static_cast<double>(size / page);
}

long page_faults() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
}

}  // namespace watari::attach
