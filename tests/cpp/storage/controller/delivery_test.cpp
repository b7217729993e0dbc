// Reads whose data the controller delivers to the memory that they name.
#include "storage/controller/deliveries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/nvme/transfers.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

struct DeliveringController : testing::Test {
    std::vector<std::byte> data = all_runs(), there = std::vector<std::byte>(run);
    controller ram{make_ram(data), {.queues = delivering(), .threads = 2}};
    namespace_view view = ram.view();

    /// Sends a read that `change` has edited, and returns its status.
    status serve(void (*change)(submission_entry&)) {
        token command;
        EXPECT_TRUE(fits(view, blocks, command) && take(view, command));
        submission_entry entry =
            with_sgl(make_transfer(opcode::read, command.cid, 1, 3 * blocks, blocks),
                     reinterpret_cast<std::uint64_t>(there.data()), run);
        change(entry);
        everywhere::store_relaxed(view.deliveries[slot_number(view, command)].wanted,
                                  command.cid + 1u);
        const queue_view& queue = view.queues[command.queue];
        submit(group::active(), queue, entry);
        return end(view, command);
    }
};

TEST_F(DeliveringController, BringsWhatWasAskedWhereItIsWanted) {
    for (std::uint64_t number = 0; number < runs; ++number) {
        const token command = begin_delivered(view, number, there.data());
        EXPECT_TRUE(end(view, command).ok());
        EXPECT_TRUE(is_run(there.data(), number));
    }
    EXPECT_EQ(ram.counts().bytes_read, runs * run);
}

TEST_F(DeliveringController, ItsCommandsAreChecked) {
    EXPECT_EQ(serve([](submission_entry&) {}), success);
    EXPECT_TRUE(is_run(there.data(), 3));
    std::ranges::fill(there, std::byte{0});
    EXPECT_EQ(serve([](submission_entry& e) { e.dw0 += 1u << 14; }), invalid_field);  // PSDT 10b
    EXPECT_EQ(serve([](submission_entry& e) { --e.dw0; }), invalid_field);            // a write
    EXPECT_EQ(serve([](submission_entry& e) { --e.dw12; }), invalid_field);  // too short for one
    EXPECT_EQ(serve([](submission_entry& e) { e.prp2 -= 512; }), invalid_sgl_length);
    EXPECT_EQ(serve([](submission_entry& e) { e.prp2 += 512; }), invalid_sgl_length);
    for (std::uint64_t type = 1; type < 256; ++type) {
        static std::uint64_t bits;
        bits = type << 56;
        EXPECT_EQ(serve([](submission_entry& e) { e.prp2 |= bits; }), invalid_sgl_type);
    }
    EXPECT_EQ(serve([](submission_entry& e) { e.block = runs * blocks; }), lba_out_of_range);
    EXPECT_THROW(queue_memory({.max_transfer = run, .delivered_from = 2 * run}), usage_error);
    EXPECT_EQ(there, std::vector<std::byte>(run));
    EXPECT_EQ(data, all_runs());
}

TEST(WithoutDelivery, NoCommandNamesMemoryByAnSgl) {
    std::vector<std::byte> data = all_runs(), there(run);
    controller ram(make_ram(data), {.queues = {.max_transfer = run}});
    const namespace_view view = ram.view();
    token command;
    ASSERT_TRUE(fits(view, blocks, command) && take(view, command));
    EXPECT_FALSE(delivers(view, run, there.data()));
    const queue_view& queue = view.queues[command.queue];
    submit(group::active(), queue,
           with_sgl(make_transfer(opcode::read, command.cid, 1, 0, blocks),
                    reinterpret_cast<std::uint64_t>(there.data()), run));
    EXPECT_EQ(end(view, command), invalid_field);
}

TEST_F(DeliveringController, IsUsedByTransfersForWholeCommands) {
    std::mt19937 random(1);
    std::vector<std::byte> out(data.size() + 2 * run);
    for (int round = 0; round < 200; ++round) {
        const std::size_t first = random() % (data.size() / 2), bytes = 1 + random() % (6 * run);
        const std::size_t at = random() % run;
        std::ranges::fill(out, std::byte{0x5a});
        transfers all(view);
        const std::size_t cut = random() % bytes;
        all.read(group::active(), first, cut, &out[at]);
        all.read(group::active(), first + cut, bytes - cut, &out[at + cut]);
        ASSERT_TRUE(all.wait(group::active()).ok());
        ASSERT_EQ(std::memcmp(&out[at], &data[first], bytes), 0);
        const auto untouched = [](std::byte b) { return b == std::byte{0x5a}; };
        const auto begin = out.begin() + static_cast<std::ptrdiff_t>(at);
        ASSERT_TRUE(std::all_of(out.begin(), begin, untouched));
        ASSERT_TRUE(std::all_of(begin + static_cast<std::ptrdiff_t>(bytes), out.end(), untouched));
    }
    const delivery_state* states = view.deliveries;
    EXPECT_TRUE(std::any_of(states, states + 2 * 16,
                            [](const delivery_state& d) { return d.wanted != 0; }));
}

TEST(Delivery, ThatIsRecalledEndsWithAnError) {
    std::vector<std::byte> data = all_runs(), there(run);
    controller device(make_faulty(make_ram(data), {.seed = 1, .delay = 1, .delayed = 1}),
                      {.queues = delivering(timeout)});
    const token command = begin_delivered(device.view(), 3, there.data());
    recall(device.view(), command);
    EXPECT_EQ(end(device.view(), command), abort_requested);
    EXPECT_EQ(there, std::vector<std::byte>(run));
}

TEST(Delivery, ThatTheDriverKeepsBackIsNotCalledOver) {
    std::vector<std::byte> data = all_runs(), there(run);
    const controller device(make_faulty(make_ram(data), {.seed = 1, .dropped = 1}),
                            {.queues = delivering(5e-3)});
    const namespace_view view = device.view();
    const token command = begin_delivered(view, 3, there.data());
    everywhere::store_seq_cst(view.deliveries[slot_number(view, command)].copying,
                              command.cid + 1u);  // as a delivery does that waits for a lock
    const std::int64_t start = nanoseconds();
    EXPECT_EQ(end(view, command), still_copying);
    EXPECT_GE(nanoseconds() - start, 2 * 5'000'000);
}

TEST(Delivery, OfAReadThatFailedBringsNothing) {
    const std::vector<std::byte> before(run, std::byte{0x5a});
    std::vector<std::byte> data = all_runs(), there = before;
    controller device(make_faulty(make_ram(data), {.seed = 1, .failed = 1}),
                      {.queues = delivering(timeout)});
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(end(device.view(), begin_delivered(device.view(), 3, there.data())),
                  unrecovered_read);
    EXPECT_EQ(there, before);
}

TEST(Delivery, LeavesIdentifiersAsGoodAsNew) {
    std::vector<std::byte> data = all_runs(), there(run);
    queue_options options = delivering(timeout, 2);
    options.queues = 1;
    const controller device(make_ram(data), {.queues = options});
    const namespace_view view = device.view();
    for (std::uint64_t i = 0; i < (1u << 16) + 100;
         ++i) {  // each is acquired as often as it has names
        const bool brought = i % 50 < 2 || i > 1u << 16;
        token command;
        if (brought) {
            command = begin_delivered(view, i % runs, there.data());
        } else {
            command = begin_read(view, i % runs * blocks, 1);
        }
        ASSERT_TRUE(wait(view, command).ok());
        if (brought) {
            ASSERT_TRUE(is_run(there.data(), i % runs));
            ASSERT_EQ(everywhere::load_relaxed(view.deliveries[0].copying), 0u);
        }
        release_slot(view, command);
    }
}

/// A backend that completes some commands, then throws.
class failing final : public backend {
    struct failing_channel final : io_channel {
        explicit failing_channel(unsigned& l) : left(l) {}
        bool submit(const request& command) override {
            ended_.push_back({command.queue, command.cid, success});
            return true;
        }
        void reap(std::vector<ending>& ended) override {
            if (left == 0) throw system_error("a call", 5);
            ended.swap(ended_);
            left -= static_cast<unsigned>(ended.size());
        }
        std::size_t under_way() const override { return ended_.size(); }
        unsigned& left;
        std::vector<ending> ended_;
    };
    std::uint64_t bytes() const override { return runs * (std::uint64_t{2} << 20); }
    std::unique_ptr<io_channel> open_channel(const user_memory&) override {
        return std::make_unique<failing_channel>(left);
    }

public:
    unsigned left = 8;
};

TEST(Delivery, EndsBeforeTheLaneThatAskedForIt) {
    constexpr std::uint32_t large = 2 << 20;
    for (int round = 0; round < 5; ++round) {
        std::vector<std::byte> there(16 * std::size_t{large});
        const controller device(
            std::make_shared<failing>(),
            {.queues = {
                 .depth = 32, .max_transfer = large, .limit = 1e-3, .delivered_from = large}});
        const namespace_view view = device.view();
        for (std::size_t i = 0; i < 16; ++i) {
            token command;
            ASSERT_TRUE(fits(view, large / block_size, command) && take(view, command));
            command.delivered = true;
            send(view, command, make_transfer(opcode::read, command.cid, 1, 0, large / block_size),
                 &there[i * large]);
        }
        while (device.notice().empty()) std::this_thread::yield();
    }
}

}  // namespace
}  // namespace watari::storage
