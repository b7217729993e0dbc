// Style `pinned`: one copy in page-locked CPU memory, which the GPU reads over the link at each
// access (zero-copy). Nothing is transferred, and no data become local to the GPU.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

namespace watari::himeno {

measure::trial run_pinned(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pinned});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields f{.size = p.size};
    double* gosa = nullptr;
    stopwatch watch(result);

    for (float** array : pointers(f)) check(cudaMallocHost(array, bytes));
    watch.lap("allocate");
    check(cudaMalloc(&gosa, gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate_device");

    initialise(f, p);
    watch.skip();

    iterate(result, p, f, gosa, false, nullptr);
    watch.skip();

    check(cudaFree(gosa));
    watch.lap("release_device");

    read_result(result, p, f);
    watch.lap("read");

    for (float** array : pointers(f)) check(cudaFreeHost(*array));
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
