// Style `system`: plain allocation, and the GPU uses the same pointers (Yoshida 2024,
// listing 4.10). Needs a machine whose GPU reads the CPU's page tables (ATS) or is told of them
// (HMM). The CPU runs it anywhere: there is not one line of CUDA.
//
// One block for all: 14 arrays that each begin a page fight for the same lines of the caches, so
// each begins five lines further on. The CPU likes huge pages; a GPU is measured on those of
// malloc.
#include "watari/himeno/loop.hpp"
#include "watari/himeno/styles.hpp"

#include <sys/mman.h>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace watari::himeno {

measure::trial run_system(const parameters& p) {
    measure::trial result;
    prepare(result, p,
            std::array{p.processor.is_gpu() ? memory::kind::system : memory::kind::pageable});
    constexpr std::size_t page = std::size_t{2} << 20, line = 64;
    const std::size_t array_bytes = (p.size.points() * sizeof(float) / line + 5) * line;
    const std::size_t bytes = (14 * array_bytes + page - 1) / page * page;
    fields f{.size = p.size};
    stopwatch watch(result);

    auto* const block = static_cast<std::byte*>(std::aligned_alloc(page, bytes));
    if (!p.processor.is_gpu()) madvise(block, bytes, MADV_HUGEPAGE);
    std::byte* next = block;
    for (float** array : pointers(f))
        *array = reinterpret_cast<float*>(std::exchange(next, next + array_bytes));
    auto* gosa = static_cast<double*>(std::malloc(gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    iterate(result, p, f, gosa, p.processor.is_gpu(), nullptr);
    watch.skip();

    read_result(result, f);
    watch.lap("transfer_out");

    std::free(gosa);
    std::free(block);
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
