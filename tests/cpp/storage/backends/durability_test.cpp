// A volatile write cache whose power is cut at every step: data flushed or written with FUA are
// there, the rest is old or new, and no block is torn.
#include "storage/backends/volatile_cache.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/cache/array.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

constexpr std::uint64_t blocks = 24, versions = 25;

/// For each block: the last version that must have survived, and the last version written.
struct history {
    std::vector<std::uint64_t> lasting = std::vector<std::uint64_t>(blocks, 0);
    std::vector<std::uint64_t> written = std::vector<std::uint64_t>(blocks, 0);
    bool whole = false;  ///< every command was answered
};

/// Waits for a command until shortly after the power is cut. Returns whether it was acknowledged.
bool is_acknowledged(const namespace_view& view, const token& command,
                     const volatile_cache& cache) {
    const queue_view& queue = view.queues[command.queue];
    const std::uint32_t& result = queue.results[queue.index(command.cid)];
    constexpr std::int64_t never_cut = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_look = never_cut;
    while ((local::load_acquire(result) & done) == 0) {
        if (last_look == never_cut && cache.is_cut()) last_look = nanoseconds() + 3'000'000;
        if (nanoseconds() > last_look) return false;
        poll(group::active(), queue);
        pause(64);
    }
    return end(view, command).ok();
}

/// Issues random writes, FUA writes and flushes until one is not acknowledged.
history use(const namespace_view& view, const volatile_cache& cache, unsigned seed) {
    std::mt19937 random(seed);
    history h;
    std::vector<std::uint64_t> acknowledged(blocks, 0);
    std::byte data[4 * 512];
    std::uint64_t version = 1;
    for (; version <= versions; ++version) {
        if (random() % 5 == 0) {
            if (!is_acknowledged(view, begin_flush(view), cache)) break;
            h.lasting = acknowledged;
            continue;
        }
        const auto count = static_cast<std::uint32_t>(1 + random() % 4);
        const std::uint64_t first = random() % (blocks - count + 1);
        const bool fua = random() % 4 == 0;
        stamp_run(data, first, count, version);
        std::fill_n(&h.written[first], count, version);
        if (!is_acknowledged(view, begin_write(view, first, count, data, fua), cache)) break;
        std::fill_n(&acknowledged[first], count, version);
        if (fua) std::fill_n(&h.lasting[first], count, version);
    }
    h.whole = version > versions;
    return h;
}

constexpr controller_options small{.queues = {.queues = 1, .depth = 4, .max_transfer = 4096}};

/// Returns the version of a block. A torn block fails the test.
std::uint64_t version_of(const std::byte* block, std::uint64_t number, std::uint64_t last) {
    for (std::uint64_t v = 0; v <= last; ++v)
        if (is_stamped(block, number, v)) return v;
    ADD_FAILURE() << "block " << number << " is torn";
    return 0;
}

/// The outcome of a cut: the run had fewer steps, the power was cut, or the machine was so slow
/// that a command timed out before. Then the next attempt has twice the time.
enum class outcome { over, cut, slow };

using schedule = history (*)(const namespace_view&, const volatile_cache&, unsigned);

/// Cuts the power before step `cut`, starts the device again and checks every block.
outcome survive(schedule use, const controller_options& options, unsigned seed, std::uint64_t cut) {
    std::vector<std::byte> data = stamped(blocks);
    const auto cache = std::make_shared<volatile_cache>(make_ram(data), 512, seed, cut);
    history h;
    {
        controller device(cache, options);
        h = use(device.view(), *cache, seed);
    }
    controller again(make_ram(data), small);
    std::vector<std::byte> read_back(blocks * 512);
    EXPECT_TRUE(read(again.view(), 0, blocks, read_back.data()).ok());
    for (std::uint64_t b = 0; b < blocks; ++b)
        EXPECT_GE(version_of(&read_back[b * 512], b, h.written[b]), h.lasting[b])
            << "seed " << seed << ", cut before step " << cut << ": block " << b << " was lost";
    return cache->is_cut() ? outcome::cut : h.whole ? outcome::over : outcome::slow;
}

void cut_at_every_step(schedule use, controller_options options, unsigned seeds) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        std::uint64_t cut = 0;
        for (outcome last{outcome::cut}; last != outcome::over;) {
            last = survive(use, options, seed, cut);
            if (testing::Test::HasFailure()) return;
            if (last == outcome::slow)
                options.queues.limit *= 2;
            else
                ++cut;
        }
        EXPECT_GT(cut, 40u);
    }
}

TEST(Durability, WhatWasFlushedSurvivesACutAtEveryStep) { cut_at_every_step(use, small, 4); }

/// Issues random writes, durable writes and flushes of an array until one fails. Its page cache has
/// half the size of the array; a page has four blocks, and a command two pages.
history use_array(const namespace_view& view, const volatile_cache&, unsigned seed) {
    struct block {
        std::byte data[512];
    };
    const cache_owner pages({.bytes = 3 * 2048, .page_bytes = 2048});
    const cpu::array<block> all{{{pages.view()}, {view, view.blocks, view.block_bytes}}, blocks};
    std::mt19937 random(seed);
    history h;
    block some[6];
    std::uint64_t version = 1;
    for (; version <= versions; ++version) {
        if (random() % 5 == 0) {
            if (!all.flush(group::active()).ok()) break;
            h.lasting = h.written;
            continue;
        }
        const std::uint64_t count = 1 + random() % 6, first = random() % (blocks - count + 1);
        const bool durable = random() % 4 == 0;
        stamp_run(some[0].data, first, count, version);
        std::fill_n(&h.written[first], count, version);
        if (!all.write(group::active(), first, count, some, durable).ok()) break;
        if (durable) std::fill_n(&h.lasting[first], count, version);
        if (!all.read(group::active(), 0, 6, some).ok()) break;
        for (std::uint64_t b = 0; b < 6; ++b)
            EXPECT_TRUE(is_stamped(some[b].data, b, h.written[b]));
    }
    h.whole = version > versions;
    return h;
}

TEST(Durability, WhatAnArrayFlushedSurvivesACutAtEveryStep) {
    controller_options short_timeout = small;
    short_timeout.queues.limit = 0.005;
    cut_at_every_step(use_array, short_timeout, 2);
}

TEST(Durability, WithoutACutEverythingIsReadAsItWasWritten) {
    std::vector<std::byte> data = stamped(blocks);
    const auto cache = std::make_shared<volatile_cache>(make_ram(data), 512, 1);
    controller device(cache, small);
    const history h = use(device.view(), *cache, 1);
    std::vector<std::byte> read_back(blocks * 512);
    EXPECT_TRUE(read(device.view(), 0, blocks, read_back.data()).ok());
    for (std::uint64_t b = 0; b < blocks; ++b)
        EXPECT_TRUE(is_stamped(&read_back[b * 512], b, h.written[b]));
}

TEST(Durability, TheCacheDoesLoseWhatWasNotFlushed) {
    unsigned lost = 0;
    for (unsigned seed = 0; seed < 16; ++seed) {
        std::vector<std::byte> data = stamped(blocks);
        std::byte block[512];
        stamp(block, 5, 1);
        {
            controller device(std::make_shared<volatile_cache>(make_ram(data), 512, seed), small);
            EXPECT_TRUE(write(device.view(), 5, 1, block, false).ok());
        }
        lost += is_stamped(&data[5 * 512], 5, 0);
    }
    EXPECT_GT(lost, 4u);
}

TEST(Durability, OfWhatTheMediumRefusesNothingIsPromised) {
    const auto medium = make_faulty(make_ram(blocks * 512), {.failed = 1});
    controller device(std::make_shared<volatile_cache>(medium, 512, 1), small);
    std::byte block[512]{};
    EXPECT_FALSE(write(device.view(), 5, 1, block, true).ok());
    EXPECT_FALSE(flush(device.view()).ok());
}

}  // namespace
}  // namespace watari::storage
