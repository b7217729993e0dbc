// Style `managed-prefetch`: managed memory whose migrations the program requests. It prefetches the
// data of a touch to the CPU before the touch, and back to the GPU after the touch.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"
#include "watari/memory/location.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::les {

measure::trial run_managed_prefetch(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) check(cudaMallocManaged(pointer, bytes));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    const auto move = [](std::byte* data, std::size_t bytes, processor to) {
        check(cudaMemPrefetchAsync(data, bytes, memory::location{to}, 0));
    };
    for (const auto& [pointer, bytes] : all) move(*pointer, bytes, p.processor);
    check(cudaDeviceSynchronize());
    watch.lap("transfer_in");

    const auto move_rows = [&](const region& r, processor to) {
        for (std::size_t n = 0; n < r.rows; ++n) move(r.data + n * r.stride, r.bytes, to);
    };
    reach prefetches;
    prefetches.bring = [&](const region& r) { move_rows(r, the_cpu); };
    prefetches.send = prefetches.back = [&](const region& r) { move_rows(r, p.processor); };
    prefetches.wait = [] { check(cudaDeviceSynchronize()); };
    simulate(result, p, f, prefetches, true);
    watch.skip();

    for (std::byte* data : swapped(p) ? f.next : f.flow)
        move(data, p.grid.points() * p.real_bytes(), the_cpu);
    check(cudaDeviceSynchronize());
    read_result(result, p, swapped(p) ? f.next : f.flow);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) check(cudaFree(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::les
