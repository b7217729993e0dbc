// Style `explicit`: the CPU has copies of the arrays that it reads, and the program copies the
// data. The CPU's copies are page-locked and allocated once: transfers of pageable memory reach a
// fraction of the link's bandwidth.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::les {

measure::trial run_explicit(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::device});
    fields host, device;
    const auto on_host = arrays(host, p), on_device = arrays(device, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : inputs(on_host)) check(cudaMallocHost(pointer, bytes));
    for (const auto& [pointer, bytes] : on_device) check(cudaMalloc(pointer, bytes));
    watch.lap("allocate");

    initialise(host, p);
    watch.skip();

    for (std::size_t n = 0; n < inputs(on_host).size(); ++n)
        check(cudaMemcpy(*on_device[n].first, *on_host[n].first, on_host[n].second,
                         cudaMemcpyHostToDevice));
    watch.lap("transfer_in");

    reach copies;
    for (unsigned n = 0; n < 4; ++n) copies.twin[n] = host.flow[n];
    copies.twin[4] = host.facets;
    copies.bring = [](const region& r) {
        check(cudaMemcpy2DAsync(r.twin, r.stride, r.data, r.stride, r.bytes, r.rows,
                                cudaMemcpyDeviceToHost));
    };
    copies.send = [](const region& r) {
        check(cudaMemcpy2DAsync(r.data, r.stride, r.twin, r.stride, r.bytes, r.rows,
                                cudaMemcpyHostToDevice));
    };
    copies.wait = [] { check(cudaDeviceSynchronize()); };
    simulate(result, p, device, copies, false);
    watch.skip();

    const auto& flow = swapped(p) ? device.next : device.flow;
    for (unsigned n = 0; n < 4; ++n)
        check(cudaMemcpy(host.flow[n], flow[n], p.grid.points() * p.real_bytes(),
                         cudaMemcpyDeviceToHost));
    watch.lap("transfer_out");
    read_result(result, p, host.flow);
    watch.skip();

    for (const auto& [pointer, bytes] : on_device) check(cudaFree(*pointer));
    for (const auto& [pointer, bytes] : inputs(on_host)) check(cudaFreeHost(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::les
