// Bytes past the cache, in commands as large as they can be.
#include "on_threads.hpp"
#include "storage/cache/array_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace watari {
namespace {

using cpu::group;

TEST(Transfers, ReadAnyBytesInCommandsAsLargeAsTheyCanBe) {
    rig r(1 << 20, 1 << 14, 4096);
    std::iota(r.data.begin(), r.data.end(), 1);
    const auto* bytes = reinterpret_cast<const std::byte*>(r.data.data());
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        cpu::transfers all(r.disk.view());
        std::vector<std::vector<std::byte>> parts;
        std::vector<std::size_t> first;
        for (unsigned k = 0; k < 1 + random() % 20; ++k) {
            parts.emplace_back(1 + random() % 40000);
            first.push_back(random() % ((1 << 20) - parts.back().size()));
            all.read(group::active(), first.back(), parts.back().size(), parts.back().data());
        }
        ASSERT_TRUE(all.wait(group::active()).ok());
        for (std::size_t k = 0; k < parts.size(); ++k)
            ASSERT_EQ(std::memcmp(parts[k].data(), bytes + first[k], parts[k].size()), 0);
    }
}

TEST(Transfers, MergeNeighbours) {
    rig r(1 << 20, 1 << 14, 4096);
    std::iota(r.data.begin(), r.data.end(), 1);
    std::vector<std::uint64_t> found(1 << 13);
    const std::uint64_t before = r.disk.counts().commands;
    cpu::transfers all(r.disk.view());
    for (std::size_t i = 0; i < found.size(); i += 16)  // 128 bytes each, a quarter of a block
        r.array.read_async(group::active(), all, 64 + i, 16, &found[i]);
    ASSERT_TRUE(all.wait(group::active()).ok());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), &r.data[64]));
    EXPECT_EQ(r.disk.counts().commands - before, found.size() * 8 / transfer);
}

TEST(Transfers, WriteAndReadBackAndSayWhatFails) {
    rig r(1 << 20, 1 << 14, 4096);
    std::vector<std::uint64_t> some(9 * 512 / 8 * 16, 42);
    cpu::transfers all(r.disk.view());
    all.write(group::active(), 512 * 3, some.size() * 8, some.data(), true);
    ASSERT_TRUE(all.wait(group::active()).ok());
    EXPECT_EQ(std::count(r.data.begin(), r.data.end(), 42u), some.size());
    EXPECT_EQ(r.data[3 * 64], 42u);
    all.write(group::active(), 100, 512, some.data(), false);
    EXPECT_EQ(all.wait(group::active()), storage::invalid_field);
    all.read(group::active(), (1 << 20) - 512, 1024, some.data());
    EXPECT_TRUE(all.wait(group::active()).is(storage::lba_out_of_range));
    EXPECT_TRUE(all.wait(group::active()).ok()) << "reported once";
    all.read(group::active(), 0, 1024, some.data());
    EXPECT_TRUE(all.wait(group::active()).ok());
}

// The queues have fewer identifiers than all threads together could use.
TEST(Transfers, OfManyThreadsNeverWaitForEachOther) {
    rig r(1 << 20, 1 << 14, 4096);
    std::iota(r.data.begin(), r.data.end(), 1);
    std::atomic<unsigned> wrong = 0;
    on_threads(12u, [&](unsigned t) {
        std::mt19937 random(t);
        std::vector<std::uint64_t> one(4096), other(4096);
        for (int i = 0; i < 30; ++i) {
            cpu::transfers all(r.disk.view());
            const std::size_t a = random() % 100000, b = random() % 100000;
            r.array.read_async(group::active(), all, a, one.size(), one.data());
            r.array.read_async(group::active(), all, b, other.size(), other.data());
            if (!all.wait(group::active()).ok()) ++wrong;
            if (!std::equal(one.begin(), one.end(), &r.data[a])) ++wrong;
            if (!std::equal(other.begin(), other.end(), &r.data[b])) ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace watari
