// Programs whose replay is known, on the driver without a GPU:
//
//     replayed SCENE ROUNDS [CHANGE]
//
//     copies     copy in, three kernels, copy back, the CPU works; changes: doubled (the second
//                kernel), kept (nothing is copied back), waits (after each kernel)
//     streams    two streams with kernels and copies; events order them; changes: merged (one
//                stream), doubled
//     default    kernels of two blocking streams and of the default stream in turn
//     graphs     a graph of four kernels
//     threads    four threads, each with a stream of its own
//     queries    the CPU asks for an event until it is complete
//     small      many copies of 8 KiB back, with a kernel each
//     large      memory is allocated and filled by a large pageable copy, 8 bytes come back
//     launches   kernels in a row, then one wait
//     allocated  memory is allocated and freed around each kernel
//     pooled     memory of a pool, by streams that events order
//     callbacks  a host function between two kernels
//     own        two threads, each with the default stream of its own and a blocking stream
//     forked     a child, forked before CUDA begins, does `launches` beside its parent; `started`:
//                a child that is this program started anew
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "driver.hpp"

extern "C" {
result cuLaunchHostFunc(void* stream, void (*function)(void*), void* data);
// stream 0 is that of the thread
result cuLaunchKernel_ptsz(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, void*, void**, void**);
result cuStreamSynchronize_ptsz(void* stream);
}

namespace {

constexpr std::size_t bytes = 1 << 20;
void* context;
void* add_one;
device_pointer buffer;
std::string change;

bool is(const char* name) { return change == name; }

void launch(unsigned blocks, void* stream = nullptr) {
    std::size_t count = 0;
    void* arguments[] = {&buffer, &count};
    REQUIRE(cuLaunchKernel(add_one, blocks, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
}

void work(unsigned microseconds) {  // of the CPU
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
}

void* event_made() {
    void* event;
    REQUIRE(cuEventCreate(&event, 0));
    return event;
}

void copies(int rounds) {
    std::vector<char> host(bytes);
    for (int i = 0; i < rounds; ++i) {
        REQUIRE(cuMemcpyHtoD(buffer, host.data(), bytes));
        for (const unsigned blocks : {2u, is("doubled") ? 6u : 3u, 1u}) {
            launch(blocks);
            if (is("waits")) REQUIRE(cuCtxSynchronize());
        }
        if (is("kept")) {
            REQUIRE(cuCtxSynchronize());
        } else {
            REQUIRE(cuMemcpyDtoH(host.data(), buffer, bytes));
        }
        work(300);
    }
}

void streams(int rounds) {
    void* const first = made_stream(non_blocking);
    void* const second = is("merged") ? first : made_stream(non_blocking);
    void* const done = event_made();
    void* host;
    REQUIRE(cuMemHostAlloc(&host, bytes, 0));
    for (int i = 0; i < rounds; ++i) {
        REQUIRE(cuMemcpyHtoDAsync(buffer, host, bytes, first));
        REQUIRE(cuEventRecord(done, first));
        launch(4, first);
        REQUIRE(cuStreamWaitEvent(second, done, 0));
        launch(is("doubled") ? 6 : 3, second);
        REQUIRE(cuMemcpyDtoHAsync(host, buffer, bytes, second));
        REQUIRE(cuStreamSynchronize(first));
        REQUIRE(cuStreamSynchronize(second));
        work(200);
    }
}

void in_turn(int rounds) {
    void* const first = made_stream();
    void* const second = made_stream();
    for (int i = 0; i < rounds; ++i) {
        launch(3, first);
        launch(5, second);
        launch(2);
        launch(3, first);
        REQUIRE(cuStreamSynchronize(first));
        work(100);
    }
    REQUIRE(cuCtxSynchronize());
}

void graphs(int rounds) {
    void* const stream = made_stream(non_blocking);
    void *graph, *executable;
    REQUIRE(cuStreamBeginCapture(stream, 0));
    for (unsigned blocks = 1; blocks < 5; ++blocks) launch(blocks, stream);
    REQUIRE(cuStreamEndCapture(stream, &graph));
    REQUIRE(cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int i = 0; i < rounds; ++i) {
        REQUIRE(cuGraphLaunch(executable, stream));
        work(100);
        if (i % 4 == 3) REQUIRE(cuStreamSynchronize(stream));
    }
    REQUIRE(cuCtxSynchronize());
}

void threads(int rounds) {
    std::vector<std::thread> all;
    for (unsigned i = 0; i < 4; ++i)
        all.emplace_back([=] {
            REQUIRE(cuCtxSetCurrent(context));
            void* const stream = made_stream(non_blocking);
            for (int round = 0; round < rounds; ++round) {
                launch(1 + i, stream);
                work(50);
                REQUIRE(cuStreamSynchronize(stream));
            }
        });
    for (std::thread& one : all) one.join();
}

void queries(int rounds) {
    void* const event = event_made();
    for (int i = 0; i < rounds; ++i) {
        launch(is("doubled") ? 40 : 20);
        REQUIRE(cuEventRecord(event, nullptr));
        while (cuEventQuery(event) != 0) work(5);
        work(50);
    }
}

void small(int rounds) {
    std::vector<char> host(8192);
    for (int i = 0; i < rounds; ++i) {
        launch(1);
        REQUIRE(cuMemcpyDtoH(host.data(), buffer, host.size()));
    }
}

void large(int rounds) {
    std::vector<char> host(4 * bytes);
    for (int i = 0; i < rounds; ++i) {
        device_pointer memory;
        REQUIRE(cuMemAlloc(&memory, host.size()));
        REQUIRE(cuMemcpyHtoD(memory, host.data(), host.size()));
        launch(4);
        REQUIRE(cuMemcpyDtoH(host.data(), memory, 8));
        REQUIRE(cuMemFree(memory));
        work(500);
    }
}

void launches(int rounds) {
    for (int i = 0; i < rounds; ++i) launch(1);
    REQUIRE(cuCtxSynchronize());
}

void allocated(int rounds) {
    for (int i = 0; i < rounds; ++i) {
        device_pointer memory;
        REQUIRE(cuMemAlloc(&memory, bytes));
        launch(1);
        REQUIRE(cuMemFree(memory));
    }
}

void pooled(int rounds) {
    void* const first = made_stream(non_blocking);
    void* const second = made_stream(non_blocking);
    void* const done = event_made();
    for (int i = 0; i < rounds; ++i) {
        device_pointer memory;
        REQUIRE(cuMemAllocAsync(&memory, bytes, first));
        launch(2, first);
        REQUIRE(cuEventRecord(done, first));
        launch(4, first);
        REQUIRE(cuStreamWaitEvent(second, done, 0));
        REQUIRE(cuMemFreeAsync(memory, second));
        launch(3, second);
        work(50);
    }
    REQUIRE(cuCtxSynchronize());
}

void callbacks(int rounds) {
    for (int i = 0; i < rounds; ++i) {
        launch(2);
        REQUIRE(cuLaunchHostFunc(
            nullptr, [](void*) { work(100); }, nullptr));
        launch(1);
        REQUIRE(cuCtxSynchronize());
    }
}

void own(int rounds) {
    std::vector<std::thread> all;
    for (unsigned i = 0; i < 2; ++i)
        all.emplace_back([=] {
            REQUIRE(cuCtxSetCurrent(context));
            void* const blocking = made_stream();
            std::size_t count = 0;
            void* arguments[] = {&buffer, &count};
            for (int round = 0; round < rounds; ++round) {
                REQUIRE(cuLaunchKernel_ptsz(add_one, 2 + i, 1, 1, 32, 1, 1, 0, nullptr, arguments,
                                            nullptr));
                launch(3 - i, blocking);
                REQUIRE(cuStreamSynchronize_ptsz(nullptr));
                REQUIRE(cuStreamSynchronize(blocking));
            }
        });
    for (std::thread& one : all) one.join();
}

// Whether this is a parent, which waits for its child.
pid_t with_child(char** words) {
    const bool starts = std::strcmp(words[1], "started") == 0;
    if (!starts && std::strcmp(words[1], "forked") != 0) return 0;
    const pid_t child = fork();
    if (child == 0 && starts) {
        execl(words[0], words[0], "launches", words[2], nullptr);
        _exit(9);
    }
    return child;
}

constexpr struct {
    const char* name;
    void (*play)(int rounds);
} scenes[] = {{"copies", copies},     {"streams", streams},
              {"default", in_turn},   {"graphs", graphs},
              {"threads", threads},   {"queries", queries},
              {"small", small},       {"large", large},
              {"launches", launches}, {"allocated", allocated},
              {"pooled", pooled},     {"callbacks", callbacks},
              {"own", own},           {"forked", launches},
              {"started", launches}};

}  // namespace

int main(int count, char** words) {
    if (count < 3) return 8;
    change = count > 3 ? words[3] : "";
    const pid_t child = with_child(words);
    load_driver();
    context = made_context();
    add_one = kernel();
    REQUIRE(cuMemAlloc(&buffer, bytes));
    const auto begun = std::chrono::steady_clock::now();
    for (const auto& scene : scenes)
        if (std::strcmp(scene.name, words[1]) == 0) scene.play(std::atoi(words[2]));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    REQUIRE(cuMemFree(buffer));
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    std::printf("%.6f\n", took.count());
    return status;
}
