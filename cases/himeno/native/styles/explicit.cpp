// Style `explicit`: two copies of every array, and the programmer moves the data (Yoshida 2024,
// listing 4.8).
//
// A struct of pointers refers to the arrays, so its copy for the GPU is a deep copy: each array is
// allocated there and copied separately. The GPU's struct is an argument of each launch, by value;
// style explicit-struct has it in GPU memory, as Yoshida does.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <cstdlib>

namespace watari::himeno {

measure::trial run_explicit(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::pageable, memory::kind::device});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields host{.size = p.size}, device{.size = p.size};
    double* gosa = nullptr;
    stopwatch watch(result);

    for (float** array : pointers(host)) *array = static_cast<float*>(std::malloc(bytes));
    watch.lap("allocate");
    for (float** array : pointers(device)) check(cudaMalloc(array, bytes));
    check(cudaMalloc(&gosa, gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate_device");

    const bool by_cpu = p.init == processor::type::cpu;
    initialise(by_cpu ? host : device, p);
    watch.skip();

    for (std::size_t m = 0; by_cpu && m < pointers(host).size(); ++m)
        check(cudaMemcpy(*pointers(device)[m], *pointers(host)[m], bytes, cudaMemcpyHostToDevice));
    watch.lap("transfer_in");

    iterate(result, p, device, gosa, false, nullptr);
    watch.skip();

    check(cudaMemcpy(host.p, device.p, bytes, cudaMemcpyDeviceToHost));
    watch.lap("transfer_out");

    check(cudaFree(gosa));
    for (float** array : pointers(device)) check(cudaFree(*array));
    watch.lap("release_device");

    read_result(result, p, host);
    watch.lap("read");

    for (float** array : pointers(host)) std::free(*array);
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
