// Style `acc-managed`: managed arrays, without a directive on data. A step and a touch are those of
// a program for one memory.
#include "acc_device.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace watari::les::directive {

namespace {

/// Ends the process on an error, as libgomp does if it has no memory.
void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "acc-managed: %s\n", cudaGetErrorString(status));
    std::abort();
}

}  // namespace

WATARI_STYLE void acc_managed(const request* r, answer* out) {
    if (!choose_device(*r, *out)) return;
    out->ran_on_gpu = asks_where_it_runs();
    std::byte* arrays[most_arrays];
    stopwatch watch;

    for (std::size_t n = 0; n < r->count; ++n) check(cudaMallocManaged(&arrays[n], r->bytes[n]));
    out->allocate = watch.lap();

    r->initialise(r->caller, arrays);
    watch.lap();

    r->simulate(r->caller, arrays, nullptr, &own_kernels(), nullptr);
    watch.lap();

    r->finish(r->caller, arrays + r->result);
    out->read = watch.lap();  // the CPU's reading moves the pages

    for (std::size_t n = 0; n < r->count; ++n) check(cudaFree(arrays[n]));
    out->release = watch.lap();
}

}  // namespace watari::les::directive
