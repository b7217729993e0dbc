// array<T> used by several threads, over devices that fail and writes that come late.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "on_threads.hpp"
#include "storage/cache/array_data.hpp"
#include "watari/storage/backends/faulty.hpp"

namespace watari {
namespace {

using cpu::group;

TEST(ArrayThreads, ShareACacheOverQueues) {
    for (const std::size_t page : {512u, 16384u}) {
        const rig r(1 << 18, 12 * page, page);
        constexpr unsigned threads = 6;
        std::atomic<unsigned> wrong = 0;
        on_threads(threads, [&](unsigned t) {
            std::vector<std::uint64_t> own(r.data.size() / threads);
            std::mt19937_64 random(t);
            for (int i = 0; i < 1500; ++i) {
                const std::size_t k = random() % own.size();
                std::uint64_t value = own[k];
                if (random() % 2 == 0)
                    wrong += !r.array.put(k * threads + t, own[k] = random()).ok();
                else
                    wrong += !r.array.get(k * threads + t, value).ok() || value != own[k];
            }
            for (std::size_t k = 0; k < own.size(); ++k) {
                std::uint64_t value = 0;
                wrong += !r.array.get(k * threads + t, value).ok() || value != own[k];
            }
        });
        EXPECT_EQ(wrong, 0u);
    }
}

// Completions out of order, late, twice or never, and errors: returned data are right, failures are
// reported, no write is lost.
TEST(ArrayThreads, SurviveADeviceThatFails) {
    constexpr unsigned threads = 4;
    constexpr std::size_t page = 1024, count = 60 * page / 8;
    std::vector<std::uint64_t> data(count);
    // the valid values of each element: after a failed write, the old and the new one
    std::vector<std::vector<std::set<std::uint64_t>>> own(threads);
    storage::controller disk(
        storage::make_faulty(storage::make_ram(std::as_writable_bytes(std::span(data))),
                             {.reordered = 0.2,
                              .delayed = 0.05,
                              .duplicated = 0.1,
                              .dropped = 0.002,
                              .failed = 0.05,
                              .bad_phase = 0.05}),
        {.queues = {.depth = 256, .limit = 0.2}});
    cpu::mapped<std::uint64_t> mapped(
        disk.view(), {.bytes = 20 * page, .page_bytes = page, .limit_ns = 500'000'000});
    const auto array = mapped.array();
    std::atomic<unsigned> wrong = 0, refused = 0;
    on_threads(threads, [&](unsigned t) {
        own[t].assign(count / threads, {0});
        std::mt19937_64 random(t);
        for (int i = 0; i < 1200; ++i) {
            const std::size_t k = random() % own[t].size();
            std::uint64_t value = random();
            const bool writes = random() % 2 == 0;
            const auto status =
                writes ? array.put(k * threads + t, value) : array.get(k * threads + t, value);
            refused += !status.ok();
            if (writes && status.ok()) own[t][k].clear();
            if (writes) own[t][k].insert(value);
            if (!writes && status.ok()) wrong += !own[t][k].contains(value);
        }
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(refused, 0u);
    EXPECT_LT(refused, threads * 1200u);
    disk.reset();  // otherwise writes whose completion was dropped may still come
    while (!array.flush(group::active()).ok()) continue;
    for (unsigned t = 0; t < threads; ++t)
        for (std::size_t k = 0; k < own[t].size(); ++k)
            ASSERT_TRUE(own[t][k].contains(data[k * threads + t]));
}

/// Writes that come after their timeout: each page holds its last durable write, or a later write
/// that failed.
TEST(ArrayThreads, AreNotUndoneByWritesThatCameTooLate) {
    constexpr std::size_t page = 512, pages = 8;
    std::vector<std::uint64_t> data(pages * page / 8);
    constexpr double limit = 0.02, late = 0.06;
    storage::controller disk(
        storage::make_faulty(storage::make_ram(std::as_writable_bytes(std::span(data))),
                             {.delay = late, .delayed = 0.3}),
        {.queues = {.queues = 2, .depth = 64, .limit = limit}});
    cpu::mapped<std::uint64_t> mapped(disk.view(), {.bytes = 1 << 14, .page_bytes = page});
    const auto array = mapped.array();
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> durable(pages), last(pages);
    unsigned refused = 0;
    for (std::uint64_t version = 1; version < 300; ++version) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::size_t p = random() % pages;
        std::vector<std::uint64_t> values(page / 8, version);
        last[p] = version;
        if (array.write(group::active(), p * page / 8, values.size(), values.data(), true).ok())
            durable[p] = version;
        else
            ++refused;
    }
    disk.reset();  // all writes have come
    EXPECT_GT(refused, 0u);
    EXPECT_GT(std::accumulate(durable.begin(), durable.end(), std::uint64_t{0}), 0u);
    for (std::size_t p = 0; p < pages; ++p) {
        EXPECT_GE(data[p * page / 8], durable[p]);
        EXPECT_LE(data[p * page / 8], last[p]);
    }
    while (!array.flush(group::active()).ok())
        std::this_thread::sleep_for(std::chrono::duration<double>(late));
    disk.reset();
    for (std::size_t p = 0; p < pages; ++p) EXPECT_EQ(data[p * page / 8], last[p]);
}

}  // namespace
}  // namespace watari
