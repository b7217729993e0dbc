// Style `explicit`: links and source are made in CPU memory and copied to the GPU, the solution is
// copied back. Arrays that only the solver uses are allocated in GPU memory.
#include "../solver/loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <array>
#include <cstdlib>

namespace watari::lattice {

measure::trial run_explicit(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::device});
    fields host, device;
    const auto on_host = arrays(host, p), on_device = arrays(device, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : inputs(on_host))
        *pointer = static_cast<std::byte*>(std::malloc(bytes));
    for (const auto& [pointer, bytes] : on_device) check(cudaMalloc(pointer, bytes));
    watch.lap("allocate");

    initialise(result, host, p);
    watch.skip();

    for (std::size_t n = 0; n < inputs(on_host).size(); ++n)
        check(cudaMemcpy(*on_device[n].first, *on_host[n].first, on_host[n].second,
                         cudaMemcpyHostToDevice));
    watch.lap("transfer_in");

    solve(result, p, device, false);
    watch.skip();

    // the source is no longer needed: the solution overwrites it
    host.solution = host.source;
    check(cudaMemcpy(host.solution, device.solution, on_host[1].second, cudaMemcpyDeviceToHost));
    watch.lap("transfer_out");
    read_result(result, p, host);
    watch.skip();

    for (const auto& [pointer, bytes] : on_device) check(cudaFree(*pointer));
    for (const auto& [pointer, bytes] : inputs(on_host)) std::free(*pointer);
    watch.lap("release");
    return result;
}

}  // namespace watari::lattice
