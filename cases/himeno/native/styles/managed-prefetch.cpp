// Style `managed-prefetch`: managed memory, and the programmer prefetches it. All arrays move to
// the GPU before the first iteration, the result moves back after the last one.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"
#include "watari/memory/location.hpp"

#include <cuda_runtime.h>

namespace watari::himeno {

measure::trial run_managed_prefetch(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields f{.size = p.size};
    double* gosa = nullptr;
    stopwatch watch(result);

    for (float** array : pointers(f)) check(cudaMallocManaged(array, bytes));
    watch.lap("allocate");
    check(cudaMalloc(&gosa, gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate_device");

    initialise(f, p);
    watch.skip();

    for (float** array : pointers(f))
        check(cudaMemPrefetchAsync(*array, bytes, memory::location{p.processor}, 0));
    check(cudaDeviceSynchronize());
    watch.lap("transfer_in");

    iterate(result, p, f, gosa, true, nullptr);
    watch.skip();

    check(cudaMemPrefetchAsync(f.p, bytes, memory::location{the_cpu}, 0));
    check(cudaDeviceSynchronize());
    watch.lap("transfer_out");

    check(cudaFree(gosa));
    watch.lap("release_device");

    read_result(result, p, f);
    watch.lap("read");

    for (float** array : pointers(f)) check(cudaFree(*array));
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
