// A controller checks each command, and answers with the proper status.
#include "storage/backends/hooked.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "watari/core/error.hpp"
#include "watari/storage/backends/modelled.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/controller/poller.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

/// Commands written by hand; 2048 blocks, transfers of 16 KiB.
struct Controller : testing::Test {
    std::vector<std::byte> data{1 << 20};
    controller ram{make_ram(data), {.queues = {.queues = 1, .depth = 8, .max_transfer = 16384}}};
    namespace_view view = ram.view();
    queue_view queue = view.queues[0];
    std::uint16_t cid = 0;

    std::uint64_t slot(std::size_t number) {
        return reinterpret_cast<std::uint64_t>(view.slots + number * view.slot_stride);
    }
    submission_entry command(opcode operation, std::uint64_t block, std::uint32_t count) {
        EXPECT_TRUE(acquire(queue, cid));
        submission_entry entry = make_transfer(operation, cid, 1, block, count);
        entry.prp1 = slot(cid & 7);
        entry.prp2 = entry.prp1 + prp_page;
        return entry;
    }
    status serve(const submission_entry& entry) {
        submit(group::active(), queue, entry);
        const status outcome = wait(group::active(), queue, cid);
        release(queue, cid);
        return outcome;
    }
};

TEST_F(Controller, KnowsThreeOperations) {
    for (unsigned operation = 0; operation < 256; ++operation) {
        submission_entry entry = command(opcode::read, 0, 1);
        entry.dw0 = (entry.dw0 & ~0xffu) | operation;
        EXPECT_EQ(serve(entry), operation <= 2 ? success : invalid_opcode) << operation;
    }
}

TEST_F(Controller, HasOneNamespace) {
    for (const std::uint32_t nsid : {0u, 2u, 0xffffffffu}) {
        submission_entry entry = command(opcode::read, 0, 1);
        entry.nsid = nsid;
        EXPECT_EQ(serve(entry), invalid_namespace);
    }
    submission_entry entry = command(opcode::read, 0, 1);
    entry = make_flush(cid, 0xffffffff);  // all namespaces
    EXPECT_EQ(serve(entry), success);
}

TEST_F(Controller, EndsWhereItEnds) {
    EXPECT_EQ(serve(command(opcode::read, 2047, 1)), success);
    EXPECT_EQ(serve(command(opcode::read, 2048, 1)), lba_out_of_range);
    EXPECT_EQ(serve(command(opcode::write, 2047, 2)), lba_out_of_range);
    EXPECT_EQ(serve(command(opcode::read, ~0ull, 1)), lba_out_of_range);
    EXPECT_EQ(serve(command(opcode::read, ~0ull - 3, 8)), lba_out_of_range);  // 8 more wrap to 4
    EXPECT_EQ(serve(command(opcode::read, std::uint64_t{1} << 55, 1)), lba_out_of_range);
}

TEST_F(Controller, EnforcesItsLargestTransfer) {
    std::uint32_t most = 16384 / 512;
    submission_entry entry = command(opcode::read, 0, most);
    entry.prp2 = reinterpret_cast<std::uint64_t>(view.prp_lists + (cid & 7) * view.list_stride);
    EXPECT_EQ(serve(entry), success);
    EXPECT_EQ(serve(command(opcode::read, 0, most + 1)), invalid_field);
    EXPECT_EQ(serve(command(opcode::read, 0, 2048)), invalid_field);
}

/// A list that crossed a page would need a chain at the end of the page.
TEST(ControllerMemory, HasWholeListsForEverySlot) {
    for (const std::uint32_t pages : {3u, 4u, 5u, 16u, 17u, 100u, 512u}) {
        const std::uint32_t transfer = pages * 4096;
        controller ram(make_ram(transfer), {.queues = {.depth = 64, .max_transfer = transfer}});
        const std::vector<token> all = begin_all_reads(ram.view(), transfer / 512);
        EXPECT_EQ(all.size(), 2u * 63);
        for (const token& t : all) EXPECT_EQ(end(ram.view(), t), success) << pages;
    }
}

TEST_F(Controller, TakesNoMemoryButTheSlots) {
    std::vector<std::byte> foreign(4096);
    submission_entry entry = command(opcode::read, 0, 1);
    entry.prp1 = reinterpret_cast<std::uint64_t>(foreign.data()) & ~std::uint64_t{3};
    EXPECT_EQ(serve(entry), data_transfer_error);
    entry = command(opcode::read, 0, 1);
    entry.prp1 += 1;
    EXPECT_EQ(serve(entry), invalid_prp_offset);
}

TEST_F(Controller, ScattersWhereThePrpsSay) {
    stamp_run(data.data(), 0, 8, 1);
    submission_entry entry = command(opcode::read, 0, 8);
    entry.prp1 = slot(2) + 4096 - 1024;
    entry.prp2 = slot(5) + 8192;
    EXPECT_EQ(serve(entry), success);
    EXPECT_TRUE(is_stamped_run(reinterpret_cast<const std::byte*>(entry.prp1), 0, 2, 1));
    EXPECT_TRUE(is_stamped_run(reinterpret_cast<const std::byte*>(entry.prp2), 2, 6, 1));
}

TEST_F(Controller, IgnoresADoorbellBeyondTheRing) {
    everywhere::store_release(*queue.submission_doorbell, 8u);
    std::byte block[512];
    EXPECT_TRUE(read(view, 0, 1, block).ok());  // the next valid doorbell counts
}

TEST_F(Controller, CountsWhatItDid) {
    serve(command(opcode::read, 0, 4));
    serve(command(opcode::read, 2048, 1));
    const controller_counts counts = ram.counts();
    EXPECT_EQ(counts.commands, 1u);
    EXPECT_EQ(counts.failed, 1u);
    EXPECT_EQ(counts.bytes_read, 2048u);
}

TEST_F(Controller, IsNewAfterAReset) {
    std::byte block[512];
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(read(view, 0, 1, block).ok());
        ram.reset();
    }
    EXPECT_EQ(ram.counts().commands, 20u);
}

TEST(ControllerThread, ThatFailsAnswersAndSaysWhy) {
    const auto fail = [](const request&) -> status { throw system_error("a call", 5); };
    controller failing(std::make_shared<hooked>(make_ram(4096), fail),
                       {.queues = {.queues = 1, .depth = 4}});
    std::byte block[512];
    for (int i = 0; i < 10; ++i) EXPECT_EQ(read(failing.view(), 0, 1, block), internal_error);
    EXPECT_NE(failing.notice().find("a call"), std::string::npos);
}

TEST(Modelled, TakesItsTime) {
    const auto seconds_of = [](std::string_view name, unsigned count) {
        controller ssd(make_modelled(make_ram(1 << 24), name),
                       {.queues = {.queues = 1, .depth = 64}});
        const namespace_view view = ssd.view();
        std::vector<token> tokens;
        std::byte block[4096];
        const std::int64_t start = nanoseconds();
        for (unsigned i = 0; i < count; ++i) {
            if (tokens.size() == 60) {
                EXPECT_TRUE(end_read(view, tokens.front(), block).ok());
                tokens.erase(tokens.begin());
            }
            tokens.push_back(begin_read(view, i * 8 % 32768, 8));
        }
        for (const token& t : tokens) EXPECT_TRUE(end_read(view, t, block).ok());
        return static_cast<double>(nanoseconds() - start) * 1e-9;
    };
    for (const ssd_model& model : ssd_models()) {
        EXPECT_GE(seconds_of(model.name, 1), model.read.latency);
        EXPECT_GE(seconds_of(model.name, 2000), 2000 / model.read.iops);
    }
    EXPECT_THROW(make_modelled(make_ram(4096), "no such"), usage_error);
    std::vector<std::byte> data(1 << 20, std::byte{7});  // the caller's
    controller own(make_modelled(make_ram(data), "ten-million"), {.queues = {.queues = 1}});
    std::byte block[512]{};
    EXPECT_EQ(read(own.view(), 0, 1, block), success);
    EXPECT_EQ(block[511], std::byte{7});
    EXPECT_THROW(make_modelled(make_ram(data), "no such"), usage_error);
    EXPECT_TRUE(make_modelled(make_ram(data), "ten-million")->models_disk());
    EXPECT_FALSE(make_ram(data)->models_disk());
}

/// A waiting user sees the first completions before the last commands are begun.
TEST(Poller, TellsWhatEndedBeforeItGoesOn) {
    std::vector<std::byte> data(1 << 20);
    const auto ram = make_ram(data);
    const queue_memory memory({.queues = 1, .depth = 64, .max_transfer = 16384});
    const memory_range slots{static_cast<std::byte*>(memory.slots().data()),
                             memory.slots().bytes()};
    poller server(memory, {data.size() / 512, 512, 16384, {slots}},
                  ram->open_channel({{&slots, 1}}), 0, 1);
    const namespace_view view = memory.view(data.size() / 512, 512);
    std::vector<token> commands;
    for (std::uint64_t i = 0; i < 20; ++i) commands.push_back(begin_read(view, i * 16, 16));
    for (const std::size_t ended : {8u, 16u, 20u, 20u}) {
        const bool more = server.counts().commands < 20;
        EXPECT_EQ(server.serve(), more);
        EXPECT_EQ(server.counts().commands, ended);
        poll(group::active(), view.queues[0]);
        for (std::size_t i = 0; i < commands.size(); ++i)
            EXPECT_EQ(is_done(view, commands[i]), i < ended) << i;
    }
    for (const token& command : commands) {
        EXPECT_EQ(wait(view, command), success);
        release_slot(view, command);
    }
}

}  // namespace
}  // namespace watari::storage
