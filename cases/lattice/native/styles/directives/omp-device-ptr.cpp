// Style `omp-device-ptr`: acc-host-data in OpenMP. Arrays are mapped, and the exchange gets the
// pointers of the GPU (use_device_ptr).
#include "omp_kernels.hpp"

#include <cstdlib>

namespace watari::lattice::directive {

extern "C" void omp_device_ptr(const request* r, answer* out) {
    if (!openmp::choose_device(*r, *out)) return;
    out->ran_on_gpu = openmp::asks_where_it_runs();
    const std::size_t n = r->vector(), links = r->link_numbers(), inverse = r->clover_numbers();
    const std::size_t halo = r->halo();
    stopwatch watch;

    number *b, *x, *p, *q, *s, *t, *odd, *sent, *arrived;
    number* u = static_cast<number*>(std::malloc(links * sizeof(number)));
    number* f = static_cast<number*>(std::malloc(inverse * sizeof(number)));
    for (number** vector : {&b, &x, &p, &q, &s, &t, &odd})
        *vector = static_cast<number*>(std::malloc(n * sizeof(number)));
    for (number** half_spinors : {&sent, &arrived})
        *half_spinors = static_cast<number*>(std::malloc(halo * sizeof(number)));
    const inputs given{u, f, b};
    out->allocate = watch.lap();

    r->initialise(r->caller, &given);
    watch.lap();

#pragma omp target data map(to                                     \
                            : u [0:links], f [0:inverse], b [0:n]) \
    map(alloc                                                      \
        : x [0:n], p [0:n], q [0:n], s [0:n], t [0:n], odd [0:n])  \
        map(alloc                                                  \
            : sent [0:halo], arrived [0:halo])
    {
        out->transfer_in = watch.lap();

#pragma omp target data use_device_ptr(u, f, b, x, p, q, s, t, odd, sent, arrived)
        {
            const auto exchange = [=] { r->exchange(r->caller, sent, arrived, nullptr); };
            solve<openmp>(*r, {u, f, b, x, p, q, s, t, odd, sent, arrived}, exchange, *out);
        }
        watch.lap();

#pragma omp target update from(x [0:n])
        out->transfer_out = watch.lap();
    }
    out->release = watch.lap();

    r->finish(r->caller, x);
    watch.lap();

    for (number* array : {u, f, b, x, p, q, s, t, odd, sent, arrived}) std::free(array);
    out->release += watch.lap();
}

}  // namespace watari::lattice::directive
