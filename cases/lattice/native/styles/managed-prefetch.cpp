// Style `managed-prefetch`: managed memory, and the programmer says when it moves.
#include "../solver/loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"
#include "watari/memory/location.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::lattice {

measure::trial run_managed_prefetch(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) check(cudaMallocManaged(pointer, bytes));
    watch.lap("allocate");

    initialise(result, f, p);
    watch.skip();

    for (const auto& [pointer, bytes] : all)
        check(cudaMemPrefetchAsync(*pointer, bytes, memory::location{p.processor}, 0));
    check(cudaDeviceSynchronize());
    watch.lap("transfer_in");

    solve(result, p, f, true);
    watch.skip();

    check(cudaMemPrefetchAsync(f.solution, all[3].second, memory::location{the_cpu}, 0));
    check(cudaDeviceSynchronize());
    read_result(result, p, f);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) check(cudaFree(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::lattice
