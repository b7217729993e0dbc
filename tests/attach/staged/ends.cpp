// A program that copies, and does what its arguments say, in turn:
//
//     copy MIB       to the GPU and back, and checks the bytes
//     fresh MIB      from the GPU to memory that nobody has touched, and checks the bytes
//     rows MIB       to the GPU and back by rows that lie apart on both sides
//     sizes          copies 7 MiB and then 60 MiB to the GPU in one stream, behind other work, and
//     checks
//                    the first ones
//     far            rows with a pitch that the driver refuses; prints the result
//     threads        prints the number of threads of the process
//     where          prints the CPUs of each thread, and the policy and nodes of each mapping of
//                    4 MiB or more that has a policy
//     idle MS        sleeps; prints `asleep` if all threads of the process were
//     fork           a child prints its threads, and ends
//     exit, _exit, kill    ends while another thread copies
//     reset          resets the primary context, and makes it again
//     truncated      copies a mapped file that has lost its end: SIGBUS in the calling thread
//     watched        copies memory of which another thread makes the pages (userfaultfd)
//     captured       captures a stream again and again while another thread copies; prints the
//                    number of captures that failed
//     fail HOW       copies (in, out, in_async, out_async) behind work that may fail; prints the
//                    results
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "driver.hpp"

namespace {

using cuda::device_pointer;

void copy(std::size_t bytes) {
    const device_pointer device = allocated(bytes);
    std::vector<unsigned> sent(bytes / 4), received(bytes / 4);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned>(i * 2654435761u);
    REQUIRE(cuda::in(device, sent.data(), bytes));
    REQUIRE(cuda::out(received.data(), device, bytes));
    REQUIRE(cuda::release(device));
    std::printf("%s\n", sent == received ? "same" : "other bytes");
}

// Neither the begin nor the end of it is at a page.
void copy_to_fresh(std::size_t bytes) {
    constexpr std::size_t aside = 40;
    const device_pointer device = allocated(bytes);
    std::vector<char> sent(bytes);
    for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<char>(i * i >> 7);
    // few bytes at a time: the driver copies them
    for (std::size_t at = 0; at < bytes; at += mib)
        REQUIRE(cuda::in(device + at, sent.data() + at, std::min(mib, bytes - at)));
    auto* memory = static_cast<char*>(mmap(nullptr, bytes + 2 * aside, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(cuda::out(memory + aside, device, bytes));
    const bool is_same = std::equal(sent.begin(), sent.end(), memory + aside);
    const auto is_zero = [](char byte) { return byte == 0; };
    const bool is_rest = std::all_of(memory, memory + aside, is_zero) &&
                         std::all_of(memory + aside + bytes, memory + 2 * aside + bytes, is_zero);
    REQUIRE(cuda::release(device));
    std::printf("%s\n", is_same && is_rest ? "same" : "other bytes");
}

void copy_rows(std::size_t bytes) {
    constexpr std::size_t width = 1000, pitch = 1024;
    const device_pointer device = allocated(bytes);
    std::vector<char> sent(bytes), received(bytes, 1);
    for (std::size_t i = 0; i < bytes; ++i)
        sent[i] = i % pitch < width ? char(i * i >> 7) : char(1);
    cuda::rectangle one{};
    one.from = {1, sent.data(), 0, nullptr};
    one.to = {2, nullptr, device, nullptr};
    one.from_pitch = one.to_pitch = pitch;
    one.width = width;
    one.height = bytes / pitch;
    REQUIRE(cuda::rows(&one));
    one.from = {2, nullptr, device, nullptr};
    one.to = {1, received.data(), 0, nullptr};
    REQUIRE(cuda::rows(&one));
    REQUIRE(cuda::release(device));
    std::printf("%s\n", sent == received ? "same" : "other bytes");
}

// Two rows of the first copy fill a slot, so that it has more slots than the second one.
void copy_sizes() {
    constexpr std::size_t width = 200'000, height = 36, few = width * height, many = 60 * mib;
    const device_pointer first = allocated(few), second = allocated(many);
    void* const on = stream();
    const std::vector<char> ones(few + height, 1), twos(many, 2);
    std::vector<char> received(width);
    cuda::rectangle apart{};
    apart.from = {1, const_cast<char*>(ones.data()), 0, nullptr};
    apart.to = {2, nullptr, first, nullptr};
    apart.from_pitch = width + 1;
    apart.to_pitch = apart.width = width;
    apart.height = height;
    bool is_same = true;
    for (int i = 0; i < 40; ++i) {
        REQUIRE(cuda::rows_async(&apart, on));
        REQUIRE(cuda::in_async(second, twos.data(), many, on));
        REQUIRE(cuda::await(on));
        for (std::size_t row = 0; row < height; ++row) {
            REQUIRE(cuda::out(received.data(), first + row * width, width));
            is_same = is_same && std::equal(received.begin(), received.end(), ones.begin());
        }
    }
    std::printf("%s\n", is_same ? "same" : "other bytes");
}

void copy_far() {
    // the last row seems to be the first one: 32 * pitch is 0
    constexpr std::size_t width = mib / 4, height = 33, pitch = std::size_t{1} << 61;
    const device_pointer device = allocated(width * height);
    std::vector<char> host(width);
    cuda::rectangle one{};
    one.from = {1, host.data(), 0, nullptr};
    one.to = {2, nullptr, device, nullptr};
    one.from_pitch = pitch;
    one.to_pitch = one.width = width;
    one.height = height;
    std::printf("result %d\n", cuda::rows(&one));
    REQUIRE(cuda::release(device));
}

long threads() {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

void print_threads() { std::printf("threads %ld\n", threads()); }

void print_where() {
    std::string line;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task"))
        for (std::ifstream status(each.path() / "status"); std::getline(status, line);)
            if (line.starts_with("Cpus_allowed_list:"))
                std::printf("cpus %s\n", line.substr(line.find('\t') + 1).c_str());
    // address policy ... anon=pages ...
    for (std::ifstream maps("/proc/self/numa_maps"); std::getline(maps, line);) {
        const auto policy = line.find(' ') + 1, pages = line.find(" anon=");
        if (pages != line.npos && std::atol(&line[pages + 6]) >= 1024 &&
            line.compare(policy, 7, "default") != 0)
            std::printf("memory %s\n", line.substr(policy).c_str());
    }
}

double cpu_seconds() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void idle(int milliseconds) {
    usleep(100'000);
    const double before = cpu_seconds();
    usleep(static_cast<unsigned>(milliseconds) * 1000);
    std::printf("%s\n", cpu_seconds() - before < 0.01 ? "asleep" : "awake");
}

void fork_child() {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        print_threads();
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child %d\n", status);
}

void copy_for_ever() {
    begin();
    constexpr std::size_t bytes = 64 * mib;
    const device_pointer device = allocated(bytes);
    std::vector<char> host(bytes);
    while (cuda::in(device, host.data(), bytes) == 0 &&
           cuda::out(host.data(), device, bytes) == 0) {
    }
}

void end(const char* how) {
    std::thread(copy_for_ever).detach();
    usleep(200'000);
    std::fflush(stdout);
    if (!std::strcmp(how, "exit")) std::exit(7);
    if (!std::strcmp(how, "_exit")) _exit(7);
    raise(SIGKILL);
}

// Copies in a stream of its own, which a capture in another stream does not forbid.
void copy_aside(std::atomic<bool>& is_ready, const std::atomic<bool>& is_over) {
    begin();
    constexpr std::size_t bytes = 16 * mib;
    const device_pointer device = allocated(bytes);
    void* const on = stream();
    std::vector<char> host(bytes);
    is_ready = true;  // captures forbid what was called so far
    while (!is_over) REQUIRE(cuda::in_async(device, host.data(), bytes, on));
    REQUIRE(cuda::await(on));
}

void captured() {
    constexpr int global = 0;
    std::atomic<bool> is_ready = false, is_over = false;
    std::thread copier(copy_aside, std::ref(is_ready), std::cref(is_over));
    void* const on = stream();
    while (!is_ready) usleep(100);
    int failed = 0;
    for (int i = 0; i < 300; ++i) {
        void* graph = nullptr;
        usleep(500);
        REQUIRE(cuda::begin_capture(on, global));
        usleep(500);
        failed += cuda::end_capture(on, &graph) != 0;
    }
    is_over = true;
    copier.join();
    std::printf("failed %d\n", failed);
}

sigjmp_buf jump;
pid_t caller;

void on_bus_error(int) {
    if (gettid() == caller) siglongjmp(jump, 1);
    _exit(8);
}

void truncated() {
    constexpr std::size_t bytes = 64 * mib;
    const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, bytes) != 0) std::exit(4);
    void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (host == MAP_FAILED || ftruncate(file, bytes / 2) != 0) std::exit(4);
    const device_pointer device = allocated(bytes);
    caller = gettid();
    std::signal(SIGBUS, on_bus_error);
    if (sigsetjmp(jump, 1) == 0)
        std::printf("result %d\n", cuda::in(device, host, bytes));
    else
        std::printf("SIGBUS in the calling thread\n");
}

// Makes pages of sevens until there are no more faults.
void serve(int faults) {
    std::vector<char> page(4096, 7);
    uffd_msg message;
    while (read(faults, &message, sizeof message) == sizeof message) {
        uffdio_copy made{};
        made.dst = message.arg.pagefault.address & ~std::uint64_t{4095};
        made.src = reinterpret_cast<std::uintptr_t>(page.data());
        made.len = 4096;
        ioctl(faults, UFFDIO_COPY, &made);
    }
}

void watched() {
    constexpr std::size_t bytes = 64 * mib;
    const auto faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    uffdio_api api{};
    api.api = UFFD_API;
    void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uffdio_register all{};
    all.range = {reinterpret_cast<std::uintptr_t>(host), bytes};
    all.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &all)) {
        std::printf("no userfaultfd\n");
        return;
    }
    std::thread(serve, faults).detach();
    const device_pointer device = allocated(bytes);
    REQUIRE(cuda::in(device, host, bytes));
    char last = 0;
    REQUIRE(cuda::out(&last, device + bytes - 1, 1));
    std::printf("last byte %d\n", last);
}

void fail(const char* how) {
    constexpr std::size_t bytes = 96 * mib;
    const device_pointer device = allocated(bytes);
    void* const on = stream(0);
    std::vector<char> host(bytes);
    const auto is = [&](const char* name) { return std::strcmp(how, name) == 0; };
    const int set = cuda::set(device, 1, bytes, on);
    const int copied = is("in")         ? cuda::in(device, host.data(), bytes)
                       : is("out")      ? cuda::out(host.data(), device, bytes)
                       : is("in_async") ? cuda::in_async(device, host.data(), bytes, on)
                                        : cuda::out_async(host.data(), device, bytes, on);
    std::printf("%d %d %d %d\n", set, copied, cuda::await(on), host[0]);
}

void reset() {
    REQUIRE(cuda::reset_context(0));
    begin();
}

}  // namespace

int main(int argc, char** argv) {
    begin();
    for (int i = 1; i < argc; ++i) {
        const char* word = argv[i];
        const auto is = [&](const char* name) { return std::strcmp(word, name) == 0; };
        if (is("copy")) copy(static_cast<std::size_t>(std::atol(argv[++i])) * mib);
        if (is("fresh")) copy_to_fresh(static_cast<std::size_t>(std::atol(argv[++i])) * mib);
        if (is("rows")) copy_rows(static_cast<std::size_t>(std::atol(argv[++i])) * mib);
        if (is("sizes")) copy_sizes();
        if (is("far")) copy_far();
        if (is("threads")) print_threads();
        if (is("where")) print_where();
        if (is("idle")) idle(std::atoi(argv[++i]));
        if (is("fork")) fork_child();
        if (is("exit") || is("_exit") || is("kill")) end(word);
        if (is("captured")) captured();
        if (is("fail")) fail(argv[++i]);
        if (is("reset")) reset();
        if (is("truncated")) truncated();
        if (is("watched")) watched();
    }
    return 0;
}
