// Style `system` on a CPU: allocation as a CPU programmer would write it. Without a GPU all styles
// are the same.
//
// One block for all arrays: if all 14 began at the beginning of a page, they would compete for the
// same cache lines, so each begins five lines further on. Huge pages: 14 streams would need more
// small pages than the TLB holds.
#include "../loop.hpp"
#include "../styles.hpp"

#include <sys/mman.h>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace watari::himeno {

measure::trial run_system_on_cpu(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pageable});
    constexpr std::size_t page = std::size_t{2} << 20, line = 64;
    const std::size_t array_bytes = (p.size.points() * sizeof(float) / line + 5) * line;
    const std::size_t bytes = (14 * array_bytes + page - 1) / page * page;
    fields f{.size = p.size};
    stopwatch watch(result);

    auto* const block = static_cast<std::byte*>(std::aligned_alloc(page, bytes));
    madvise(block, bytes, MADV_HUGEPAGE);
    std::byte* next = block;
    for (float** array : pointers(f))
        *array = reinterpret_cast<float*>(std::exchange(next, next + array_bytes));
    auto* gosa = static_cast<double*>(std::malloc(gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    iterate(result, p, f, gosa, false, nullptr);
    watch.skip();

    read_result(result, p, f);
    watch.lap("read");

    std::free(gosa);
    std::free(block);
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
