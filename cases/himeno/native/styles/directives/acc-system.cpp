// Style `acc-system`: plain malloc, directives at the loops only. The clause deviceptr lets the GPU
// use the pointers unchanged. A comparison with `system` shows whether CUDA and OpenACC migrate
// alike (Boku 2025).
#include "acc_kernels.hpp"

#include <cstdlib>
#include <utility>

namespace watari::himeno::directive {

extern "C" void acc_system(const request* r, answer* out) {
    if (!choose_device(*r, *out)) return;
    out->ran_on_gpu = asks_where_it_runs();
    const std::size_t n = r->i * r->j * r->k;
    stopwatch watch;

    float* p = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* wrk2 = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* wrk1 = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* bnd = static_cast<float*>(std::malloc(n * sizeof(float)));
    float* a = static_cast<float*>(std::malloc(4 * n * sizeof(float)));
    float* b = static_cast<float*>(std::malloc(3 * n * sizeof(float)));
    float* c = static_cast<float*>(std::malloc(3 * n * sizeof(float)));
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

    for (float* array : {p, wrk2, wrk1, bnd, a, b, c}) std::free(array);
    out->release = watch.lap();
}

}  // namespace watari::himeno::directive
