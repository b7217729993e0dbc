// The queues against a controller in memory: written data are read, by one thread or many, at any
// depth, and past the wrap of every counter.
#include "on_threads.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

controller_options small(std::uint32_t depth, std::uint32_t queues = 1) {
    return {.queues = {.queues = queues, .depth = depth, .max_transfer = 16384}};
}

TEST(Queue, ReadsWhatWasWritten) {
    controller ram(make_ram(1 << 20), small(16));
    const namespace_view view = ram.view();
    EXPECT_EQ(view.blocks, 2048u);
    std::vector<std::byte> out(100 * 512), in(100 * 512);
    stamp_run(out.data(), 0, 100, 1);
    EXPECT_TRUE(write(view, 7, 100, out.data(), false).ok());
    EXPECT_TRUE(flush(view).ok());
    EXPECT_TRUE(read(view, 7, 100, in.data()).ok());
    EXPECT_EQ(in, out);
    EXPECT_EQ(ram.counts().bytes_written, 100u * 512);
    EXPECT_EQ(ram.counts().failed, 0u);
}

TEST(Queue, SaysWhyACommandWasRefused) {
    controller ram(make_ram(1 << 20), small(16));
    std::byte data[512];
    EXPECT_EQ(read(ram.view(), 2048, 1, data), lba_out_of_range);
    EXPECT_EQ(begin_read(ram.view(), 0, 33).outcome, invalid_field);
    EXPECT_EQ(begin_read(ram.view(), 0, 0).outcome, invalid_field);
    EXPECT_TRUE(read(ram.view(), 2047, 1, data).ok());
}

/// The limit on identifiers is also a limit on the slots that data pass through.
TEST(Queue, HoldsAsManyCommandsAsItMayLend) {
    controller_options options = small(16);
    for (const std::uint32_t lent : {0u, 5u}) {  // 0: one less than it is deep
        options.queues.max_outstanding = lent;
        controller ram(make_ram(1 << 20), options);
        const std::uint32_t most = lent > 0 ? lent : 15;
        EXPECT_EQ(ram.view().max_outstanding, most);
        std::byte data[512];
        for (unsigned round = 0; round < 40; ++round) {
            const std::vector<token> held = begin_all_reads(ram.view(), 1);
            EXPECT_EQ(held.size(), most);
            for (const token& t : held) {
                EXPECT_LT(t.cid % 16, lent > 0 ? lent : 16);
                EXPECT_TRUE(end_read(ram.view(), t, data).ok());
            }
        }
    }
}

class EveryDepth : public testing::TestWithParam<std::uint32_t> {};

/// Counters start a little before they wrap.
TEST_P(EveryDepth, ServesManyThreadsPastEveryWrap) {
    controller_options options = small(GetParam(), 2);
    options.queues.first_ticket = 0u - 4 * GetParam();
    options.threads = 2;
    controller ram(make_ram(1 << 20), options);
    const namespace_view view = ram.view();
    constexpr unsigned threads = 4, blocks_each = 512;
    const unsigned rounds = std::max(300u, std::min(4u * GetParam(), 20000u));
    std::atomic<unsigned> wrong{0};
    on_threads(threads, [&](unsigned t) {
        std::mt19937 random(t);
        std::vector<std::uint64_t> version(blocks_each, 0);
        std::byte data[512];
        for (unsigned i = 0; i < rounds; ++i) {
            const unsigned own = random() % blocks_each;
            if (token unused; random() % 4 == 0 && try_take(view, unused)) give_back(view, unused);
            const std::uint64_t block = t * blocks_each + own;
            if (version[own] == 0 || random() % 2) {
                stamp(data, block, ++version[own]);
                wrong += !write(view, block, 1, data, false).ok();
            } else {
                wrong += !read(view, block, 1, data).ok();
                wrong += !is_stamped(data, block, version[own]);
            }
        }
    });
    EXPECT_EQ(wrong, 0u);
    for (std::uint32_t q = 0; q < 2; ++q) {
        EXPECT_EQ(view.queues[q].state->credits, static_cast<std::int32_t>(GetParam()) - 1);
        EXPECT_EQ(view.queues[q].state->spurious, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(Queue, EveryDepth,
                         testing::Values(2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
                                         16384));

TEST(Queue, RefusesShapesThatCannotBe) {
    const auto with = [](auto change) {
        controller_options options = small(16);
        change(options);
        controller(make_ram(1 << 20), options);
    };
    EXPECT_THROW(with([](auto& o) { o.queues.depth = 1; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.queues.depth = 24; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.queues.depth = 32768; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.queues.max_outstanding = 16; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.queues.queues = 0; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.queues.max_transfer = 1000; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.block_bytes = 520; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.block_bytes = 32768; }), usage_error);
    EXPECT_THROW(with([](auto& o) { o.threads = 2; }), usage_error);
    EXPECT_THROW(controller(make_ram(100), small(16)), usage_error);
}

}  // namespace
}  // namespace watari::storage
