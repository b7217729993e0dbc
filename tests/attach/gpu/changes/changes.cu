// What changes cost and save, on a GPU: changes pairs | facts | calls N | steps N | sorts N
//
//     pairs    seconds of cudaMalloc and of cudaFree, by size, on an idle context
//     facts    what a program sees of freed memory; `pooled` changes no line
//     calls N  N rounds of launches, small copies and waits: nothing to change
//     steps N  N steps of 64 MiB: memory on both sides, filled, copied, computed, copied back
//     sorts N  N kernels with temporary memory of a few sizes, as of a library that sorts
#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "../checked.cuh"

namespace {

using clock_type = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(clock_type::now().time_since_epoch()).count(); }

__global__ void spin(long long cycles) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) continue;
}

__global__ void add(float* values) { values[threadIdx.x] += 1.0f; }

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void pairs() {
    constexpr std::size_t sizes[] = {4ull << 10,  256ull << 10, 1ull << 20, 2ull << 20, 8ull << 20,
                                     64ull << 20, 256ull << 20, 1ull << 30, 4ull << 30};
    for (const std::size_t bytes : sizes) {
        std::vector<double> allocations, releases;
        const int rounds = bytes < (64ull << 20) ? 200 : 30;
        for (int i = 0; i < rounds; ++i) {
            void* pointer;
            const double first = now();
            REQUIRE(cudaMalloc(&pointer, bytes));
            const double second = now();
            REQUIRE(cudaFree(pointer));
            allocations.push_back(second - first);
            releases.push_back(now() - second);
        }
        std::printf("pair %zu %.9f %.9f\n", bytes, median(allocations), median(releases));
    }
    std::vector<double> waits;
    for (int i = 0; i < 200; ++i) {
        const double begun = now();
        REQUIRE(cudaDeviceSynchronize());
        waits.push_back(now() - begun);
    }
    std::printf("wait 0 %.9f 0\n", median(waits));
}

std::size_t free_bytes() {
    std::size_t free, total;
    REQUIRE(cudaMemGetInfo(&free, &total));
    return free;
}

// An error of a wrong call is not the next call's.
int outcome(cudaError_t error) {
    cudaGetLastError();
    return error;
}

void facts() {
    constexpr std::size_t bytes = 256ull << 20;
    cudaPointerAttributes attributes{};
    const std::size_t before = free_bytes();
    char* pointer = allocated(bytes);
    std::printf("used %zu\n", before - free_bytes());
    REQUIRE(cudaFree(pointer));
    std::printf("free again %d\n", before == free_bytes());

    pointer = allocated(bytes);
    REQUIRE(cudaPointerGetAttributes(&attributes, pointer));
    std::printf("type in use %d\n", attributes.type);
    REQUIRE(cudaFree(pointer));
    std::printf("asked %d", outcome(cudaPointerGetAttributes(&attributes, pointer)));
    std::printf(" type freed %d\n", attributes.type);
    std::printf("freed twice %d\n", outcome(cudaFree(pointer)));

    pointer = allocated(bytes);
    char* other = allocated(bytes);
    cudaStream_t stream, beside;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    REQUIRE(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    spin<<<1, 1, 0, stream>>>(100'000'000);
    const int running = cudaStreamQuery(stream);
    REQUIRE(cudaFree(pointer));
    std::printf("running %d, after the free %d\n", running, cudaStreamQuery(stream));

    cudaGraph_t graph;
    auto mode = cudaStreamCaptureModeRelaxed;
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(cudaStreamBeginCapture(beside, cudaStreamCaptureModeRelaxed));
    spin<<<1, 1, 0, beside>>>(1);
    std::printf("freed in a capture %d", outcome(cudaFree(other)));
    pointer = allocated(bytes);
    std::printf(" again %d", outcome(cudaFree(pointer)));
    std::printf(" ended %d\n", outcome(cudaStreamEndCapture(beside, &graph)));
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode));

    pointer = allocated(bytes);
    REQUIRE(cudaFreeAsync(pointer, stream));
    REQUIRE(cudaStreamSynchronize(stream));
    cudaIpcMemHandle_t handle;
    pointer = allocated(bytes);
    std::printf("shared %d", outcome(cudaIpcGetMemHandle(&handle, pointer)));
    std::printf(" freed %d\n", outcome(cudaFree(pointer)));

    std::size_t pitch;
    for (int i = 0; i < 2; ++i) {
        REQUIRE(cudaMallocPitch(&pointer, &pitch, 1000, 1000));
        REQUIRE(cudaMemset2D(pointer, pitch, 0, 1000, 1000));
        REQUIRE(cudaFree(pointer));
        std::printf("pitch %zu\n", pitch);
    }

    char* some = allocated(8ull << 30);
    REQUIRE(cudaFree(some));
    some = allocated(8ull << 30);
    REQUIRE(cudaFree(some));
    const std::size_t most = free_bytes();
    some = allocated(8ull << 30);
    REQUIRE(cudaFree(some));
    char* all = nullptr;
    std::printf("nearly all %d\n", outcome(cudaMalloc(&all, most - (512ull << 20))));
    REQUIRE(cudaFree(all));

    pointer = allocated(bytes);
    REQUIRE(cudaFree(pointer));
    REQUIRE(cudaDeviceReset());
    pointer = allocated(bytes);
    REQUIRE(cudaMemset(pointer, 1, bytes));
    char last = 0;
    REQUIRE(cudaMemcpy(&last, pointer + bytes - 1, 1, cudaMemcpyDeviceToHost));
    std::printf("after a reset %d\n", last);
    int* bad = nullptr;
    REQUIRE(cudaMemset(pointer, 0, bytes));
    add<<<1, 32>>>(reinterpret_cast<float*>(bad + 1));  // an illegal address
    std::printf("free after a broken kernel %d\n", cudaFree(pointer));
}

void calls(int rounds) {
    float host[32] = {};
    auto* values = allocated<float>(sizeof host);
    const double begun = now();
    for (int i = 0; i < rounds; ++i) {
        add<<<1, 32>>>(values);
        REQUIRE(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
        REQUIRE(cudaMemcpyAsync(values, host, sizeof host, cudaMemcpyHostToDevice));
        REQUIRE(cudaDeviceSynchronize());
    }
    std::printf("calls %.6f\n", now() - begun);
}

__global__ void scale(float* values, std::size_t count) {
    const std::size_t i = first();
    if (i < count) values[i] *= 2.0f;
}

void steps(int rounds) {
    constexpr std::size_t count = 16 << 20, bytes = count * sizeof(float);
    double sum = 0;
    for (int i = 0; i < rounds; ++i) {
        std::vector<float> values(count, static_cast<float>(i));
        auto* pointer = allocated<float>(bytes);
        REQUIRE(cudaMemcpy(pointer, values.data(), bytes, cudaMemcpyHostToDevice));
        scale<<<count / 256, 256>>>(pointer, count);
        REQUIRE(cudaMemcpy(values.data(), pointer, bytes, cudaMemcpyDeviceToHost));
        REQUIRE(cudaFree(pointer));
        sum += values[0] + values[count - 1];
    }
    std::printf("sum %.0f\n", sum);
}

void sorts(int rounds) {
    auto* values = allocated<float>(1 << 20);
    REQUIRE(cudaMemset(values, 0, 1 << 20));
    for (int i = 0; i < rounds; ++i) {
        char *keys = allocated(4ull << (20 + i % 4)), *counts = allocated(64 << 10);
        scale<<<1024, 256>>>(values, 1 << 18);
        REQUIRE(cudaFree(counts));
        REQUIRE(cudaFree(keys));
    }
    float first;
    REQUIRE(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("first %g\n", first);
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return 2;
    REQUIRE(cudaFree(nullptr));
    if (std::strcmp(words[1], "pairs") == 0) pairs();
    if (std::strcmp(words[1], "facts") == 0) facts();
    const int rounds = count > 2 ? std::atoi(words[2]) : 0;
    if (std::strcmp(words[1], "calls") == 0) calls(rounds);
    if (std::strcmp(words[1], "steps") == 0) steps(rounds);
    if (std::strcmp(words[1], "sorts") == 0) sorts(rounds);
}
