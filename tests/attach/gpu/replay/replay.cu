// Programs for a test of replays on a GPU, each with one known change:
//
//     replay SCENE ROUNDS [CHANGE]
//
//     kernels    two kernels and a wait. Change: doubled (the second kernel twice)
//     copies     64 MiB of pageable memory to the GPU, a kernel, and back. Changes: pinned,
//                kept (nothing is copied back)
//     allocated  16 MiB of the GPU's memory for each kernel. Change: hoisted (allocated once)
//     beside     kernels beside work of the CPU. Change: waits (after each kernel)
//     streams    two streams, pinned copies, kernels, events. Change: merged (one stream)
//     direct     eight short kernels and a wait. Change: graph (as one graph)
//     graphs     a graph of eight kernels. Change: doubled
//     threads    two threads, each with a stream. Change: doubled (in one of them)
//     queries    the CPU asks for an event until it is complete. Change: doubled
//     managed    managed memory that both processors use in turn. Change: doubled
//     small      a kernel and a copy of 8 KiB back. Change: rare (copied back every tenth round)
//
// It prints the seconds of its rounds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../checked.cuh"

namespace {

std::string change;
bool is(const char* name) { return change == name; }

__global__ void first(float* values, size_t count) {
    const size_t begin = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    for (size_t i = begin; i < count; i += step()) values[i] += 1.0f;
}

// Computes for some time, whatever its data: `rounds` dependent operations.
__global__ void second(float* values, size_t count, int rounds) {
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count) return;
    float value = values[i];
    for (int round = 0; round < rounds; ++round) value = value * 0.999f + 0.001f;
    values[i] = value;
}

constexpr size_t bytes = size_t{64} << 20, count = bytes / sizeof(float);
constexpr int work = 20'000;  // rounds of `second`: about 0.1 ms

void run_second(float* values, int rounds, cudaStream_t stream = nullptr) {
    second<<<64, 256, 0, stream>>>(values, count, rounds);
}

float* host_memory(bool pinned) {
    float* pointer = nullptr;
    if (pinned)
        REQUIRE(cudaMallocHost(&pointer, bytes));
    else
        pointer = static_cast<float*>(std::malloc(bytes));
    std::memset(pointer, 0, bytes);
    return pointer;
}

using clock_type = std::chrono::steady_clock;
clock_type::time_point begun;

// Of the CPU.
void compute(double microseconds) {
    const auto end = clock_type::now() + std::chrono::duration<double, std::micro>(microseconds);
    while (clock_type::now() < end) {
    }
}

void begin_rounds() {
    REQUIRE(cudaDeviceSynchronize());
    begun = clock_type::now();
}

void kernels(int rounds) {
    float* values = allocated<float>(bytes);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        first<<<1024, 256>>>(values, count / 16);
        run_second(values, is("doubled") ? 2 * work : work);
        REQUIRE(cudaDeviceSynchronize());
        compute(20);
    }
}

void copies(int rounds) {
    float* host = host_memory(is("pinned"));
    float* values = allocated<float>(bytes);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        REQUIRE(cudaMemcpy(values, host, bytes, cudaMemcpyHostToDevice));
        run_second(values, work);
        if (is("kept")) continue;
        REQUIRE(cudaMemcpy(host, values, bytes, cudaMemcpyDeviceToHost));
    }
    REQUIRE(cudaDeviceSynchronize());
}

void allocations(int rounds) {
    float* values = allocated<float>(bytes / 4);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        if (!is("hoisted")) values = allocated<float>(bytes / 4);
        run_second(values, work / 4);
        if (!is("hoisted")) REQUIRE(cudaFree(values));
        compute(20);
    }
    REQUIRE(cudaDeviceSynchronize());
}

void beside(int rounds) {
    float* values = allocated<float>(bytes);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        for (int part = 0; part < 4; ++part) {
            run_second(values, work);
            if (is("waits")) REQUIRE(cudaDeviceSynchronize());
            compute(80);
        }
        REQUIRE(cudaDeviceSynchronize());
    }
}

void streams(int rounds) {
    cudaStream_t one, two;
    cudaEvent_t arrived;
    REQUIRE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    REQUIRE(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    if (is("merged")) two = one;
    REQUIRE(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    float* host = host_memory(true);
    float *values = allocated<float>(bytes), *others = allocated<float>(bytes);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        REQUIRE(cudaMemcpyAsync(values, host, bytes / 4, cudaMemcpyHostToDevice, one));
        REQUIRE(cudaEventRecord(arrived, one));
        run_second(values, work, one);
        REQUIRE(cudaStreamWaitEvent(two, arrived, 0));
        run_second(others, 2 * work, two);
        REQUIRE(cudaMemcpyAsync(host, others, bytes / 4, cudaMemcpyDeviceToHost, two));
        REQUIRE(cudaStreamSynchronize(one));
        REQUIRE(cudaStreamSynchronize(two));
    }
}

cudaGraphExec_t graph_of(float* values, int rounds, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int node = 0; node < 8; ++node) run_second(values, rounds, stream);
    REQUIRE(cudaStreamEndCapture(stream, &graph));
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

void graphs(int rounds) {
    cudaStream_t stream;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    float* values = allocated<float>(bytes);
    const auto graph = graph_of(values, is("doubled") ? work / 2 : work / 4, stream);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        REQUIRE(cudaGraphLaunch(graph, stream));
        if (i % 8 == 7) REQUIRE(cudaStreamSynchronize(stream));
    }
    REQUIRE(cudaStreamSynchronize(stream));
}

void direct(int rounds) {
    constexpr int each = 50;  // shorter than a launch
    cudaStream_t stream;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    float* values = allocated<float>(bytes);
    const auto graph = is("graph") ? graph_of(values, each, stream) : nullptr;
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        if (graph)
            REQUIRE(cudaGraphLaunch(graph, stream));
        else
            for (int node = 0; node < 8; ++node) run_second(values, each, stream);
        REQUIRE(cudaStreamSynchronize(stream));
    }
}

void small(int rounds) {
    std::vector<float> host(2048);
    float* values = allocated<float>(bytes);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        first<<<8, 256>>>(values, 2048);
        if (is("rare") && i % 10) continue;
        REQUIRE(cudaMemcpy(host.data(), values, 8192, cudaMemcpyDeviceToHost));
    }
    REQUIRE(cudaDeviceSynchronize());
}

void threads(int rounds) {
    float* values = allocated<float>(bytes);
    std::vector<std::thread> all;
    begin_rounds();
    for (int thread = 0; thread < 2; ++thread)
        all.emplace_back([=] {
            cudaStream_t stream;
            REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            const bool is_longer = is("doubled") && thread == 0;
            for (int i = 0; i < rounds; ++i) {
                run_second(values + thread * count / 2, is_longer ? work : work / 2, stream);
                REQUIRE(cudaStreamSynchronize(stream));
            }
        });
    for (std::thread& one : all) one.join();
}

void queries(int rounds) {
    cudaEvent_t done;
    REQUIRE(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    float* values = allocated<float>(bytes);
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        run_second(values, is("doubled") ? 2 * work : work);
        REQUIRE(cudaEventRecord(done));
        while (cudaEventQuery(done) == cudaErrorNotReady) {
        }
    }
}

void managed(int rounds) {
    constexpr size_t some = count / 16;  // 4 MiB
    float* values;
    REQUIRE(cudaMallocManaged(&values, some * sizeof(float)));
    std::memset(values, 0, some * sizeof(float));
    begin_rounds();
    for (int i = 0; i < rounds; ++i) {
        first<<<1024, 256>>>(values, some);
        run_second(values, is("doubled") ? 16 * work : 8 * work);
        REQUIRE(cudaDeviceSynchronize());
        for (size_t at = 0; at < some; at += 1024) values[at] += 1.0f;
    }
}

constexpr struct {
    const char* name;
    void (*play)(int);
} scenes[] = {{"kernels", kernels}, {"copies", copies},   {"allocated", allocations},
              {"beside", beside},   {"streams", streams}, {"direct", direct},
              {"graphs", graphs},   {"threads", threads}, {"queries", queries},
              {"managed", managed}, {"small", small}};

}  // namespace

int main(int words, char** word) {
    if (words < 3) return 2;
    change = words > 3 ? word[3] : "";
    for (const auto& scene : scenes)
        if (std::strcmp(scene.name, word[1]) == 0) scene.play(std::atoi(word[2]));
    REQUIRE(cudaDeviceSynchronize());
    const std::chrono::duration<double> seconds = clock_type::now() - begun;
    std::printf("%.6f\n", seconds.count());
}
