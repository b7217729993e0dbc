// What array<T> reaches against reads past its cache: a namespace in memory behind queues, pages of
// 4 KiB, ranges of a given length summed up, in order or at random.
//
//   cmake -S . -B build -DWATARI_CUDA=OFF && cmake --build build --target watari
//   g++ -O3 -std=c++20 -Isrc benchmarks/array_rate.cpp build/src/libwatari.a -fopenmp -lhwloc
//       -l:liburing.a -ldl -o array_rate
//   ./array_rate [ROUNDS]
//
// One user thread, one controller thread. `past`: read_async into memory, eight ranges at a time,
// then summed; `miss`: visit of four times what the cache holds; `hit`: visit
// of half of it, again. Printed: GB/s,
// medians over rounds in which the three take turns, and miss over past.
#include "watari/storage/controller.hpp"
#include "watari/storage/mapped.hpp"
#include "watari/storage/order.hpp"
#include "watari/storage/ram.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace watari::cpu;
namespace storage = watari::storage;

namespace {

using word = std::uint64_t;
constexpr std::size_t store_bytes = std::size_t{1} << 28, page_bytes = 4096, together = 8;
constexpr std::size_t cache_bytes = store_bytes / 4, held_bytes = cache_bytes / 2;

struct bench {
    explicit bench(storage::controller& device, std::size_t range)
        : device(device),
          range(range / sizeof(word)),
          ranges(store_bytes / range),
          memory(together * this->range) {}

    storage::controller& device;
    std::size_t range, ranges;  ///< elements of a range; ranges of the array
    std::vector<word> memory;
    word sum = 0;

    void check(storage::status status) const {
        if (!status.ok()) std::abort();
    }

    /// Ranges that fit into the cache.
    std::size_t few() const { return held_bytes / (range * sizeof(word)); }

    void past(const array<word>& all, const storage::order& order) {
        transfers moves(device.view());
        for (std::size_t i = 0; i < ranges; i += together) {
            for (std::size_t k = 0; k < together; ++k)
                all.read_async(group::active(), moves, order(i + k) * range, range,
                               &memory[k * range]);
            check(moves.wait(group::active()));
            for (const word each : memory) sum += each;
        }
    }

    void visit(const array<word>& all, const storage::order& order, std::size_t number) {
        for (std::size_t i = 0; i < number; ++i)
            check(all.visit(group::active(), order(i) * range, range,
                            [&](std::uint64_t, word each) { sum += each; }));
    }
};

double rate(std::size_t bytes, const std::function<void()>& work) {
    const std::int64_t start = nanoseconds();
    work();
    return static_cast<double>(bytes) / static_cast<double>(nanoseconds() - start);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void report(storage::controller& device, storage::pattern which, std::size_t range, int rounds) {
    bench b(device, range);
    const storage::order order(which, b.ranges, 7);
    const mapped<word> all(device.view(), {.bytes = cache_bytes, .page_bytes = page_bytes});
    b.visit(all.array(), order, b.ranges);  // touches the cache
    std::vector<double> past, miss, hit;
    for (int round = 0; round < rounds; ++round) {
        past.push_back(rate(store_bytes, [&] { b.past(all.array(), order); }));
        miss.push_back(rate(store_bytes, [&] { b.visit(all.array(), order, b.ranges); }));
        b.visit(all.array(), order, b.few());
        hit.push_back(rate(held_bytes, [&] { b.visit(all.array(), order, b.few()); }));
    }
    std::printf(
        "%-10s ranges of %7zu B: past %.2f, miss %.2f, hit %.2f GB/s; miss / past %.2f %s\n",
        which == storage::pattern::random ? "random" : "sequential", range, median(past),
        median(miss), median(hit), median(miss) / median(past), b.sum == 1 ? "!" : "");
}

}  // namespace

int main(int count, char** words) {
    const int rounds = count > 1 ? std::atoi(words[1]) : 5;
    storage::controller device(storage::make_ram(store_bytes), {.queues = {.queues = 1}});
    for (const storage::pattern which : {storage::pattern::sequential, storage::pattern::random})
        for (const std::size_t range : {page_bytes, 16 * page_bytes, 256 * page_bytes})
            report(device, which, range, rounds);
}
