// The rate of array<T> against reads past its cache, from a namespace in memory behind queues. The
// processor that this file is compiled for sums up ranges of a given length, in order or at random.
//
//   cmake -S . -B build && cmake --build build --target watari
//   g++ -O3 -std=c++20 -Isrc -Ibuild/include benchmarks/array_rate.cpp
//       -fopenmp -Lbuild/lib -lwatari -Wl,-rpath,build/lib -o array_rate
//   nvcc -O3 -std=c++20 --extended-lambda --expt-relaxed-constexpr -arch=sm_90 -Isrc
//       -Ibuild/include -x cu -c benchmarks/array_rate.cpp
//   nvcc -cudart shared array_rate.o -Lbuild/lib -lwatari -lgomp -o array_rate_gpu
//   ./array_rate [ROUNDS [CONTROLLERS]]
//
// `past`: one range by read_async into memory, waited for, then summed; `miss`: visit of four times
// the bytes of the cache, the same ranges in commands of the same size; `hit`: visit of half of the
// bytes of the cache, again and again. A CPU has one user thread, a GPU 4096 warps, 256 for ranges
// of 1 MiB, since each reads up to 512 KiB ahead. Commands carry a range, at most 128 KiB; slots
// have 32 MiB at most, or they leave the CPU's cache before they are used again.
//
// So one thread with a range of up to 128 KiB has one command in flight and waits for it: `past`
// and `miss` then show the latency of a command, not the rate of the controller. `eight` shows that
// rate: as `past`, but eight ranges at a time, where neighbours become one command.
//
// Then, on a GPU, warps read ranges of 16 MiB to their locations: in commands of 128 KiB whose data
// the warps copy, and in commands of 2 MiB whose data the copy engine copies.
//
// Printed: GB/s, medians over rounds in which all take turns, and miss over past.
#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/measure/median.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/cache/mapped.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/verify/order.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace here = watari::WATARI_BACKEND;
namespace storage = watari::storage;
namespace memory = watari::memory;

namespace {

using word = std::uint64_t;
constexpr bool on_gpu = here::executes == watari::processor::type::gpu;
constexpr memory::kind own = on_gpu ? memory::kind::device : memory::kind::pageable;
constexpr std::size_t store_bytes = std::size_t{1} << (on_gpu ? 32 : 28);
constexpr std::size_t cache_bytes = store_bytes / 4, held_bytes = cache_bytes / 2;
constexpr std::size_t most_warps = on_gpu ? 4096 : 1, most_transfer = std::size_t{1} << 17;
constexpr std::size_t slot_bytes = std::size_t{1} << 25, eight = 8, hits = on_gpu ? 16 : 1;

/// Ranges of an array, all of `range` bytes, spread over warps.
struct bench {
    here::array<word> all;
    std::size_t range, warps;
    const std::uint64_t* order;  ///< range numbers
    word* memory;                ///< eight ranges for each warp
    word* result;                ///< the sum, then the number of statuses that were errors

    std::size_t words() const { return range / sizeof(word); }

    /// Sums up what `body(members, warp, i)` returns for ranges 0 to `number`.
    template <class Body>
    void sum(std::size_t number, std::size_t step, std::size_t by, Body body) const {
        const bench b = *this;
        here::for_each_warp(
            by,
            [=] WATARI_KERNEL(std::size_t warp) {
                const here::group members = here::group::active();
                word total = 0;
                for (std::size_t i = warp * step; i < number; i += by * step)
                    if (!body(b, members, warp, i, total).ok())
                        here::local::fetch_add(b.result[1], word{1});
                here::local::fetch_add(b.result[0], total);
            },
            nullptr);
        if (on_gpu) watari::device::synchronize(nullptr);
    }

    void past(std::size_t ranges_at_once) const {
        sum(store_bytes / range, ranges_at_once, warps,
            [=] WATARI_KERNEL(const bench& b, const here::group& members, std::size_t warp,
                              std::size_t i, word& total) {
                const std::size_t each = b.range / sizeof(word);
                word* const to = b.memory + warp * eight * each;
                here::transfers moves(b.all.pages.store.view);
                for (std::size_t k = 0; k < ranges_at_once; ++k)
                    b.all.read_async(members, moves, b.order[i + k] * each, each, to + k * each);
                const storage::status status = moves.wait(members);
                for (std::size_t w = members.rank(); w < ranges_at_once * each; w += members.size())
                    total += to[w];
                return status;
            });
    }

    /// Visits the first `number` ranges, `passes` times.
    void visit(std::size_t number, std::size_t passes = 1) const {
        sum(passes * number, 1, passes > 1 ? most_warps : warps,
            [=] WATARI_KERNEL(const bench& b, const here::group& members, std::size_t,
                              std::size_t i, word& total) {
                const std::size_t each = b.range / sizeof(word);
                word own = 0;  // in a register
                const storage::status status =
                    b.all.visit(members, b.order[i % number] * each, each,
                                [&](std::uint64_t, word element) { own += element; });
                total += own;
                return status;
            });
    }
};

double rate(std::size_t bytes, const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return static_cast<double>(bytes) /
           std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
               .count();
}

template <class T>
void put(T* to, const std::vector<T>& from) {
    if (on_gpu)
        watari::device::copy(to, from.data(), from.size() * sizeof(T), nullptr);
    else
        std::copy(from.begin(), from.end(), to);
    if (on_gpu) watari::device::synchronize(nullptr);
}

/// Options of a controller for commands of `transfer` bytes, with slots for twice the commands that
/// can be in flight, or fewer if the CPU's cache keeps fewer.
storage::controller_options served(std::size_t transfer, std::size_t warps, std::uint32_t threads) {
    const std::size_t queues = 2 * threads;
    const std::size_t slots = std::min(slot_bytes / transfer, 2 * eight * warps);
    return {.queues = {.users = {here::executes},
                       .queues = static_cast<std::uint32_t>(queues),
                       .depth = static_cast<std::uint32_t>(
                           std::bit_floor(std::max<std::size_t>(2, slots / queues))),
                       .max_transfer = static_cast<std::uint32_t>(transfer)},
            .threads = threads};
}

void report(const std::shared_ptr<storage::backend>& store, std::uint32_t controllers,
            storage::pattern which, std::size_t page, std::size_t range, int rounds) {
    const std::size_t ranges = store_bytes / range;
    const std::size_t warps = std::min(most_warps, (std::size_t{1} << 28) / range);
    storage::controller device(store, served(std::min(range, most_transfer), warps, controllers));
    const storage::order visited(which, ranges, 7);
    std::vector<std::uint64_t> numbers(ranges);
    for (std::size_t i = 0; i < ranges; ++i) numbers[i] = visited(i);
    const memory::buffer<std::uint64_t> order(own, ranges);
    const memory::buffer<word> memory(own, warps * eight * range / sizeof(word));
    const memory::buffer<word> result(own, 2);
    put(order.data(), numbers);
    put(result.data(), std::vector<word>(2));

    const here::mapped<word> all(device.view(), {.bytes = cache_bytes, .page_bytes = page});
    const bench b{all.array(), range, warps, order.data(), memory.data(), result.data()};
    b.visit(ranges);  // touches the cache
    std::vector<double> past, ahead, miss, hit;
    const std::size_t few = held_bytes / range;
    for (int round = 0; round < rounds; ++round) {
        past.push_back(rate(store_bytes, [&] { b.past(1); }));
        ahead.push_back(rate(store_bytes, [&] { b.past(eight); }));
        miss.push_back(rate(store_bytes, [&] { b.visit(ranges); }));
        b.visit(few);
        hit.push_back(rate(hits * held_bytes, [&] { b.visit(few, hits); }));
    }
    std::vector<word> counted(2);
    if (on_gpu)
        watari::device::read_back(counted.data(), result.data(), sizeof(word) * 2, nullptr);
    else
        std::copy_n(result.data(), 2, counted.data());
    // every element is its own number, so each pass over all has one sum
    const word words = store_bytes / sizeof(word);
    word held = 0;
    for (std::size_t i = 0; i < few; ++i)
        held += numbers[i] * b.words() * b.words() + b.words() * (b.words() - 1) / 2;
    const auto passes = static_cast<word>(rounds);
    const bool right =
        counted[1] == 0 &&
        counted[0] == (3 * passes + 1) * (words * (words - 1) / 2) + (hits + 1) * passes * held;
    std::printf(
        "%-10s pages of %6zu B, ranges of %7zu B: past %.2f, eight %.2f, miss %.2f, "
        "hit %.2f GB/s; miss / past %.2f; %s\n",
        which == storage::pattern::random ? "random" : "sequential", page, range,
        watari::measure::median(past), watari::measure::median(ahead),
        watari::measure::median(miss), watari::measure::median(hit),
        watari::measure::median(miss) / watari::measure::median(past), right ? "right" : "WRONG");
    std::fflush(stdout);
    if (!right) std::exit(1);
}

/// Reads each range to its location, by one of the warps, which do nothing else. Returns GB/s.
double fetch(const storage::namespace_view& space, std::size_t range, std::size_t warps, word* to,
             std::uint32_t* failed) {
    return rate(store_bytes, [&] {
        here::for_each_warp(
            warps,
            [=] WATARI_KERNEL(std::size_t warp) {
                const here::group members = here::group::active();
                here::transfers moves(space);
                for (std::size_t at = warp * range; at < store_bytes; at += warps * range)
                    moves.read(members, at, range, to + at / sizeof(word));
                if (!moves.wait(members).ok()) here::everywhere::store_relaxed(*failed, 1u);
            },
            nullptr);
        watari::device::synchronize(nullptr);
    });
}

/// Reports ranges of 16 MiB, whose data the warps or the copy engine copy.
void report_large(const std::shared_ptr<storage::backend>& store, std::uint32_t controllers,
                  std::size_t warps, int rounds) {
    constexpr std::size_t range = eight * storage::large_run;
    const memory::buffer<word> to(own, store_bytes / sizeof(word));
    const memory::buffer<std::uint32_t> failed(memory::kind::pinned, 1);
    *failed.data() = 0;
    const auto by = [&](std::size_t transfer, std::uint32_t delivered_from) {
        storage::controller_options options = served(transfer, warps, controllers);
        options.queues.depth = std::max(options.queues.depth, 16u);
        options.queues.delivered_from = delivered_from;
        const storage::controller device(store, options);
        std::vector<double> rates;
        for (int round = 0; round < rounds; ++round) {
            word* const words = to.data();
            here::for_each(
                store_bytes / sizeof(word), [=] WATARI_KERNEL(std::size_t i) { words[i] = ~i; },
                nullptr);
            watari::device::synchronize(nullptr);
            rates.push_back(fetch(device.view(), range, warps, words, failed.data()));
            const auto wrong = here::sum<std::size_t>(
                store_bytes / sizeof(word),
                [=] WATARI_KERNEL(std::size_t i) -> std::size_t { return words[i] != i; }, nullptr);
            if (*failed.data() != 0 || wrong != 0) {
                std::printf("WRONG: %zu words\n", wrong);
                std::exit(1);
            }
        }
        return watari::measure::median(rates);
    };
    const double copied = by(most_transfer, 0);
    const double brought = by(storage::large_run, static_cast<std::uint32_t>(storage::large_run));
    std::printf(
        "ranges of %zu B by %3zu warps: copied by them %.2f, by the copy engine %.2f GB/s; "
        "right\n",
        range, warps, copied, brought);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) try {
    const int rounds = count > 1 ? std::atoi(words[1]) : 5;
    const auto controllers = static_cast<std::uint32_t>(count > 2 ? std::atoi(words[2]) : 1);
    std::vector<word> data(store_bytes / sizeof(word));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = i;
    const auto store = storage::make_ram(std::as_writable_bytes(std::span(data)));
    constexpr std::size_t kib = 1024;
    for (const std::size_t page : {4 * kib, 64 * kib})
        for (const std::size_t range : {4 * kib, 64 * kib, 1024 * kib})
            for (const auto which : {storage::pattern::sequential, storage::pattern::random})
                if (range >= page) report(store, controllers, which, page, range, rounds);
    if (on_gpu)
        for (const std::size_t warps : {1, 4, 16, 64, 256})
            report_large(store, controllers, warps, rounds);
} catch (const watari::error& reason) {
    std::printf("%s: %s\n", reason.name(), reason.what());
    return 1;
}
