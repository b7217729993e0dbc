// Style `acc-managed`: the GPU's arrays are managed, without explicit transfers; MPI gets the same
// pointer (Doi 2016, implementation 4).
#include "acc_kernels.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace watari::himeno::directive {

namespace {

/// Ends the process on an error, as libgomp does if it has no memory.
void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "acc-managed: %s\n", cudaGetErrorString(status));
    std::abort();
}

}  // namespace

extern "C" void acc_managed(const request* r, answer* out) {
    if (!choose_device(*r, *out)) return;
    out->ran_on_gpu = asks_where_it_runs();
    const std::size_t n = r->i * r->j * r->k;
    float *p, *wrk2, *wrk1, *bnd, *a, *b, *c;
    stopwatch watch;

    check(cudaMallocManaged(&p, n * sizeof(float)));
    check(cudaMallocManaged(&wrk2, n * sizeof(float)));
    check(cudaMallocManaged(&wrk1, n * sizeof(float)));
    check(cudaMallocManaged(&bnd, n * sizeof(float)));
    check(cudaMallocManaged(&a, 4 * n * sizeof(float)));
    check(cudaMallocManaged(&b, 3 * n * sizeof(float)));
    check(cudaMallocManaged(&c, 3 * n * sizeof(float)));
    const arrays initial{p, wrk2, wrk1, bnd, a, b, c};
    out->allocate = watch.lap();

    r->initialise(r->caller, &initial);
    watch.lap();

    for (int iteration = 0; iteration < r->iterations; ++iteration) {
        r->gosa[iteration] = step(*r, p, wrk2, a, b, c, wrk1, bnd);
        if (!r->fused) update(*r, p, wrk2);
        if (r->fused) std::swap(p, wrk2);
        if (r->exchange != nullptr) r->exchange(r->caller, p);
        r->seconds[iteration] = watch.lap();
    }

    const arrays final{p, wrk2, wrk1, bnd, a, b, c};
    r->finish(r->caller, &final);
    out->read = watch.lap();  // the CPU's reading moves the pages

    for (float* array : {p, wrk2, wrk1, bnd, a, b, c}) check(cudaFree(array));
    out->release = watch.lap();
}

}  // namespace watari::himeno::directive
