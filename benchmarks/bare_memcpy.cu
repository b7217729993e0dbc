// A bare loop of cudaMemcpy, as a rival of case `copy` on a GPU; nothing of this project.
// Usage: bare_memcpy FROM TO BYTES SAMPLES (h: cudaMallocHost, d: cudaMalloc); prints seconds.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(1);
}

static void* make(char where, size_t bytes) {
    void* data = nullptr;
    check(where == 'h' ? cudaMallocHost(&data, bytes) : cudaMalloc(&data, bytes));
    if (where == 'h') std::memset(data, 1, bytes);
    if (where == 'd') check(cudaMemset(data, 2, bytes));
    return data;
}

int main(int, char** arguments) {
    const size_t bytes = std::strtoull(arguments[3], nullptr, 10);
    void* from = make(arguments[1][0], bytes);
    void* to = make(arguments[2][0], bytes);
    check(cudaDeviceSynchronize());
    for (int sample = std::atoi(arguments[4]); sample > 0; --sample) {
        const auto start = std::chrono::steady_clock::now();
        check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
        check(cudaDeviceSynchronize());
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        std::printf("%.9f\n", time.count());
    }
}
