// Style `acc-data`: a data region around the solve; in each exchange the half spinors go to the
// host and come back (Doi 2016, section 4.2: the CCS QCD benchmark as it is).
#include "acc_kernels.hpp"

#include <cstdlib>

namespace watari::lattice::directive {

extern "C" void acc_data(const request* r, answer* out) {
    if (!openacc::choose_device(*r, *out)) return;
    out->ran_on_gpu = openacc::asks_where_it_runs();
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

#pragma acc data copyin(u [0:links], f [0:inverse], b [0:n]) create( \
    x [0:n], p [0:n], q [0:n], s [0:n], t [0:n], odd [0:n], sent [0:halo], arrived [0:halo])
    {
        out->transfer_in = watch.lap();

        const auto exchange = [=] {  // in the queue: after the kernel that packs
#pragma acc update host(sent [0:halo]) async(1)
            openacc::wait();
            r->exchange(r->caller, sent, arrived, nullptr);
#pragma acc update device(arrived [0:halo]) async(1)
        };
#pragma acc host_data use_device(u, f, b, x, p, q, s, t, odd, sent, arrived)
        { solve<openacc>(*r, {u, f, b, x, p, q, s, t, odd, sent, arrived}, exchange, *out); }
        watch.lap();

#pragma acc update host(x [0:n])
        out->transfer_out = watch.lap();
    }
    out->release = watch.lap();

    r->finish(r->caller, x);
    watch.lap();

    for (number* array : {u, f, b, x, p, q, s, t, odd, sent, arrived}) std::free(array);
    out->release += watch.lap();
}

}  // namespace watari::lattice::directive
