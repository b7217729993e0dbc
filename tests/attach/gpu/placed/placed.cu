// Kernels whose traffic is known, in each placement of their memory: `placed MODE [NUMBER]`
//
//     run        the program to trace: GPU memory, NUMBER launches (8) of each kernel
//     local, mapped, faulting
//                managed memory, placed so before each launch; prints the median seconds of each
//                kernel, as JSON
//     many       allocates, launches and frees NUMBER times, as temporary buffers do
//     launches   launches a small kernel NUMBER times
//
// A launch of each kernel over an array of 128 MiB:
//     stream    reads it once
//     again     reads the first 64 MiB 20 times
//     compute   reads the first 16 MiB once, and computes
//     gather    reads 4 Mi values at random places
//     small     each block reads the same 256 KiB 8 times
//     longer    reads the first 32 MiB 4000 times: mapped, for seconds
#include <algorithm>
#include <cstring>
#include <vector>

#include <cooperative_groups.h>

#include "../checked.cuh"

constexpr size_t MiB = 1 << 20, KiB = 1 << 10, whole = 128 * MiB;

__device__ void keep(float value, float* out) {  // so that no loop is removed
    if (value == 12345.678f) *out = value;
}
__device__ float pass(const float* values, size_t n) {
    float sum = 0;
    for (size_t i = first(); i < n; i += step()) sum += __ldcg(values + i);
    return sum;
}
__global__ void stream(const float* values, float* out) { keep(pass(values, whole / 4), out); }
__global__ void again(const float* values, float* out) {
    for (int i = 0; i < 20; ++i) keep(pass(values, 16 * MiB), out);
}
__global__ void compute(const float* values, float* out) {
    float sum = 0;
    for (size_t i = first(); i < 4 * MiB; i += step()) {
        float x = values[i];
        for (int k = 0; k < 4000; ++k) x = x * 0.999f + 0.001f;
        sum += x;
    }
    keep(sum, out);
}
__global__ void gather(const float* values, float* out) {
    float sum = 0;
    for (size_t i = first(); i < 4 * MiB; i += step())
        sum += __ldcg(values + (i * 2654435761u + (i >> 7)) % (whole / 4));
    keep(sum, out);
}
__global__ void small(const float* values, float* out) {
    float sum = 0;
    for (int pass = 0; pass < 8; ++pass)
        for (size_t i = threadIdx.x; i < 64 * KiB; i += blockDim.x) sum += values[i];
    keep(sum, out);
}
__global__ void longer(const float* values, float* out) {
    for (int i = 0; i < 4000; ++i) keep(pass(values, 8 * MiB), out);
}
__global__ void once(const float* values, float* out) { keep(pass(values, MiB), out); }
__global__ void together(const float* values, float* out) {
    cooperative_groups::this_grid().sync();
    keep(pass(values, MiB), out);
}
__global__ void touch(float* values) { values[threadIdx.x] += 1; }

namespace {

constexpr int blocks = 528, threads = 512;

struct kernel {
    const char* name;
    void (*run)(const float*, float*);
    int most;  // launches
};
constexpr kernel kernels[] = {{"stream", stream, 100},   {"again", again, 100},
                              {"compute", compute, 100}, {"gather", gather, 100},
                              {"small", small, 100},     {"longer", longer, 4}};

void prefetch(const void* memory, size_t bytes, bool to_gpu) {
    cudaMemLocation where{to_gpu ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost, 0};
    REQUIRE(cudaMemPrefetchAsync(memory, bytes, where, 0, 0));
    REQUIRE(cudaDeviceSynchronize());
}

void advise(const void* memory, size_t bytes, cudaMemoryAdvise advice, bool of_gpu) {
    cudaMemLocation where{of_gpu ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost, 0};
    REQUIRE(cudaMemAdvise(memory, bytes, advice, where));
}

void run(int launches) {
    float *values = allocated<float>(whole), *out = allocated<float>(4);
    REQUIRE(cudaMemset(values, 0, whole));
    once<<<blocks, threads>>>(values, out);
    for (const kernel& one : kernels)
        for (int i = 0; i < std::min(launches, one.most); ++i)
            one.run<<<blocks, threads>>>(values, out);
    void* arguments[] = {&values, &out};
    for (int i = 0; i < 3; ++i)
        REQUIRE(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), 132, threads,
                                            arguments, 0, 0));
    REQUIRE(cudaDeviceSynchronize());
}

void placed(const char* mode, int launches) {
    float *values, *out = allocated<float>(4);
    REQUIRE(cudaMallocManaged(&values, whole));
    std::memset(values, 0, whole);
    const bool is_local = !std::strcmp(mode, "local");
    if (!std::strcmp(mode, "mapped")) {
        advise(values, whole, cudaMemAdviseSetPreferredLocation, false);
        advise(values, whole, cudaMemAdviseSetAccessedBy, true);
    }
    cudaEvent_t begin, end;
    REQUIRE(cudaEventCreate(&begin));
    REQUIRE(cudaEventCreate(&end));
    std::printf("{");
    for (const kernel& one : kernels) {
        std::vector<float> times;
        for (int i = 0; i < (one.most < 10 ? 1 : launches); ++i) {
            prefetch(values, whole, is_local);
            REQUIRE(cudaEventRecord(begin));
            one.run<<<blocks, threads>>>(values, out);
            REQUIRE(cudaEventRecord(end));
            REQUIRE(cudaEventSynchronize(end));
            float milliseconds;
            REQUIRE(cudaEventElapsedTime(&milliseconds, begin, end));
            times.push_back(milliseconds * 1e-3f);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s\"%s\": %.6g", &one == kernels ? "" : ", ", one.name,
                    times[times.size() / 2]);
    }
    std::printf("}\n");
}

void many(int count) {
    for (int i = 0; i < count; ++i) {
        auto* values = allocated<float>(64 * KiB);
        touch<<<1, 256>>>(values);
        REQUIRE(cudaFree(values));
    }
}

void launches(int count) {
    auto* values = allocated<float>(4 * KiB);
    for (int i = 0; i < count; ++i) touch<<<1, 256>>>(values);
    REQUIRE(cudaDeviceSynchronize());
}

}  // namespace

int main(int words, char** word) {
    const char* mode = words > 1 ? word[1] : "run";
    const int number = words > 2 ? std::atoi(word[2]) : 8;
    if (!std::strcmp(mode, "run"))
        run(number);
    else if (!std::strcmp(mode, "many"))
        many(number);
    else if (!std::strcmp(mode, "launches"))
        launches(number);
    else
        placed(mode, number);
}
