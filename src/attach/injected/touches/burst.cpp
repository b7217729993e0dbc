// The bursts of watari_touches: the time of calls. Of runs with tracing and without, the difference
// is the cost of tracing (attach/trace/cost.py). Nanoseconds, the least of several bursts, since
// other programs only add to it:
//
//     call         a cheap call
//     launch       the launch of an empty kernel, one after the other
//     copying      a copy of 8 bytes to the CPU
//     wait         a wait, where there is nothing to wait for
//     record       the record of an event
//     allocation   an allocation of 1 MiB and its release, eight calls deep, since tracing walks
//                  through the call stack (median: the library also writes a log)
//     launch_wait  a launch and a wait
//     launch_copy  a launch and a copy
//     behind       an empty kernel behind others: the GPU alone counts
//     copy_behind  a copy of 8 bytes of pinned memory behind others, likewise
//     node_call    a node of a CUDA graph of empty kernels: its part of the launch
//     node         the same, of the launch and the wait
//
//     small_page   the CPU's first touch of a page of memory, and its release (median)
//     huge_page    the same within a huge page
//
// and the nanoseconds of `size` bytes of pinned memory to the GPU and back. `faults`: page faults
// of the CPU until CUDA had started; `total`: nanoseconds of all bursts.
#include "touches.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace watari::attach {
namespace {

using steady = std::chrono::steady_clock;
constexpr int bursts = 20, calls_of_burst = 32, few = 8, many = 72;
constexpr int copies = 6;
constexpr std::size_t small = std::size_t{1} << 20;
constexpr std::size_t size = std::size_t{32} << 20;
constexpr std::uint64_t cycles = 600'000;  // of the GPU, longer than `many` launches take

double nanoseconds_since(steady::time_point begun) {
    return std::chrono::duration<double, std::nano>(steady::now() - begun).count();
}

void wait() {
    static const auto function = find("cuCtxSynchronize", &cuCtxSynchronize);
    require("cuCtxSynchronize", function());
}

// Of one call, in each burst, in order. Each burst begins with an idle GPU.
template <typename Call>
std::vector<double> of_bursts(Call one, int times, int calls) {
    std::vector<double> found;
    for (int burst = 0; burst < times; ++burst) {
        const auto begun = steady::now();
        for (int i = 0; i < calls; ++i) {
            one();
        }
        found.push_back(nanoseconds_since(begun) / calls);
        wait();
    }
    std::sort(found.begin(), found.end());
    return found;
}

template <typename Call>
double of_each(Call one, int times = bursts, int calls = calls_of_burst) {
    return of_bursts(one, times, calls).front();
}

template <typename Call>
double median_of_each(Call one, int times = bursts, int calls = calls_of_burst) {
    return of_bursts(one, times, calls)[static_cast<std::size_t>(times) / 2];
}

// Calls a function from so many calls of this one.
template <typename Call>
__attribute__((noinline)) void deep_inside(int calls, Call one) {
    if (calls == 0) {
        one();
    } else {
        deep_inside(calls - 1, one);
    }
    asm volatile("");  // no tail call
}

// Of one operation on the GPU, behind a kernel that takes longer than all calls.
template <typename Spin, typename Call>
double behind(Spin spin, Call one) {
    const auto whole = [&](int count) {
        return of_each(
            [&] {
                spin();
                for (int i = 0; i < count; ++i) {
                    one();
                }
                wait();
            },
            bursts, 1);
    };
    whole(few);  // the GPU's clock rises
    return std::max((whole(many) - whole(few)) / (many - few), 0.0);
}

struct launcher {
    CUfunction function;
    CUstream stream = nullptr;
    std::uint64_t first = 0, step = 0, count = 0;  // nothing is touched
    unsigned write = 0;

    void operator()() {
        static const auto launch = find("cuLaunchKernel", &cuLaunchKernel);
        void* parameters[] = {&first, &step, &count, &write};
        require("cuLaunchKernel",
                launch(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
    }
};

// A graph of so many kernels, one after the other.
CUgraphExec graph_of(int nodes, CUfunction function) {
    CUstream stream = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec made = nullptr;
    call("cuStreamCreate", &cuStreamCreate, &stream, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
    call("cuStreamBeginCapture_v2", &cuStreamBeginCapture_v2, stream,
         CU_STREAM_CAPTURE_MODE_RELAXED);
    launcher launch{.function = function, .stream = stream};
    for (int i = 0; i < nodes; ++i) {
        launch();
    }
    call("cuStreamEndCapture", &cuStreamEndCapture, stream, &graph);
    call("cuGraphInstantiateWithFlags", &cuGraphInstantiateWithFlags, &made, graph, 0ULL);
    return made;
}

// Of one node, with the wait for it or without.
double of_node(CUgraphExec small_one, CUgraphExec large_one, bool waits) {
    static const auto launch = find("cuGraphLaunch", &cuGraphLaunch);
    const auto whole = [&](CUgraphExec graph) {
        return of_each(
            [&] {
                require("cuGraphLaunch", launch(graph, nullptr));
                if (waits) {
                    wait();
                }
            },
            bursts, 1);
    };
    whole(large_one);  // the first launch takes longer
    return std::max((whole(large_one) - whole(small_one)) / (many - few), 0.0);
}

CUfunction named(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    call("cuModuleGetFunction", &cuModuleGetFunction, &function, module, name);
    return function;
}

}  // namespace

void burst(CUmodule module) {
    const auto begun = steady::now();
    const long faults = page_faults();
    const auto device = find("cuCtxGetDevice", &cuCtxGetDevice);
    const auto to_gpu = find("cuMemcpyHtoDAsync_v2", &cuMemcpyHtoDAsync_v2);
    const auto to_cpu = find("cuMemcpyDtoHAsync_v2", &cuMemcpyDtoHAsync_v2);
    const auto copy_back = find("cuMemcpyDtoH_v2", &cuMemcpyDtoH_v2);
    const auto record_event = find("cuEventRecord", &cuEventRecord);
    CUdevice current = 0;
    CUdeviceptr memory = 0;
    CUevent event = nullptr;
    void* pinned = nullptr;
    std::uint64_t value = 0;
    call("cuMemAlloc_v2", &cuMemAlloc_v2, &memory, size);
    call("cuMemHostAlloc", &cuMemHostAlloc, &pinned, size, 0u);
    call("cuEventCreate", &cuEventCreate, &event, static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));

    launcher launch{.function = named(module, "watari_touch")};
    launcher spin{.function = named(module, "watari_spin"), .first = cycles};
    const auto small_graph = graph_of(few, launch.function);
    const auto large_graph = graph_of(many, launch.function);
    const auto copy = [&] { require("cuMemcpyDtoH_v2", copy_back(&value, memory, sizeof value)); };
    const auto in = [&](std::size_t bytes) {
        require("cuMemcpyHtoDAsync_v2", to_gpu(memory, pinned, bytes, nullptr));
    };
    const auto out = [&] {
        require("cuMemcpyDtoHAsync_v2", to_cpu(pinned, memory, size, nullptr));
    };
    const auto allocate = find("cuMemAlloc_v2", &cuMemAlloc_v2);
    const auto release = find("cuMemFree_v2", &cuMemFree_v2);
    const auto allocation = [&] {
        CUdeviceptr one = 0;
        require("cuMemAlloc_v2", allocate(&one, small));
        require("cuMemFree_v2", release(one));
    };
    const struct {
        const char* name;
        double nanoseconds;
    } rows[] = {
        {"call", of_each([&] { require("cuCtxGetDevice", device(&current)); })},
        {"launch", of_each(launch)},
        {"copying", of_each(copy)},
        {"wait", of_each(wait)},
        {"record", of_each([&] { require("cuEventRecord", record_event(event, nullptr)); })},
        {"allocation", median_of_each([&] { deep_inside(8, allocation); }, few)},
        {"launch_wait", of_each([&] { launch(), wait(); })},
        {"launch_copy", of_each([&] { launch(), copy(); })},
        {"behind", behind(spin, launch)},
        {"copy_behind", behind(spin, [&] { in(sizeof value); })},
        {"node_call", of_node(small_graph, large_graph, false)},
        {"node", of_node(small_graph, large_graph, true)},
        {"to_gpu", of_each([&] { in(size), wait(); }, copies, 1)},
        {"to_cpu", of_each([&] { out(), wait(); }, copies, 1)},
        {"small_page", first_touch(pages::small)},
        {"huge_page", first_touch(pages::huge)},
    };
    for (const auto& row : rows) {
        std::printf("%s\"%s\": %.1f", &row == rows ? "{" : ", ", row.name, row.nanoseconds);
    }
    std::printf(", \"size\": %zu, \"faults\": %ld, \"total\": %.1f}\n", size, faults,
                nanoseconds_since(begun));
}

}  // namespace watari::attach
