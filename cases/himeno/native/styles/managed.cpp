// Style `managed`: one pointer for both processors, and the driver moves pages when they are
// touched (Yoshida 2024, listing 4.9). The first iteration includes their migration.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

namespace watari::himeno {

measure::trial run_managed(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields f{.size = p.size};
    double* gosa = nullptr;
    stopwatch watch(result);

    for (float** array : pointers(f)) check(cudaMallocManaged(array, bytes));
    watch.lap("allocate");
    check(cudaMallocManaged(&gosa, gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate_device");

    initialise(f, p);
    watch.skip();

    iterate(result, p, f, gosa, true, nullptr);
    watch.skip();

    check(cudaFree(gosa));
    watch.lap("release_device");

    read_result(result, p, f);
    watch.lap("read");

    for (float** array : pointers(f)) check(cudaFree(*array));
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
