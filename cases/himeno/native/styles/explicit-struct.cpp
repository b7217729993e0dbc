// Style `explicit-struct`: as `explicit`, and the struct of pointers lies in GPU memory, too
// (Yoshida 2024, listing 4.8): a separate allocation with the GPU's pointers, whose address is an
// argument of each kernel. It has two structs, one with p and wrk2 swapped, so that a swap moves
// nothing.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <cstdlib>

namespace watari::himeno {

measure::trial run_explicit_struct(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pageable, memory::kind::device});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields host{.size = p.size}, device{.size = p.size};
    fields* there = nullptr;
    double* gosa = nullptr;
    stopwatch watch(result);

    for (float** array : pointers(host)) *array = static_cast<float*>(std::malloc(bytes));
    watch.lap("allocate");
    for (float** array : pointers(device)) check(cudaMalloc(array, bytes));
    check(cudaMalloc(&there, 2 * sizeof(fields)));
    check(cudaMalloc(&gosa, gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate_device");

    const bool by_cpu = p.init == processor::type::cpu;
    initialise(by_cpu ? host : device, p);
    watch.skip();

    for (std::size_t m = 0; by_cpu && m < pointers(host).size(); ++m)
        check(cudaMemcpy(*pointers(device)[m], *pointers(host)[m], bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(there, both_ways(device).data(), 2 * sizeof(fields), cudaMemcpyHostToDevice));
    watch.lap("transfer_in");
    device.there[0] = there, device.there[1] = there + 1;

    iterate(result, p, device, gosa, false, nullptr);
    watch.skip();

    check(cudaMemcpy(host.p, device.p, bytes, cudaMemcpyDeviceToHost));
    watch.lap("transfer_out");

    check(cudaFree(gosa));
    check(cudaFree(there));
    for (float** array : pointers(device)) check(cudaFree(*array));
    watch.lap("release_device");

    read_result(result, p, host);
    watch.lap("read");

    for (float** array : pointers(host)) std::free(*array);
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
