// Style `pinned`: one page-locked copy in CPU memory, which the GPU reads over the link at each
// access (zero-copy). No array is ever copied to GPU memory.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::les {

measure::trial run_pinned(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pinned});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) check(cudaMallocHost(pointer, bytes));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    simulate(result, p, f, {}, false);
    watch.skip();

    read_result(result, p, swapped(p) ? f.next : f.flow);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) check(cudaFreeHost(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::les
