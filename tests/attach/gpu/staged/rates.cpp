// Rates of copies between pageable memory and the GPU: rates [MIB...]
// A line for each size and direction: `to-gpu MIB GB/s`, of the median copy, and of the best one.
// Then what the calls of the driver cost that `staged` makes for each copy, and what an
// asynchronous copy does behind 50 ms of earlier work in its stream.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../staged/driver.hpp"

namespace {

using cuda::device_pointer;

template <typename Work>
std::vector<double> times_of(int count, Work work) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) times.push_back(milliseconds(work) * 1e-3);
    std::sort(times.begin(), times.end());
    return times;
}

void print(const char* direction, double mib, const std::vector<double>& times) {
    const double bytes = mib * 1048576;
    std::printf("%s %g %.3f %.3f\n", direction, mib, bytes / times[times.size() / 2] * 1e-9,
                bytes / times.front() * 1e-9);
}

void measure(double mib) {
    const auto bytes = static_cast<std::size_t>(mib * 1048576);
    const device_pointer device = allocated(bytes);
    auto* host = static_cast<unsigned char*>(std::malloc(bytes));
    std::memset(host, 1, bytes);
    const int count = std::max(3, std::min(40, static_cast<int>(1500 / mib)));
    const auto in = [&] { REQUIRE(cuda::in(device, host, bytes)); };
    const auto out = [&] { REQUIRE(cuda::out(host, device, bytes)); };
    in();
    print("to-gpu", mib, times_of(count, in));
    out();
    print("to-cpu", mib, times_of(count, out));
    std::free(host);
}

// The first copy of a process, and one to memory that nobody has touched.
void measure_fresh() {
    constexpr std::size_t bytes = 64 << 20;
    const device_pointer device = allocated(bytes);
    auto* host = static_cast<unsigned char*>(std::malloc(bytes));
    std::memset(host, 1, bytes);
    std::printf("ms: first copy of 64 MiB to the GPU %.2f\n",
                milliseconds([&] { REQUIRE(cuda::in(device, host, bytes)); }));
    for (int i = 0; i < 3; ++i) {
        auto* fresh = static_cast<unsigned char*>(std::malloc(bytes));
        std::printf("ms: 64 MiB to fresh memory %.2f\n",
                    milliseconds([&] { REQUIRE(cuda::out(fresh, device, bytes)); }));
        std::free(fresh);
    }
    std::free(host);
}

// Files of /proc as ranges.cpp asks them.
void ask_mapping(const void* address) {
    std::uint64_t query[13] = {sizeof query, 0, reinterpret_cast<std::uintptr_t>(address)};
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const int failed = ioctl(maps, _IOWR('f', 17, query), query);
    if (failed) std::printf("no PROCMAP_QUERY\n");
    close(maps);
}

void read_table() {
    char text[65536];
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (read(maps, text, sizeof text) > 0) {
    }
    close(maps);
}

void measure_calls() {
    const auto* host = static_cast<unsigned char*>(std::malloc(8 << 20));
    const device_pointer device = allocated(8 << 20);
    unsigned type = 0;
    const auto ask = [&](device_pointer pointer) {
        return times_of(200, [&] { cuda::kind_of(&type, 2, pointer); })[100] * 1e6;
    };
    std::printf("us: kind of a device pointer %.2f, of a pageable one %.2f\n", ask(device),
                ask(reinterpret_cast<device_pointer>(host)));
    std::printf("us: a mapping by PROCMAP_QUERY %.2f, by the table %.2f\n",
                times_of(200, [&] { ask_mapping(host); })[100] * 1e6,
                times_of(50, read_table)[25] * 1e6);
}

void rest(void*) { usleep(50'000); }

void measure_late(double mib) {
    const auto bytes = static_cast<std::size_t>(mib * 1048576);
    const device_pointer device = allocated(bytes);
    void* const on = stream();
    auto* host = static_cast<unsigned char*>(std::malloc(bytes));
    std::memset(host, 1, bytes);
    REQUIRE(cuda::in(device, host, bytes));
    for (bool is_out : {false, true}) {
        REQUIRE(cuda::call_host(on, rest, nullptr));
        const double returned = milliseconds([&] {
            REQUIRE(is_out ? cuda::out_async(host, device, bytes, on)
                           : cuda::in_async(device, host, bytes, on));
        });
        const double left = milliseconds([&] { REQUIRE(cuda::await(on)); });
        std::printf("ms: %s %g MiB behind 50 ms: returns after %.2f, done after %.2f\n",
                    is_out ? "to-cpu" : "to-gpu", mib, returned, returned + left);
    }
}

}  // namespace

int main(int argc, char** argv) {
    begin();
    std::vector<double> sizes = {1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128, 256, 1024};
    if (argc > 1) sizes.clear();
    for (int i = 1; i < argc; ++i) sizes.push_back(std::atof(argv[i]));
    if (argc == 1) measure_fresh();
    for (const double mib : sizes) measure(mib);
    if (argc > 1) return 0;
    measure_calls();
    for (const double mib : {0.03, 1., 4., 8., 64., 256.}) measure_late(mib);
    return 0;
}
