// Plays sequences of calls of the driver, to record which operation follows which:
//
//     orders FILE LONG_US LONG_BYTES REPEATS
//
// Each line of FILE is a sequence of steps, separated by `;`. A step may begin with `t:`, then a
// second thread does it; the first one waits for it.
//
//     k STREAM            kernel of 20 us
//     h STREAM            host function of 20 us
//     f STREAM            fill of 4 KiB
//     i STREAM MEMORY     asynchronous copy to the GPU; MEMORY: p pinned, g pageable (4 KiB), G
//                         pageable (128 KiB). o: back
//     I MEMORY, O MEMORY  synchronous copies
//     r EVENT STREAM      record; w STREAM EVENT: the stream waits for it
//     s STREAM, e EVENT, c    waits for a stream, an event, all
//     g STREAM SHAPE      launch of a graph: chain, fork, host, pair
//     a, x                cuMemAlloc, cuMemFree; A STREAM, X STREAM: their ordered forms
//     p, u                cuMemHostAlloc, cuMemFreeHost
//
// STREAM: L legacy default, P of the thread, b0 b1 blocking, n0 n1 non-blocking. EVENT: 0 to 3.
//
// A sequence is played as it is (long -1), and with each kernel, host function and copy in turn
// taking LONG_US or LONG_BYTES: what does not follow it then begins before it ends. Output, times
// in ns of CLOCK_MONOTONIC:
//
//     gpu NAME
//     run SEQUENCE LONG         LONG: the number of the long operation, as STEP.NODE
//     step NUMBER BEGIN END RESULT
//     host STEP.NODE BEGIN END
//     done TIME
#include <dlfcn.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using result = int;
using device_pointer = unsigned long long;

#define FUNCTIONS(X)                                                                               \
    X(cuInit, "", (unsigned))                                                                      \
    X(cuDeviceGetName, "", (char*, int, int))                                                      \
    X(cuDevicePrimaryCtxRetain, "", (void**, int))                                                 \
    X(cuCtxSetCurrent, "", (void*))                                                                \
    X(cuCtxSynchronize, "", ())                                                                    \
    X(cuModuleLoadData, "", (void**, const void*))                                                 \
    X(cuModuleGetFunction, "", (void**, void*, const char*))                                       \
    X(cuStreamCreate, "", (void**, unsigned))                                                      \
    X(cuStreamSynchronize, "", (void*))                                                            \
    X(cuStreamWaitEvent, "", (void*, void*, unsigned))                                             \
    X(cuStreamBeginCapture, "_v2", (void*, int))                                                   \
    X(cuStreamEndCapture, "", (void*, void**))                                                     \
    X(cuGraphInstantiateWithFlags, "", (void**, void*, unsigned long long))                        \
    X(cuGraphLaunch, "", (void*, void*))                                                           \
    X(cuGraphExecDestroy, "", (void*))                                                             \
    X(cuEventCreate, "", (void**, unsigned))                                                       \
    X(cuEventRecord, "", (void*, void*))                                                           \
    X(cuEventSynchronize, "", (void*))                                                             \
    X(cuMemAlloc, "_v2", (device_pointer*, std::size_t))                                           \
    X(cuMemFree, "_v2", (device_pointer))                                                          \
    X(cuMemAllocAsync, "", (device_pointer*, std::size_t, void*))                                  \
    X(cuMemFreeAsync, "", (device_pointer, void*))                                                 \
    X(cuMemHostAlloc, "", (void**, std::size_t, unsigned))                                         \
    X(cuMemFreeHost, "", (void*))                                                                  \
    X(cuMemcpyHtoD, "_v2", (device_pointer, const void*, std::size_t))                             \
    X(cuMemcpyDtoH, "_v2", (void*, device_pointer, std::size_t))                                   \
    X(cuMemcpyHtoDAsync, "_v2", (device_pointer, const void*, std::size_t, void*))                 \
    X(cuMemcpyDtoHAsync, "_v2", (void*, device_pointer, std::size_t, void*))                       \
    X(cuMemsetD8Async, "", (device_pointer, unsigned char, std::size_t, void*))                    \
    X(cuLaunchHostFunc, "", (void*, void (*)(void*), void*))                                       \
    X(cuLaunchKernel, "",                                                                          \
      (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, \
       void**))
#define DECLARE(name, suffix, parameters) result(*name) parameters = nullptr;
FUNCTIONS(DECLARE)

void require(result outcome, const char* call) {
    if (outcome == 0) return;
    std::fprintf(stderr, "%s failed with %d\n", call, outcome);
    std::exit(3);
}
#define REQUIRE(call) require(call, #call)

constexpr const char* image = R"(
.version 7.0
.target sm_60
.address_size 64
.visible .entry spin(.param .u64 ns)
{
  .reg .pred %p;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [ns];
  mov.u64 %d2, %globaltimer;
again:
  mov.u64 %d3, %globaltimer;
  sub.u64 %d4, %d3, %d2;
  setp.lt.u64 %p, %d4, %d1;
  @%p bra again;
  ret;
}
)";

using stamp = unsigned long long;

stamp now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<stamp>(time.tv_sec) * 1'000'000'000u + static_cast<stamp>(time.tv_nsec);
}

constexpr unsigned non_blocking = 1;
constexpr stamp usual = 20'000;  // ns
constexpr std::size_t little = 4096, much = 128 * 1024;
stamp longest;           // ns
std::size_t most_bytes;  // of a long copy
void *context, *spin;
std::map<std::string, void*> streams;
void* events[4];
device_pointer buffer;
char *pinned, *pageable;

struct step {
    bool in_thread = false;
    char what = 0;
    std::string first, second;
};

// The operation that is long: one node of a step. Nodes of a graph count from 0.
struct chosen {
    int step = -1, node = 0;
};
chosen is_long;

stamp duration(int step, int node) {
    return step == is_long.step && node == is_long.node ? longest : usual;
}
std::size_t bytes(int step, const std::string& memory) {
    if (step != is_long.step) return memory == "G" ? much : little;
    return memory == "p" ? most_bytes : most_bytes / 2;  // pageable memory is slower
}

// What a host function did.
struct called {
    int step, node;
    stamp takes, begin = 0, end = 0;
};
std::vector<called*> calls;

void host_function(void* data) {
    auto* own = static_cast<called*>(data);
    own->begin = now();
    if (own->takes > usual) std::this_thread::sleep_for(std::chrono::nanoseconds(own->takes));
    while (now() < own->begin + own->takes) {
    }
    own->end = now();
}

void* stream_of(const std::string& name) {
    return name == "L"   ? nullptr
           : name == "P" ? reinterpret_cast<void*>(2)  // CU_STREAM_PER_THREAD
                         : streams[name];
}

// The blocks of a kernel are the number of its node, from 1.
result launch(void* stream, int step, int node) {
    stamp takes = duration(step, node);
    void* arguments[] = {&takes};
    return cuLaunchKernel(spin, static_cast<unsigned>(node) + 1, 1, 1, 1, 1, 1, 0, stream,
                          arguments, nullptr);
}

result launch_host(void* stream, int step, int node) {
    calls.push_back(new called{step, node, duration(step, node)});
    return cuLaunchHostFunc(stream, host_function, calls.back());
}

// Graphs are made by a capture of their own streams.
void* graph_of(const std::string& shape, int step) {
    static void *one = nullptr, *two = nullptr, *fork = nullptr, *join = nullptr;
    if (!one) {
        REQUIRE(cuStreamCreate(&one, non_blocking));
        REQUIRE(cuStreamCreate(&two, non_blocking));
        REQUIRE(cuEventCreate(&fork, 2));
        REQUIRE(cuEventCreate(&join, 2));
    }
    void *graph, *made;
    REQUIRE(cuStreamBeginCapture(one, 1));
    if (shape != "pair") REQUIRE(launch(one, step, 0));
    if (shape == "fork" || shape == "pair") {
        REQUIRE(cuEventRecord(fork, one));
        REQUIRE(cuStreamWaitEvent(two, fork, 0));
        REQUIRE(launch(two, step, 1));
        REQUIRE(launch(one, step, 2));
        REQUIRE(cuEventRecord(join, two));
        REQUIRE(cuStreamWaitEvent(one, join, 0));
        if (shape == "fork") REQUIRE(launch(one, step, 3));
    } else if (shape == "host") {
        REQUIRE(launch_host(one, step, 1));
        REQUIRE(launch(one, step, 2));
    } else {
        REQUIRE(launch(one, step, 1));
    }
    REQUIRE(cuStreamEndCapture(one, &graph));
    REQUIRE(cuGraphInstantiateWithFlags(&made, graph, 0));
    return made;
}

// The nodes of a step that can be long.
std::vector<int> nodes(const step& one) {
    if (one.what == 'g')
        return one.second == "fork"   ? std::vector{0, 1, 2, 3}
               : one.second == "pair" ? std::vector{1, 2}
               : one.second == "host" ? std::vector{0, 1, 2}
                                      : std::vector{0, 1};
    return std::strchr("khioIO", one.what) ? std::vector{0} : std::vector<int>{};
}

struct state {
    std::map<int, void*> graphs;
    std::vector<device_pointer> allocated, ordered;
    std::vector<void*> host;
};

template <typename Pointer>
Pointer taken(std::vector<Pointer>& from) {
    if (from.empty()) return Pointer{};
    const Pointer last = from.back();
    from.pop_back();
    return last;
}

result play(const step& one, int number, state& all) {
    void* const stream = stream_of(one.first);
    const auto event = [](const std::string& name) { return events[name[0] - '0']; };
    char* const host = one.what == 'I' || one.what == 'O' ? (one.first == "p" ? pinned : pageable)
                       : one.second == "p"                ? pinned
                                                          : pageable;
    device_pointer made = 0;
    void* memory = nullptr;
    result outcome = 0;
    switch (one.what) {
        case 'k':
            return launch(stream, number, 0);
        case 'h':
            return launch_host(stream, number, 0);
        case 'f':
            return cuMemsetD8Async(buffer, 1, little, stream);
        case 'i':
            return cuMemcpyHtoDAsync(buffer, host, bytes(number, one.second), stream);
        case 'o':
            return cuMemcpyDtoHAsync(host, buffer, bytes(number, one.second), stream);
        case 'I':
            return cuMemcpyHtoD(buffer, host, bytes(number, one.first));
        case 'O':
            return cuMemcpyDtoH(host, buffer, bytes(number, one.first));
        case 'r':
            return cuEventRecord(event(one.first), stream_of(one.second));
        case 'w':
            return cuStreamWaitEvent(stream, event(one.second), 0);
        case 's':
            return cuStreamSynchronize(stream);
        case 'e':
            return cuEventSynchronize(event(one.first));
        case 'c':
            return cuCtxSynchronize();
        case 'g':
            return cuGraphLaunch(all.graphs[number], stream);
        case 'a':
            outcome = cuMemAlloc(&made, much);
            all.allocated.push_back(made);
            return outcome;
        case 'x':
            return cuMemFree(taken(all.allocated));
        case 'A':
            outcome = cuMemAllocAsync(&made, much, stream);
            all.ordered.push_back(made);
            return outcome;
        case 'X':
            return cuMemFreeAsync(taken(all.ordered), stream);
        case 'p':
            outcome = cuMemHostAlloc(&memory, much, 0);
            all.host.push_back(memory);
            return outcome;
        case 'u':
            return cuMemFreeHost(taken(all.host));
        default:
            std::fprintf(stderr, "unknown step %c\n", one.what);
            std::exit(2);
    }
}

// A second thread, which does what the first one waits for.
class helper {
public:
    helper() : thread([this] { run(); }) {}
    ~helper() {
        {
            const std::lock_guard hold(lock);
            is_over = true;
        }
        changed.notify_all();
        thread.join();
    }
    void call(std::function<void()> wanted) {
        std::unique_lock hold(lock);
        work = std::move(wanted);
        changed.notify_all();
        changed.wait(hold, [this] { return !work; });
    }

private:
    void run() {
        REQUIRE(cuCtxSetCurrent(context));
        std::unique_lock hold(lock);
        for (;;) {
            changed.wait(hold, [this] { return work || is_over; });
            if (!work) return;
            work();
            work = nullptr;
            changed.notify_all();
        }
    }

    std::mutex lock;
    std::condition_variable changed;
    std::function<void()> work;
    bool is_over = false;
    std::thread thread;
};

struct played {
    stamp begin, end;
    result outcome;
};

void play(const std::vector<step>& steps, helper& other, int sequence, bool is_told) {
    state all;
    for (called* one : calls) delete one;
    calls.clear();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].what == 'g')
            all.graphs[static_cast<int>(i)] = graph_of(steps[i].second, static_cast<int>(i));
    REQUIRE(cuCtxSynchronize());
    std::vector<played> done(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto act = [&] {
            done[i].begin = now();
            done[i].outcome = play(steps[i], static_cast<int>(i), all);
            done[i].end = now();
        };
        if (steps[i].in_thread)
            other.call(act);
        else
            act();
    }
    REQUIRE(cuCtxSynchronize());
    const auto over = now();
    for (const auto pointer : all.allocated) REQUIRE(cuMemFree(pointer));
    for (const auto pointer : all.ordered) REQUIRE(cuMemFree(pointer));
    for (void* pointer : all.host) REQUIRE(cuMemFreeHost(pointer));
    for (const auto& [step, graph] : all.graphs) REQUIRE(cuGraphExecDestroy(graph));
    if (!is_told) return;
    std::printf("run %d %d.%d\n", sequence, is_long.step, is_long.node);
    for (std::size_t i = 0; i < done.size(); ++i)
        std::printf("step %zu %llu %llu %d\n", i, done[i].begin, done[i].end, done[i].outcome);
    for (const called* one : calls)
        std::printf("host %d.%d %llu %llu\n", one->step, one->node, one->begin, one->end);
    std::printf("done %llu\n", over);
}

std::vector<step> steps_of(const std::string& line) {
    std::vector<step> found;
    std::stringstream parts(line);
    for (std::string part; std::getline(parts, part, ';');) {
        std::stringstream words(part);
        std::string word;
        step one;
        words >> word;
        one.in_thread = word.rfind("t:", 0) == 0;
        one.what = one.in_thread ? word[2] : word[0];
        words >> one.first >> one.second;
        found.push_back(one);
    }
    return found;
}

void begin() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(9);
    }
#define LOOK_UP(name, suffix, parameters) \
    name = reinterpret_cast<decltype(name)>(dlsym(driver, #name suffix));
    FUNCTIONS(LOOK_UP)
    void* module;
    REQUIRE(cuInit(0));
    char gpu[100];
    REQUIRE(cuDeviceGetName(gpu, sizeof gpu, 0));
    std::printf("gpu %s\n", gpu);
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0));
    REQUIRE(cuCtxSetCurrent(context));
    REQUIRE(cuModuleLoadData(&module, image));
    REQUIRE(cuModuleGetFunction(&spin, module, "spin"));
    for (const char* name : {"b0", "b1", "n0", "n1"})
        REQUIRE(cuStreamCreate(&streams[name], name[0] == 'n' ? non_blocking : 0));
    for (void*& event : events) REQUIRE(cuEventCreate(&event, 2));
    REQUIRE(cuMemAlloc(&buffer, most_bytes));
    void* memory;
    REQUIRE(cuMemHostAlloc(&memory, most_bytes, 0));
    pinned = static_cast<char*>(memory);
    pageable = static_cast<char*>(std::malloc(most_bytes));
    std::memset(pageable, 1, most_bytes);
    std::memset(pinned, 1, most_bytes);
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) return 8;
    longest = 1000 * std::strtoull(words[2], nullptr, 10);
    most_bytes = std::strtoull(words[3], nullptr, 10);
    const int repeats = std::atoi(words[4]);
    begin();
    helper other;
    std::ifstream file(words[1]);
    int sequence = 0;
    for (std::string line; std::getline(file, line); ++sequence) {
        const auto steps = steps_of(line);
        is_long = {};
        play(steps, other, sequence, false);  // what happens once, such as streams of threads
        play(steps, other, sequence, true);
        for (int i = 0; i < static_cast<int>(steps.size()); ++i)
            for (const int node : nodes(steps[static_cast<std::size_t>(i)])) {
                is_long = {i, node};
                for (int repeat = 0; repeat < repeats; ++repeat) play(steps, other, sequence, true);
            }
    }
}
