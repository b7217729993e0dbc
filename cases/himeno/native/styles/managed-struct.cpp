// Style `managed-struct`: as `managed`, but the struct of pointers, which is not managed memory,
// must be copied for the GPU (Yoshida 2024, listing 4.9). The GPU has two structs, one with p and
// wrk2 swapped, so that a swap moves nothing.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

namespace watari::himeno {

measure::trial run_managed_struct(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields f{.size = p.size};
    fields* there = nullptr;
    double* gosa = nullptr;
    stopwatch watch(result);

    for (float** array : pointers(f)) check(cudaMallocManaged(array, bytes));
    watch.lap("allocate");
    check(cudaMalloc(&there, 2 * sizeof(fields)));
    check(cudaMallocManaged(&gosa, gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate_device");

    initialise(f, p);
    watch.skip();

    check(cudaMemcpy(there, both_ways(f).data(), 2 * sizeof(fields), cudaMemcpyHostToDevice));
    watch.lap("transfer_in");
    f.there[0] = there, f.there[1] = there + 1;

    iterate(result, p, f, gosa, true, nullptr);
    watch.skip();

    check(cudaFree(gosa));
    check(cudaFree(there));
    watch.lap("release_device");

    read_result(result, p, f);
    watch.lap("read");

    for (float** array : pointers(f)) check(cudaFree(*array));
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
