#include "watari/objects/plan.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace watari::objects {

namespace {

TEST(ReadPlan, JoinsNeighboursAndDividesLongRanges) {
    std::vector<std::byte> memory(100);
    const auto at = [&](std::size_t first, std::size_t count) {
        return std::span(memory).subspan(first, count);
    };
    const range ranges[] = {
        {0, at(0, 4)}, {4, at(50, 4)}, {8, at(0, 0)}, {20, at(10, 25)}, {0, at(90, 1)}};
    const std::vector<planned_read> plan = plan_reads(ranges, 10, 0);
    ASSERT_EQ(plan.size(), 5u);
    EXPECT_EQ(plan[0].bytes, 8u);
    ASSERT_EQ(plan[0].into.size(), 2u);
    EXPECT_EQ(plan[0].into[1].iov_base, memory.data() + 50);
    const std::uint64_t offsets[] = {0, 0, 20, 30, 40};
    const std::size_t bytes[] = {8, 1, 10, 10, 5};
    for (std::size_t i = 0; i < plan.size(); ++i) {
        EXPECT_EQ(plan[i].offset, offsets[i]);
        EXPECT_EQ(plan[i].bytes, bytes[i]);
    }
}

TEST(ReadPlan, RangesNearOneAnotherAreOneRequest) {
    std::vector<std::byte> memory(100);
    const auto at = [&](std::size_t first, std::size_t count) {
        return std::span(memory).subspan(first, count);
    };
    // a gap of 5, of 0, of 6; the last does not fit as a whole
    const range ranges[] = {{40, at(40, 10)}, {0, at(0, 10)},  {15, at(20, 5)},
                            {20, at(25, 9)},  {35, at(34, 4)}, {52, at(60, 40)}};
    const std::vector<planned_read> plan = plan_reads(ranges, 40, 5);
    ASSERT_EQ(plan.size(), 3u);
    EXPECT_EQ(plan[0].bytes, 29u);
    ASSERT_EQ(plan[0].into.size(), 3u);  // bytes that follow in memory, too, are one piece
    EXPECT_EQ(plan[0].into[1].iov_base, nullptr);
    EXPECT_EQ(plan[0].into[1].iov_len, 5u);
    EXPECT_EQ(plan[0].into[2].iov_len, 14u);
    EXPECT_EQ(plan[1].offset, 35u);
    EXPECT_EQ(plan[1].bytes, 15u);
    EXPECT_EQ(plan[2].offset, 52u);
    EXPECT_EQ(plan[2].bytes, 40u);
}

/// Random ranges, also equal ones and those that overlap, against an array in memory.
TEST(ReadPlan, EveryRangeGetsItsBytes) {
    std::mt19937 random(5);
    const auto up_to = [&](std::size_t n) { return random() % (n + 1); };
    std::vector<std::byte> object(2000);
    for (std::byte& each : object) each = static_cast<std::byte>(random());
    std::size_t few = 0, many = 0;  // requests
    for (int turn = 0; turn < 500; ++turn) {
        const std::size_t longest = 1 + up_to(300), gap = up_to(60);
        std::vector<std::byte> memory(4000, std::byte{0xEE}), expected = memory;
        std::vector<range> ranges;
        for (std::size_t first = up_to(20); first < memory.size() - 200; first += up_to(30)) {
            const std::size_t count = up_to(120), offset = up_to(object.size() - count);
            ranges.push_back({offset, std::span(memory).subspan(first, count)});
            std::copy_n(object.begin() + static_cast<std::ptrdiff_t>(offset), count,
                        expected.begin() + static_cast<std::ptrdiff_t>(first));
            first += count;
        }
        const std::vector<planned_read> plan = plan_reads(ranges, longest, gap);
        std::size_t taken = 0, wanted = 0;
        for (const planned_read& each : plan) {
            ASSERT_LE(each.bytes, longest);
            ASSERT_TRUE(each.into.front().iov_base && each.into.back().iov_base);
            const std::byte* from = object.data() + each.offset;
            for (const iovec& piece : each.into) {
                if (piece.iov_base)
                    std::memcpy(piece.iov_base, from, piece.iov_len);
                else
                    ASSERT_LE(piece.iov_len, gap);
                taken += piece.iov_base ? piece.iov_len : 0;
                from += piece.iov_len;
            }
            ASSERT_EQ(from, object.data() + each.offset + each.bytes);
        }
        for (const range& each : ranges) wanted += each.into.size();
        ASSERT_EQ(taken, wanted);
        ASSERT_EQ(memory, expected);
        few += plan.size();
        many += plan_reads(ranges, longest, 0).size();
    }
    EXPECT_LT(few, many);
}

}  // namespace

}  // namespace watari::objects
