// Reads that the controller delivers, while the device reorders, delays, drops and fails.
#include "on_threads.hpp"
#include "storage/controller/deliveries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/nvme/transfers.hpp"

namespace watari::storage {
namespace {

/// Counts of reads by several users at once, by outcome.
struct tally {
    std::atomic<unsigned> ok{0}, late{0}, failed{0}, wrong{0}, changed{0}, too_long{0};
};

/// Reads runs into the user's memory. After a read was given up, this memory does not change any
/// more, though its command may still end.
void use(const namespace_view& view, unsigned user, unsigned requests, tally& count) {
    std::mt19937 random(user);
    std::vector<std::byte> there(run), left;
    for (unsigned i = 0; i < requests; ++i) {
        const std::uint64_t number = random() % runs;
        std::ranges::fill(there, std::byte{0});
        const std::int64_t start = nanoseconds();
        const token command = begin_delivered(view, number, there.data());
        const status outcome = end(view, command);
        count.too_long += nanoseconds() - start > 3 * view.queues[0].limit + 60'000'000'000;
        if (outcome.ok()) {
            ++count.ok;
            count.wrong += !is_run(there.data(), number);
            continue;
        }
        EXPECT_NE(outcome, still_copying);
        // a read that was recalled just before its end completes without data
        ++(outcome == timed_out || outcome == abort_requested ? count.late : count.failed);
        if (!command.taken) continue;
        left = there;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        count.changed += left != there;
    }
}

void expect_no_harm(const tally& count) {
    EXPECT_EQ(count.wrong, 0u);
    EXPECT_EQ(count.changed, 0u);
    EXPECT_EQ(count.too_long, 0u);
}

void serve(controller& device, unsigned requests, tally& count) {
    on_threads(4u, [&](unsigned user) { use(device.view(), user, requests, count); });
}

struct named_plan {
    const char* name;
    fault_plan plan;
    double limit;
};

std::ostream& operator<<(std::ostream& to, const named_plan& p) { return to << p.name; }

class DeliveryFaults : public testing::TestWithParam<named_plan> {};

TEST_P(DeliveryFaults, LetNoWrongDataPass) {
    std::vector<std::byte> data = all_runs();
    controller device(make_faulty(make_ram(data), GetParam().plan),
                      {.queues = delivering(GetParam().limit, 64), .threads = 2});
    tally count;
    serve(device, 60, count);
    EXPECT_GT(count.ok, 60u);
    expect_no_harm(count);
    const fault_plan& plan = GetParam().plan;
    EXPECT_EQ(count.late > 0, plan.delayed + plan.dropped > 0);
    EXPECT_EQ(count.failed > 0, plan.failed > 0);
    // and later requests are served
    device.reset();
    std::vector<std::byte> there(run);
    unsigned served = 0;
    for (int i = 0; i < 20; ++i)
        served += end(device.view(), begin_delivered(device.view(), 5, there.data())).ok();
    EXPECT_GE(served, 5u);
}

constexpr double delay = 5e-3;

INSTANTIATE_TEST_SUITE_P(
    Of, DeliveryFaults,
    testing::Values(
        named_plan{"reordered", {.seed = 3, .delay = delay, .reordered = 0.5}, timeout},
        named_plan{"duplicated", {.seed = 4, .delay = delay, .duplicated = 0.3}, timeout},
        named_plan{"delayed", {.seed = 5, .delay = 0.4, .delayed = 0.2}, 0.15},
        named_plan{"dropped", {.seed = 6, .dropped = 0.1}, 0.15},
        named_plan{"failed", {.seed = 7, .failed = 0.3}, timeout},
        named_plan{"bad phase", {.seed = 8, .delay = delay, .bad_phase = 0.3}, timeout}),
    [](const auto& info) {
        std::string name = info.param.name;
        std::erase(name, ' ');
        return name;
    });

/// Commands end just when their users give them up. In either order, the data are whole or nothing
/// is delivered.
TEST(Delivery, IsRecalledOrAwaited) {
    std::vector<std::byte> data = all_runs();
    constexpr double limit = 0.1;  // in this time a copy ends on a busy machine, too
    controller device(make_faulty(make_ram(data), {.seed = 9, .delay = limit, .delayed = 0.9}),
                      {.queues = delivering(limit, 64), .threads = 2});
    tally count;
    serve(device, 30, count);
    EXPECT_GT(count.late, 10u);
    expect_no_harm(count);
}

}  // namespace
}  // namespace watari::storage
