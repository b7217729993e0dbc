#include "attach/injected/sampled/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace watari::attach;

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

// Allocations one after the other, from an address that is no multiple of a block.
std::map<device_address, std::size_t> placed(const std::vector<std::size_t>& sizes) {
    std::map<device_address, std::size_t> made;
    device_address next = 0x7f0000010000;
    for (const auto size : sizes) {
        made[next] = size;
        next += size + 512;
    }
    return made;
}

std::size_t bytes_of(const std::map<device_address, std::vector<range>>& parts) {
    std::size_t sum = 0;
    for (const auto& [begin, ranges] : parts)
        for (const auto& one : ranges) sum += one.size;
    return sum;
}

// Returns random sizes, small and large; some sets fit, others do not.
std::vector<std::size_t> drawn(std::mt19937& random) {
    const std::size_t count = 1 + random() % 400, most = kib << random() % 18;
    std::vector<std::size_t> sizes(count);
    for (auto& size : sizes) size = 1 + random() % (random() % 4 ? most : 64 * kib);
    return sizes;
}

}  // namespace

TEST(read_mostly_blocks, are_few_and_lie_in_their_allocations) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const auto allocations = placed(drawn(random));
        std::size_t all = 0;
        for (const auto& [begin, size] : allocations) all += size;
        const auto parts = read_mostly(allocations, 0);
        EXPECT_LE(bytes_of(parts), most_read_mostly + block / 2);
        if (all <= most_read_mostly) {
            EXPECT_EQ(bytes_of(parts), all);
        }
        for (const auto& [begin, ranges] : parts) {
            device_address last = begin;
            for (const auto& one : ranges) {
                EXPECT_GT(one.size, 0u);
                EXPECT_GE(one.begin, last);
                last = one.begin + one.size;
            }
            EXPECT_LE(last, begin + allocations.at(begin));
        }
    }
}

TEST(read_mostly_blocks, are_all_of_what_is_just_small_enough) {
    const auto allocations = placed(std::vector<std::size_t>(32, 2 * mib));
    EXPECT_EQ(bytes_of(read_mostly(allocations, 0)), most_read_mostly);
    EXPECT_TRUE(read_mostly({}, 0).empty());
}

TEST(read_mostly_blocks, of_hundreds_of_allocations_cover_those_that_are_small) {
    std::vector<std::size_t> sizes(300, 2 * mib);
    for (std::size_t i = 0; i < sizes.size(); i += 3) sizes[i] = 300 * kib;
    sizes.push_back(1024 * mib);
    const auto allocations = placed(sizes);
    const auto parts = read_mostly(allocations, 0);
    EXPECT_LE(bytes_of(parts), most_read_mostly + block / 2);
    for (const auto& [begin, size] : allocations)
        if (size < mib || size > 2 * mib) {
            EXPECT_TRUE(parts.count(begin)) << size;
        }
}

TEST(read_mostly_blocks, of_large_memory_are_spread_over_it) {
    const auto allocations = placed({1024 * mib, 1024 * mib, 1024 * mib});
    const auto parts = read_mostly(allocations, 0);
    for (const auto& [begin, size] : allocations) {
        const auto& ranges = parts.at(begin);
        EXPECT_NEAR(static_cast<double>(ranges.size()), 32 / 3.0, 1);
        for (std::size_t i = 1; i < ranges.size(); ++i)
            EXPECT_EQ(ranges[i].begin - ranges[i - 1].begin, 48 * block);
    }
}

TEST(read_mostly_blocks, of_all_launches_of_a_kernel_cover_what_one_does_not) {
    for (const std::size_t size : {80 * mib, 154 * mib, 400 * mib}) {
        const auto allocations = placed({size});
        const device_address first = allocations.begin()->first;
        std::vector<bool> seen(size / mib);
        for (unsigned turn = 0; turn < turns; ++turn) {
            const auto parts = read_mostly(allocations, turn);
            EXPECT_LE(bytes_of(parts), most_read_mostly + block);
            for (const auto& one : parts.at(first))
                for (std::size_t at = 0; at < seen.size(); ++at)
                    if (one.begin <= first + at * mib && first + at * mib < one.begin + one.size)
                        seen[at] = true;
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0) << size;
    }
}
