// The queue protocol against a model of a controller that keeps every rule and checks that the
// users keep them: random interleavings of all steps, every depth from 2 to 16384, past the wrap of
// all counters.
#include "storage/nvme/model_controller.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace watari::storage {
namespace {

using namespace watari::cpu;

constexpr std::int64_t hangs =
    60'000'000'000;  // ns; for a wait without end, not for a busy machine

class Protocol : public testing::TestWithParam<std::uint32_t> {};

/// Users take steps in any order. Every command ends with its own status, and none is lost. With
/// odd seeds the queue lends fewer identifiers than it has entries.
void play(std::uint32_t depth, unsigned seed, bool duplicates) {
    std::mt19937 random(seed);
    const std::uint32_t max_outstanding =
        seed % 2 == 0 ? 0 : static_cast<std::uint32_t>(random() % (depth - 1) + 1);
    const std::uint32_t most = max_outstanding > 0 ? max_outstanding : depth - 1,
                        ids = max_outstanding > 0 ? max_outstanding : depth;
    queue_memory memory({.queues = 1,
                         .depth = depth,
                         .max_outstanding = max_outstanding,
                         .max_transfer = 4096,
                         .limit = 100,
                         .first_ticket = 0u - 2 * depth});
    const queue_view queue = memory.view(1, 512).queues[0];
    model_controller controller(memory, random);
    std::vector<std::uint16_t> acquired;
    std::vector<std::pair<std::uint16_t, std::uint64_t>> submitted;
    std::set<std::uint16_t> indices;  // of identifiers in use
    std::uint64_t next = 0, ended = 0;
    const unsigned wanted = 6 * depth + 200;

    const auto finish_any = [&] {
        if (submitted.empty()) return;
        const std::size_t any = random() % submitted.size();
        const auto [cid, block] = submitted[any];
        if ((local::load_acquire(queue.results[queue.index(cid)]) & done) == 0) return;
        EXPECT_EQ(wait(group::active(), queue, cid), model_controller::status_of(block));
        indices.erase(static_cast<std::uint16_t>(queue.index(cid)));
        release(queue, cid);
        submitted[any] = submitted.back();
        submitted.pop_back();
        ++ended;
    };
    for (std::uint64_t step = 0; ended < wanted && step < 200u * wanted; ++step) {
        switch (random() % (duplicates ? 7 : 6)) {
            case 0:
                if (std::uint16_t cid;
                    next + acquired.size() < wanted && try_acquire(group::active(), queue, cid)) {
                    EXPECT_TRUE(
                        indices.insert(static_cast<std::uint16_t>(queue.index(cid))).second);
                    acquired.push_back(cid);
                    EXPECT_LE(indices.size(), most);
                    EXPECT_LT(queue.index(cid), ids);
                }
                break;
            case 1:
                if (!acquired.empty()) {
                    std::swap(acquired[random() % acquired.size()], acquired.back());
                    submit(group::active(), queue,
                           make_transfer(opcode::read, acquired.back(), 1, next, 1));
                    submitted.emplace_back(acquired.back(), next++);
                    acquired.pop_back();
                }
                break;
            case 2:
                controller.fetch();
                break;
            case 3:
                controller.complete();
                break;
            case 4:
                poll(group::active(), queue);
                break;
            case 5:
                finish_any();
                break;
            default:
                controller.repeat();
        }
        if (testing::Test::HasFailure()) FAIL() << "depth " << depth << ", seed " << seed;
    }
    EXPECT_EQ(ended, wanted) << "depth " << depth << ", seed " << seed;
    poll(group::active(), queue);
    EXPECT_EQ(queue.state->credits, static_cast<std::int32_t>(most));
    EXPECT_EQ(queue.state->spurious > 0, duplicates);
}

TEST_P(Protocol, HoldsInAnyInterleaving) {
    const unsigned seeds = GetParam() <= 64 ? 50 : 2;
    for (unsigned seed = 0; seed < seeds; ++seed) play(GetParam(), seed, false);
}

TEST_P(Protocol, HoldsWhenCompletionsComeTwice) {
    const unsigned seeds = GetParam() <= 64 ? 50 : 2;
    for (unsigned seed = 0; seed < seeds; ++seed) play(GetParam(), seed, true);
}

INSTANTIATE_TEST_SUITE_P(Depth, Protocol,
                         testing::Values(2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
                                         16384),
                         testing::PrintToStringParamName());

/// One queue whose controller the test drives step by step.
struct Hand : testing::Test {
    std::mt19937 random{1};
    queue_memory memory{{.queues = 1, .depth = 4, .max_transfer = 4096, .limit = 0.01}};
    queue_view queue = memory.view(1, 512).queues[0];
    model_controller controller{memory, random};

    std::uint16_t begin(std::uint64_t block) {
        std::uint16_t cid = 0xffff;
        EXPECT_TRUE(try_acquire(group::active(), queue, cid));
        submit(group::active(), queue, make_transfer(opcode::read, cid, 1, block, 1));
        EXPECT_TRUE(controller.fetch());
        return cid;
    }
};

TEST_F(Hand, WhatPassesTheLimitIsTimedOut) {
    const std::uint16_t cid = begin(1);
    const std::int64_t start = nanoseconds();
    EXPECT_EQ(wait(group::active(), queue, cid), timed_out);
    EXPECT_LT(nanoseconds() - start, hangs);
}

TEST_F(Hand, AnAbandonedIdentifierIsNotFreeBeforeItsCompletionCame) {
    const std::uint16_t cid = begin(1);
    EXPECT_EQ(wait(group::active(), queue, cid), timed_out);
    release(queue, cid);  // the caller has lost it: nothing happens
    EXPECT_EQ(queue.state->credits, 2);
    for (std::uint64_t block = 2; block < 40; ++block) {
        const std::uint16_t other = begin(block);
        ASSERT_NE(queue.index(other), queue.index(cid));
        controller.complete(other);
        EXPECT_EQ(wait(group::active(), queue, other), model_controller::status_of(block));
        release(queue, other);
    }
    EXPECT_EQ(queue.state->credits, 2);
    controller.complete(cid);
    poll(group::active(), queue);
    EXPECT_EQ(queue.state->credits, 3);
    std::set<std::uint32_t> in_use;
    for (std::uint64_t block = 40; block < 44; ++block) {
        const std::uint16_t other = begin(block);
        in_use.insert(queue.index(other));
        controller.complete(other);
        EXPECT_EQ(wait(group::active(), queue, other), model_controller::status_of(block));
        release(queue, other);
    }
    EXPECT_EQ(in_use.count(queue.index(cid)), 1u);
}

TEST_F(Hand, ALateCompletionIsNobodysStatus) {
    const std::uint16_t late = begin(7);
    EXPECT_EQ(wait(group::active(), queue, late), timed_out);
    const std::uint16_t other = begin(8);
    while (controller.complete()) continue;
    EXPECT_EQ(wait(group::active(), queue, other), model_controller::status_of(8));
    release(queue, other);
    EXPECT_EQ(queue.state->credits, 3);
    EXPECT_EQ(queue.state->spurious, 0u);
}

TEST_F(Hand, WithNoIdentifierLeftAcquireEndsAtTheLimit) {
    for (std::uint64_t block = 0; block < 3; ++block)
        EXPECT_EQ(wait(group::active(), queue, begin(block)), timed_out);
    std::uint16_t cid = 0;
    const std::int64_t start = nanoseconds();
    EXPECT_FALSE(acquire(queue, cid));
    EXPECT_LT(nanoseconds() - start, hangs);
    while (controller.complete()) continue;
    EXPECT_TRUE(acquire(queue, cid));  // the late completions came
}

TEST_F(Hand, ACompletionOfAnotherQueueIsNobodys) {
    const std::uint16_t cid = begin(3);
    memory.completions(0)[0].outcome = make_outcome(cid, 2, 1, true, success);
    EXPECT_EQ(wait(group::active(), queue, cid), timed_out);
    EXPECT_EQ(queue.state->spurious, 1u);
}

TEST_F(Hand, AnEntryOfTheOldPhaseIsNotYetThere) {
    const std::uint16_t cid = begin(3);
    memory.completions(0)[0].outcome = make_outcome(cid, 1, 1, false, success);
    EXPECT_FALSE(poll(group::active(), queue));
    memory.completions(0)[0].outcome = make_outcome(cid, 1, 1, true, success);
    EXPECT_EQ(wait(group::active(), queue, cid), success);
}

TEST_F(Hand, OneDoorbellWriteCoversARun) {
    std::uint16_t cid[3];
    for (std::uint16_t& c : cid) ASSERT_TRUE(try_acquire(group::active(), queue, c));
    // another thread has the doorbell: threads leave their entries to it
    queue.state->tail_lock = 1;
    for (const std::uint16_t c : cid)
        submit(group::active(), queue, make_transfer(opcode::read, c, 1, c, 1));
    EXPECT_EQ(*queue.submission_doorbell, 0u);
    queue.state->tail_lock = 0;
    ring_doorbell(group::active(), queue);
    EXPECT_EQ(*queue.submission_doorbell, 3u);
}

TEST_F(Hand, TheDoorbellStopsBeforeAnEntryThatIsNotReady) {
    std::uint16_t cid[2];
    for (std::uint16_t& c : cid) ASSERT_TRUE(try_acquire(group::active(), queue, c));
    local::fetch_add(queue.state->tickets, 1u);  // somebody has drawn ticket 0 and is still writing
    submit(group::active(), queue, make_transfer(opcode::read, cid[1], 1, 0, 1));
    EXPECT_EQ(*queue.submission_doorbell, 0u);
    queue.submissions[0] = make_transfer(opcode::read, cid[0], 1, 1, 1);
    local::store_release(queue.ready[0], queue.ready_turn(0));
    ring_doorbell(group::active(), queue);
    EXPECT_EQ(*queue.submission_doorbell, 2u);
}

}  // namespace
}  // namespace watari::storage
