// Defects of public code in its queues. Tests elsewhere cover three others: completion status never
// checked (Faults.AnErrorReachesWhoAsked), no timeout (Faults.ADroppedCompletion...), MDTS never
// enforced (Controller.EnforcesItsLargestTransfer).
#include "on_threads.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

TEST(Defects, TheCompletionIsVisibleAfterItsData) {
    std::vector<std::byte> data(256 * 512);
    controller ram(make_ram(data), {.queues = {.queues = 1, .depth = 16, .max_transfer = 16384}});
    const namespace_view view = ram.view();
    for (std::uint64_t round = 1; round < 300; ++round) {
        stamp_run(data.data(), 0, 32, round);
        const token command = begin_read(view, 0, 32);
        ASSERT_TRUE(wait(view, command).ok());
        ASSERT_TRUE(is_stamped_run(slot_of(view, command), 0, 32, round));
        release_slot(view, command);
    }
}

TEST(Defects, OneThreadsCompletionIsNeverAnothers) {
    // every thread polls for all, and each reads another number of blocks
    std::vector<std::byte> data = stamped(4096);
    controller ram(make_ram(data), {.queues = {.queues = 1, .depth = 32, .max_transfer = 16384}});
    const namespace_view view = ram.view();
    std::atomic<unsigned> wrong{0};
    on_threads(8u, [&](unsigned t) {
        std::mt19937 random(t);
        std::vector<std::byte> out(32 * 512);
        for (unsigned i = 0; i < 300; ++i) {
            const std::uint64_t block = random() % 4096;
            if (t == 7) {
                wrong += read(view, 4096 + block, 1, out.data()) != lba_out_of_range;
                continue;
            }
            const std::uint64_t count = 1 + t * 4 < 4096 - block ? 1 + t * 4 : 1;
            wrong += !read(view, block, count, out.data()).ok();
            wrong += !is_stamped_run(out.data(), block, count, 0);
        }
    });
    EXPECT_EQ(wrong, 0u);
}

TEST(Defects, SlotTimesSizeIsNoNumberOf32Bits) {
    namespace_view view{};
    view.slots = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
    view.slot_stride = 2 << 20;
    view.depth = 16384;
    const token command{.queue = 3, .cid = 16383};
    EXPECT_EQ(slot_of(view, command) - view.slots, (std::int64_t{4} * 16384 - 1) * (2 << 20));
}

TEST(Defects, AllIdentifiersInUseIsNoEndlessSpin) {
    std::vector<std::byte> data(512);
    controller ram(make_ram(data), {.queues = {.queues = 1, .depth = 2, .limit = 0.5}});
    const token held = begin_read(ram.view(), 0, 1);
    EXPECT_FALSE(try_begin_read(ram.view(), 0, 1).taken);
    const token none = begin_read(ram.view(), 0, 1);
    EXPECT_FALSE(none.taken);
    EXPECT_EQ(end_read(ram.view(), none, data.data()), timed_out);
    EXPECT_TRUE(end_read(ram.view(), held, data.data()).ok());
    EXPECT_TRUE(read(ram.view(), 0, 1, data.data()).ok());
}

}  // namespace
}  // namespace watari::storage
