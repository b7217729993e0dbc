// Style `system-prefetch`: as `system`, and the program prefetches the pages to the GPU before the
// loop (the advice of Yoshida 2024, section 5.3.1: migrate before the GPU computes). One call per
// array moves the pages that access counters would move gradually over some 50 iterations.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"
#include "watari/memory/location.hpp"

#include <cuda_runtime.h>

#include <cstdlib>

namespace watari::himeno {

measure::trial run_system_prefetch(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::system});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields f{.size = p.size};
    stopwatch watch(result);

    for (float** array : pointers(f)) *array = static_cast<float*>(std::malloc(bytes));
    auto* gosa = static_cast<double*>(std::malloc(gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    for (float** array : pointers(f))
        check(cudaMemPrefetchAsync(*array, bytes, memory::location{p.processor}, 0));
    check(cudaDeviceSynchronize());
    watch.lap("transfer_in");

    iterate(result, p, f, gosa, true, nullptr);
    watch.skip();

    check(cudaMemPrefetchAsync(f.p, bytes, memory::location{the_cpu}, 0));
    check(cudaDeviceSynchronize());
    watch.lap("transfer_out");

    read_result(result, p, f);
    watch.lap("read");

    std::free(gosa);
    for (float** array : pointers(f)) std::free(*array);
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
