// Style `omp-target`: acc-data in OpenMP. The arrays are on the GPU from `enter data` to `exit
// data`; a touch of the CPU copies what it reads.
#include "omp_device.hpp"

#include <cstdlib>

namespace watari::les::directive {

namespace {

void bring(const void* from, void* to, std::size_t bytes) {
    omp_target_memcpy(to, const_cast<void*>(from), bytes, 0, 0, omp_get_initial_device(),
                      omp_get_default_device());
}
void send(void* to, const void* from, std::size_t bytes) {
    omp_target_memcpy(to, const_cast<void*>(from), bytes, 0, 0, omp_get_default_device(),
                      omp_get_initial_device());
}

}  // namespace

WATARI_STYLE void omp_target(const request* r, answer* out) {
    if (!choose_device(*r, *out)) return;
    out->ran_on_gpu = asks_where_it_runs();
    std::byte *host[most_arrays], *device[most_arrays];
    stopwatch watch;

    for (std::size_t n = 0; n < r->count; ++n)
        host[n] = static_cast<std::byte*>(std::malloc(r->bytes[n]));
    out->allocate = watch.lap();

    r->initialise(r->caller, host);
    watch.lap();

    for (std::size_t n = 0; n < r->count; ++n) {
        std::byte* a = host[n];
        const std::size_t size = r->bytes[n];
        if (n < r->inputs) {
#pragma omp target enter data map(to : a [0:size])
        } else {
#pragma omp target enter data map(alloc : a [0:size])
        }
#pragma omp target data use_device_ptr(a)
        { device[n] = a; }
    }
    out->transfer_in = watch.lap();

    const moves by{bring, send};
    r->simulate(r->caller, device, host, &own_kernels(), &by);
    watch.lap();

    for (std::size_t n = r->result; n < r->result + 4; ++n) {
        [[maybe_unused]] std::byte* const a = host[n];
        const std::size_t size = r->bytes[n];
#pragma omp target update from(a [0:size])
    }
    out->transfer_out = watch.lap();

    for (std::size_t n = 0; n < r->count; ++n) {
        [[maybe_unused]] std::byte* const a = host[n];
        const std::size_t size = r->bytes[n];
#pragma omp target exit data map(delete : a [0:size])
    }
    out->release_device = watch.lap();

    r->finish(r->caller, host + r->result);
    out->read = watch.lap();

    for (std::size_t n = 0; n < r->count; ++n) std::free(host[n]);
    out->release = watch.lap();
}

}  // namespace watari::les::directive
