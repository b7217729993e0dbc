// Style `pinned`: one copy of everything in CPU memory, page-locked, which the GPU reads and writes
// over the link at each access (zero-copy).
#include "../solver/loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::lattice {

measure::trial run_pinned(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pinned});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) check(cudaMallocHost(pointer, bytes));
    watch.lap("allocate");

    initialise(result, f, p);
    watch.skip();

    solve(result, p, f, false);
    watch.skip();

    read_result(result, p, f);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) check(cudaFreeHost(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::lattice
