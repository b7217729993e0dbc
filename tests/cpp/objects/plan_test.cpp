#include "watari/objects/plan.hpp"

#include <gtest/gtest.h>
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
    const std::vector<planned_read> plan = plan_reads(ranges, 10);
    ASSERT_EQ(plan.size(), 5u);
    EXPECT_EQ(plan[0].bytes, 8u);
    ASSERT_EQ(plan[0].into.size(), 2u);
    EXPECT_EQ(plan[0].into[1].iov_base, memory.data() + 50);
    const std::uint64_t offsets[] = {0, 20, 30, 40, 0};
    const std::size_t bytes[] = {8, 10, 10, 5, 1};
    for (std::size_t i = 0; i < plan.size(); ++i) {
        EXPECT_EQ(plan[i].offset, offsets[i]);
        EXPECT_EQ(plan[i].bytes, bytes[i]);
    }
}

TEST(ReadPlan, CoversEachByteOnceAndInItsPlace) {
    std::vector<std::byte> memory(1000);
    std::vector<range> ranges;
    std::uint64_t offset = 7;
    for (std::size_t first = 0, count = 1; first + count <= memory.size();
         first += count, count = count * 3 % 61 + 1, offset += count % 2 ? count : count + 5)
        ranges.push_back({offset, std::span(memory).subspan(first, count)});
    for (const planned_read& each : plan_reads(ranges, 32)) {
        EXPECT_LE(each.bytes, 32u);
        std::uint64_t at = each.offset;
        for (const iovec& piece : each.into)
            for (std::size_t i = 0; i < piece.iov_len; ++i, ++at) {
                auto* byte = static_cast<std::byte*>(piece.iov_base) + i;
                EXPECT_EQ(*byte, std::byte{0});
                *byte = std::byte{1};
                bool found = false;
                for (const range& r : ranges)
                    found |= byte >= r.into.data() && byte < r.into.data() + r.into.size() &&
                             r.offset + static_cast<std::uint64_t>(byte - r.into.data()) == at;
                EXPECT_TRUE(found);
            }
        EXPECT_EQ(at, each.offset + each.bytes);
    }
    std::size_t covered = 0, wanted = 0;
    for (const std::byte byte : memory) covered += byte == std::byte{1};
    for (const range& each : ranges) wanted += each.into.size();
    EXPECT_EQ(covered, wanted);
}

}  // namespace

}  // namespace watari::objects
