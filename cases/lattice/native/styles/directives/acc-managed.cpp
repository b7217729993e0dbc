// Style `acc-managed`: the GPU's arrays are managed, and the program has no transfers: the CPU
// (`staged`), MPI, NCCL or the other GPU reads and writes half spinors in place (Doi 2016,
// section 4.2: each array `managed`, each transfer directive removed).
#include "acc_kernels.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace watari::lattice::directive {

namespace {

/// Ends the process if a call fails, as libgomp does if an allocation fails.
void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "acc-managed: %s\n", cudaGetErrorString(status));
    std::abort();
}

}  // namespace

extern "C" void acc_managed(const request* r, answer* out) {
    if (!openacc::choose_device(*r, *out)) return;
    out->ran_on_gpu = openacc::asks_where_it_runs();
    const std::size_t n = r->vector();
    number *u, *f, *b, *x, *p, *q, *s, *t, *odd, *sent, *arrived;
    stopwatch watch;

    check(cudaMallocManaged(&u, r->link_numbers() * sizeof(number)));
    check(cudaMallocManaged(&f, r->clover_numbers() * sizeof(number)));
    for (number** vector : {&b, &x, &p, &q, &s, &t, &odd})
        check(cudaMallocManaged(vector, n * sizeof(number)));
    for (number** half_spinors : {&sent, &arrived})
        check(cudaMallocManaged(half_spinors, r->halo() * sizeof(number)));
    const inputs given{u, f, b};
    out->allocate = watch.lap();

    r->initialise(r->caller, &given);
    watch.lap();

    const auto exchange = [=] { r->exchange(r->caller, sent, arrived, openacc::stream()); };
    solve<openacc>(*r, {u, f, b, x, p, q, s, t, odd, sent, arrived}, exchange, *out);
    watch.lap();

    r->finish(r->caller, x);
    out->transfer_out = watch.lap();  // the CPU's reads move the pages

    for (number* array : {u, f, b, x, p, q, s, t, odd, sent, arrived}) check(cudaFree(array));
    out->release = watch.lap();
}

}  // namespace watari::lattice::directive
