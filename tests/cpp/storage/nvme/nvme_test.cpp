// Entries bit for bit, as the specification has them; PRPs as a controller reads them.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "watari/files/aligned.hpp"
#include "watari/storage/controller/prp.hpp"
#include "watari/storage/nvme/nvme.hpp"

namespace watari::storage {
namespace {

TEST(Nvme, ACommandIsBitForBitAsSpecified) {
    submission_entry entry = make_transfer(opcode::read, 0xabcd, 7, 0x1122334455667788, 256, true);
    entry.prp1 = 0x0102030405060708;
    entry.prp2 = 0x1112131415161718;
    std::uint32_t dw[16];
    std::memcpy(dw, &entry, sizeof entry);
    const std::uint32_t wanted[16] = {
        0xabcd0002, 7,          0,          0,          0,          0, 0x05060708, 0x01020304,
        0x15161718, 0x11121314, 0x55667788, 0x11223344, 0x400000ff, 0, 0,          0};
    for (int i = 0; i < 16; ++i) EXPECT_EQ(dw[i], wanted[i]) << "DW" << i;
    EXPECT_EQ(entry.cid(), 0xabcd);
    EXPECT_EQ(entry.blocks(), 256u);
    EXPECT_TRUE(entry.fua());
    EXPECT_EQ(make_transfer(opcode::write, 0, 1, 0, most_blocks).blocks(), most_blocks);
    EXPECT_EQ(make_flush(3, 1).dw0, 0x00030000u);
}

TEST(Nvme, ACompletionIsBitForBitAsSpecified) {
    const completion_entry entry{0, make_outcome(0xbeef, 5, 0x1234, true, {2, 0x81, true, true})};
    std::uint32_t dw[4];
    std::memcpy(dw, &entry, sizeof entry);
    EXPECT_EQ(dw[2], 0x00051234u);
    EXPECT_EQ(dw[3], 0xbeefu | 1u << 16 | 0x81u << 17 | 2u << 25 | 1u << 30 | 1u << 31);
    EXPECT_EQ(cid_of(entry.outcome), 0xbeef);
    EXPECT_EQ(sq_id_of(entry.outcome), 5);
    EXPECT_TRUE(phase_of(entry.outcome));
}

TEST(Nvme, EveryStatusSurvivesItsField) {
    for (unsigned sct = 0; sct < 8; ++sct)
        for (unsigned sc = 0; sc < 256; ++sc)
            for (unsigned flags = 0; flags < 4; ++flags) {
                const status s{static_cast<std::uint8_t>(sct), static_cast<std::uint8_t>(sc),
                               (flags & 1) != 0, (flags & 2) != 0};
                const auto outcome = make_outcome(9, 9, 9, flags & 1, s);
                EXPECT_EQ(status_of(status_field_of(outcome)), s);
            }
}

TEST(Nvme, ThePhaseStartsAtOneAndFlipsAtEachWrap) {
    for (unsigned log2 = 1; log2 < 15; ++log2)
        for (std::uint32_t lap = 0; lap < 4; ++lap) {
            EXPECT_EQ(expected_phase(lap << log2, log2), lap % 2 == 0);
            EXPECT_EQ(expected_phase(((lap + 1) << log2) - 1, log2), lap % 2 == 0);
        }
    EXPECT_FALSE(expected_phase(0xffffffff, 3));  // and on to position 0
    EXPECT_TRUE(expected_phase(0, 3));
}

/// Pages of memory and their addresses.
struct Prp : testing::Test {
    files::aligned_bytes memory{600 * prp_page};
    memory_range known[1]{{memory.data(), memory.size()}};
    std::vector<memory_range> ranges;
    submission_entry entry;

    std::uint64_t page(std::size_t number) {
        return reinterpret_cast<std::uint64_t>(memory.data() + number * prp_page);
    }
    std::uint64_t* list(std::size_t number) {
        return reinterpret_cast<std::uint64_t*>(page(number));
    }
    status parse(std::size_t bytes) { return read_prps(entry, bytes, known, ranges); }
    void expect(std::size_t range, std::uint64_t address, std::size_t bytes) {
        ASSERT_LT(range, ranges.size());
        EXPECT_EQ(reinterpret_cast<std::uint64_t>(ranges[range].data), address);
        EXPECT_EQ(ranges[range].bytes, bytes);
    }
};

TEST_F(Prp, TheFirstMayBeginWithinItsPage) {
    entry.prp1 = page(3) + 512;
    EXPECT_EQ(parse(512), success);
    expect(0, page(3) + 512, 512);
    entry.prp2 = page(9);
    EXPECT_EQ(parse(4096), success);
    ASSERT_EQ(ranges.size(), 2u);
    expect(0, page(3) + 512, 3584);
    expect(1, page(9), 512);
}

TEST_F(Prp, TheSecondPageStandsInTheSecondPrp) {
    entry.prp1 = page(1);
    entry.prp2 = page(2);
    EXPECT_EQ(parse(8192), success);
    ASSERT_EQ(ranges.size(), 1u);  // neighbours are one range
    expect(0, page(1), 8192);
}

TEST_F(Prp, MorePagesStandInAList) {
    entry.prp1 = page(1) + 1024;
    entry.prp2 = page(0);
    list(0)[0] = page(5);
    list(0)[1] = page(4);
    EXPECT_EQ(parse(3 * 4096 - 1024 - 512), success);
    ASSERT_EQ(ranges.size(), 3u);
    expect(1, page(5), 4096);
    expect(2, page(4), 4096 - 512);
}

TEST_F(Prp, AFullListGoesOnWhereItsLastEntrySays) {
    // a list that begins 3 entries before its page ends: two pages, then the chain
    entry.prp1 = page(2);
    entry.prp2 = page(1) - 24;
    auto* end = list(1);
    end[-3] = page(10);
    end[-2] = page(12);
    end[-1] = page(500);
    list(500)[0] = page(14);
    list(500)[1] = page(16);
    EXPECT_EQ(parse(5 * 4096), success);
    ASSERT_EQ(ranges.size(), 5u);
    expect(3, page(14), 4096);
    expect(4, page(16), 4096);
    // without remaining data the last entry is a page like any other
    EXPECT_EQ(parse(4 * 4096), success);
    ASSERT_EQ(ranges.size(), 4u);
    expect(3, page(500), 4096);
}

TEST_F(Prp, OffsetsWhereNoneMayBeAreRefused) {
    entry.prp1 = page(1) + 2;
    EXPECT_EQ(parse(512), invalid_prp_offset);
    entry.prp1 = page(1);
    entry.prp2 = page(2) + 512;
    EXPECT_EQ(parse(8192), invalid_prp_offset);
    entry.prp2 = page(0) + 4;
    EXPECT_EQ(parse(3 * 4096), invalid_prp_offset);
    entry.prp2 = page(0);
    list(0)[0] = page(5) + 8;
    list(0)[1] = page(6);
    EXPECT_EQ(parse(3 * 4096), invalid_prp_offset);
}

TEST_F(Prp, MemoryThatIsNotTheUsersIsRefused) {
    entry.prp1 = page(600);
    EXPECT_EQ(parse(512), data_transfer_error);
    entry.prp1 = 0;
    EXPECT_EQ(parse(512), data_transfer_error);
    entry.prp1 = page(599);
    entry.prp2 = page(600);
    EXPECT_EQ(parse(8192), data_transfer_error);
    entry.prp2 = page(601);
    EXPECT_EQ(parse(3 * 4096), data_transfer_error);
    entry.prp1 = ~std::uint64_t{3};
    EXPECT_EQ(parse(512), data_transfer_error);
}

}  // namespace
}  // namespace watari::storage
