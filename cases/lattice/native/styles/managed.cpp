// Style `managed`: one pointer for both processors, and the driver moves pages when they are
// touched: links and source at the first step, the solution when the CPU reads it. Doi 2016 gave
// all arrays that the GPU uses the attribute `managed` and took the transfers out.
#include "../solver/loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::lattice {

measure::trial run_managed(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) check(cudaMallocManaged(pointer, bytes));
    watch.lap("allocate");

    initialise(result, f, p);
    watch.skip();

    solve(result, p, f, true);
    watch.skip();

    read_result(result, p, f);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) check(cudaFree(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::lattice
