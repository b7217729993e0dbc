// The commands a second that the queues carry between threads of the CPU: random reads of one block
// from a namespace in memory, the upper limit of the software.
//
//   cmake -S . -B build -DWATARI_CUDA=OFF && cmake --build build --target watari
//   g++ -O3 -std=c++20 -Isrc -Itests/cpp -Ibuild/include benchmarks/queue_rate.cpp
//       -fopenmp -Lbuild/lib -lwatari -Wl,-rpath,build/lib -o queue_rate
//   ./queue_rate BLOCK SUBMITTERS CONTROLLERS [FILE | -]
//
// BLOCK: bytes. CONTROLLERS: its threads, each with two queues. FILE: read that file instead (-:
// none); each submitter has 32 reads in flight, as fio's iodepth=32 numjobs=SUBMITTERS. `take`: the
// reader copies its data out of the slot; `look`: it reads one word there, as a GPU's reader would
// pull it over the bus. Printed: M IOPS of each of five rounds, and the median, with its GB/s.
#include "storage/thread_commands.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace watari::storage;
using namespace watari::cpu;

namespace {

constexpr double seconds = 1;
constexpr unsigned in_flight = 32;
constexpr std::size_t namespace_bytes = std::size_t{1} << 30;

std::atomic<bool> stop;

/// Reads at random until `stop` is set. Returns the number of reads.
std::uint64_t submit_reads(const namespace_view& view, bool take, std::uint64_t seed) {
    std::array<token, in_flight> tokens;
    std::vector<std::byte> block(view.block_bytes);
    std::uint64_t count = 0, sum = 0;
    const auto next = [&] {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        return begin_read(view, (seed >> 20) % view.blocks, 1);
    };
    for (token& t : tokens) t = next();
    for (unsigned i = 0; !stop.load(std::memory_order_relaxed); i = (i + 1) % in_flight, ++count) {
        token& t = tokens[i];
        status outcome;
        if (take) {
            outcome = end_read(view, t, block.data());
        } else {
            outcome = wait(view, t);
            sum += static_cast<std::uint64_t>(slot_of(view, t)[0]);
            release_slot(view, t);
        }
        if (!outcome.ok()) {
            std::fprintf(stderr, "status %x/%x\n", outcome.sct, outcome.sc);
            std::exit(1);
        }
        t = next();
    }
    for (const token& t : tokens) end(view, t);
    return count + (sum == 1);
}

double round_of(const namespace_view& view, unsigned submitters, bool take) {
    std::atomic<std::uint64_t> count{0};
    std::vector<std::thread> threads;
    stop = false;
    const std::int64_t start = nanoseconds();
    for (unsigned t = 0; t < submitters; ++t)
        threads.emplace_back([&, t] { count += submit_reads(view, take, t + 1); });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
    for (std::thread& thread : threads) thread.join();
    return static_cast<double>(count) / (static_cast<double>(nanoseconds() - start) * 1e-9);
}

}  // namespace

int main(int count, char** words) {
    const auto block = static_cast<std::uint32_t>(count > 1 ? std::atoi(words[1]) : 4096);
    const auto submitters = static_cast<unsigned>(count > 2 ? std::atoi(words[2]) : 1);
    const auto controllers = static_cast<unsigned>(count > 3 ? std::atoi(words[3]) : 1);
    const bool has_file = count > 4 && std::string(words[4]) != "-";
    const auto store = has_file ? make_file({.paths = {words[4]}}) : make_ram(namespace_bytes);
    controller device(
        store, {.queues = {.queues = 2 * controllers, .max_transfer = std::max(block, 4096u)},
                .block_bytes = block,
                .threads = controllers});
    for (const bool take : {true, false}) {
        std::vector<double> rates;
        std::printf("%s, %u B, %u submitters, %u controllers:", take ? "take" : "look", block,
                    submitters, controllers);
        for (int round = 0; round < 5; ++round) {
            rates.push_back(round_of(device.view(), submitters, take));
            std::printf(" %.2f", rates.back() * 1e-6);
        }
        std::sort(rates.begin(), rates.end());
        std::printf(" M IOPS; median %.2f M IOPS, %.2f GB/s %s\n", rates[2] * 1e-6,
                    rates[2] * block * 1e-9, device.notice().c_str());
    }
}
