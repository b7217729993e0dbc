// The rate of a disk by the memory that receives its data: the same requests in flight, past the
// page cache, through few buffers that are used again and again, or through many in turn.
//
//   cmake -S . -B build -DWATARI_CUDA=OFF && cmake --build build --target watari
//   g++ -O3 -std=c++20 -Isrc -Ibuild/include benchmarks/disk_memory.cpp
//       -fopenmp -Lbuild/lib -lwatari -Wl,-rpath,build/lib -o disk_memory
//   ./disk_memory FILE [ROUNDS]
//
// FILE is made if it is not there (1 GiB of random bytes), and is not removed. One thread reads
// 96 KiB at a time in order, O_DIRECT, by io_uring with registered buffers on huge pages. Printed,
// for each number of requests in flight and of buffers: GB/s of each round; all take turns in it.
#include "watari/core/error.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/buffer.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

using namespace watari;

namespace {

constexpr std::size_t block = 96 << 10,
                      buffer_bytes = 128 << 10;  ///< bytes of a request, of a buffer
constexpr std::size_t file_bytes = std::size_t{1} << 30, blocks = file_bytes / block;
constexpr double enough = 1;  ///< seconds

struct access_pattern {
    std::size_t in_flight, buffers;
    bool in_turn;  ///< else the buffer that was freed last comes first
};
constexpr access_pattern patterns[] = {{8, 8, false},   {16, 16, false},   {32, 32, false},
                                       {64, 64, false}, {256, 256, false}, {64, 64, true},
                                       {64, 256, true}, {64, 1024, true}};

void make(const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    if (file < 0) throw error("cannot make " + path);
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> part(1 << 20);
    for (std::size_t at = 0; at < file_bytes; at += part.size() * 8) {
        for (std::uint64_t& word : part) word = random();
        if (pwrite(file, part.data(), part.size() * 8, static_cast<off_t>(at)) < 0)
            throw error("cannot write " + path);
    }
    fsync(file);
    close(file);
}

double rate(int file, const access_pattern& how) {
    const memory::buffer<std::byte> data(memory::kind::pageable, how.buffers * buffer_bytes,
                                         {.thp = memory::huge_pages::always});
    std::fill_n(data.data(), data.size(), std::byte{1});
    files::uring ring(static_cast<unsigned>(how.in_flight));
    const iovec all{data.data(), data.size()};
    ring.register_buffers({&all, 1});
    std::deque<std::size_t> free;
    for (std::size_t i = 0; i < how.buffers; ++i) free.push_back(i);
    std::array<files::uring_completion, 64> done;
    std::size_t next = 0, read = 0;
    const double start = measure::now();
    while (ring.in_flight() > 0 || measure::now() < start + enough) {
        while (ring.in_flight() < how.in_flight && measure::now() < start + enough) {
            const std::size_t i = how.in_turn ? free.front() : free.back();
            how.in_turn ? free.pop_front() : free.pop_back();
            ring.push({.operation = files::uring_operation::read,
                       .file = file,
                       .buffer = 0,
                       .data = data.data() + i * buffer_bytes,
                       .bytes = block,
                       .offset = next++ % blocks * block,
                       .tag = i});
            ring.submit();
        }
        const std::size_t completed = ring.reap(done);
        for (std::size_t i = 0; i < completed; ++i) {
            if (done[i].result != static_cast<int>(block)) throw error("a read failed");
            free.push_back(done[i].tag);
        }
        read += completed;
    }
    return static_cast<double>(read * block) / (measure::now() - start) / 1e9;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return std::fprintf(stderr, "usage: disk_memory FILE [ROUNDS]\n"), 2;
    const std::string path = words[1];
    const int rounds = count > 2 ? std::atoi(words[2]) : 3;
    if (access(path.c_str(), F_OK) != 0) make(path);
    const int file = open(path.c_str(), O_RDONLY | O_DIRECT);
    if (file < 0) throw error("cannot open " + path + " past the page cache");
    std::vector<std::vector<double>> rates(std::size(patterns));
    for (int round = 0; round < rounds; ++round)
        for (std::size_t w = 0; w < std::size(patterns); ++w)
            rates[w].push_back(rate(file, patterns[w]));
    for (std::size_t w = 0; w < std::size(patterns); ++w) {
        std::printf("%4zu in flight, %4zu buffers %s:", patterns[w].in_flight, patterns[w].buffers,
                    patterns[w].in_turn ? "in turn   " : "last first");
        for (const double each : rates[w]) std::printf(" %.2f", each);
        std::printf("\n");
    }
}
