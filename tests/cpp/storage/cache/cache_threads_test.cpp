// Threads that share a cache: pages are read and evicted, others flush, the device fails.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "on_threads.hpp"
#include "storage/cache/cached_device.hpp"

namespace watari {
namespace {

// Each thread owns every n-th element, so that every page has elements of all threads. Pages are
// read and evicted, and another thread flushes. Each thread reads back its own writes; the medium
// has the last ones.
void share_pages(std::size_t slots, std::size_t pages, unsigned threads, int rounds) {
    const cached_device r(slots, pages);
    const std::size_t elements = pages * page_bytes / 8;
    std::vector<std::vector<std::uint64_t>> expected(threads);
    std::atomic<unsigned> wrong = 0, refused = 0, working = threads;
    std::jthread flushing([&] {
        while (working > 0)
            if (!r.cache.flush(group::active()).ok()) ++refused;
    });
    on_threads(threads, [&](unsigned t) {
        auto& own = expected[t];
        own.assign(elements / threads, 0);
        std::mt19937_64 random(t);
        for (int i = 0; i < rounds; ++i) {
            const std::size_t k = random() % own.size(), at = (k * threads + t) * 8;
            std::uint64_t value = 0;
            if (random() % 2 == 0) {
                own[k] = random();
                if (!r.write(at, &own[k], 8, random() % 16 == 0).ok()) ++refused;
            } else {
                if (!r.read(at, &value, 8).ok()) ++refused;
                if (value != own[k]) ++wrong;
            }
        }
        --working;
    });
    flushing.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(refused, 0u);
    ASSERT_TRUE(r.cache.flush(group::active()).ok());
    for (unsigned t = 0; t < threads; ++t)
        for (std::size_t k = 0; k < expected[t].size(); ++k)
            ASSERT_EQ(value_at(r.device.medium, k * threads + t), expected[t][k]);
    for (std::uint64_t slot = 0; slot < r.owner.slots(); ++slot)
        EXPECT_EQ(r.owner.view().words[slot] / cpu::page::holder, 0u) << "somebody never left";
}

TEST(CacheThreads, ShareOneSlot) { share_pages(1, 6, 8, 1000); }
TEST(CacheThreads, ShareOneSet) { share_pages(3, 9, 8, 2000); }
TEST(CacheThreads, ShareManySets) { share_pages(40, 60, 8, 4000); }
TEST(CacheThreads, ShareACacheThatHoldsAll) { share_pages(64, 40, 4, 8000); }

TEST(CacheThreads, SeeEveryFaultAndLoseNothing) {
    cached_device r(6, 32);
    for (std::uint64_t page = 0; page < 32; page += 4) r.device.bad_reads.insert(2 * page);
    for (std::uint64_t page = 1; page < 32; page += 4) r.device.bad_writes.insert(2 * page);
    std::atomic<unsigned> wrong = 0;
    on_threads(8u, [&](unsigned t) {
        std::vector<std::uint64_t> own(32);
        std::mt19937_64 random(t);
        for (int i = 0; i < 1500; ++i) {
            const std::size_t page = random() % 32, at = page * page_bytes + t * 8;
            std::uint64_t value = random();
            if (random() % 2 == 0) {
                const status s = r.write(at, &value, 8);
                if (s.ok()) own[page] = value;
                if (!s.ok() && page % 4 > 1) ++wrong;
                if (s.ok() && page % 4 == 0) ++wrong;
            } else {
                const status s = r.read(at, &value, 8);
                if (s.ok() != (page % 4 != 0)) ++wrong;
                if (s.ok() && value != own[page] && page % 4 != 1) ++wrong;
            }
        }
    });
    EXPECT_EQ(wrong, 0u);
    r.device.bad_reads.clear();
    r.device.bad_writes.clear();
    EXPECT_TRUE(r.cache.flush(group::active()).ok());
}

}  // namespace
}  // namespace watari
