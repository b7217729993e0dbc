// Models of SSDs, in simulated time.
#include <gtest/gtest.h>

#include "watari/core/error.hpp"
#include "watari/storage/backends/disk_array.hpp"
#include "watari/storage/backends/ssd.hpp"

#include <vector>

namespace watari::storage {
namespace {

/// A row whose requests all take the mean, so that numbers can be computed by hand.
void add_row(std::vector<double>& rows, double block, double depth, double latency,
             bool writes = false) {
    rows.insert(rows.end(), {writes ? 1.0 : 0.0, block, depth, latency, depth / latency});
    rows.insert(rows.end(), shape_parts.size(), 1.0);
}

std::vector<double> some_rows() {
    std::vector<double> rows;
    add_row(rows, 4096, 1, 1e-4);
    add_row(rows, 4096, 16, 1e-4);
    add_row(rows, 4096, 256, 4e-4);
    add_row(rows, 65536, 1, 2e-4);
    add_row(rows, 65536, 16, 4e-4);
    add_row(rows, 65536, 256, 6.4e-3);
    return rows;
}

simulated seen(std::size_t block, std::size_t depth, opcode operation = opcode::read) {
    return closed_loop(*make_ssd({"rows", some_rows()}), operation, block, depth, 20 * depth);
}

TEST(MeasuredSsd, HasTheLatencyAndTheRateOfItsRows) {
    const std::vector<double> rows = some_rows();
    for (std::size_t at = 0; at < rows.size(); at += row_numbers) {
        const auto depth = static_cast<std::size_t>(rows[at + 2]);
        const simulated one = seen(static_cast<std::size_t>(rows[at + 1]), depth);
        EXPECT_NEAR(one.latency, rows[at + 3], 1e-8) << depth;
        EXPECT_NEAR(one.iops, rows[at + 4], 2e-3 * rows[at + 4]) << depth;
    }
}

TEST(MeasuredSsd, IsLinearInLogarithmsBetweenRows) {
    EXPECT_NEAR(seen(4096, 4).latency, 1e-4, 1e-8);
    EXPECT_NEAR(seen(4096, 64).latency, 2e-4, 1e-8);
    EXPECT_NEAR(seen(16384, 16).latency, 2e-4, 1e-8);
}

TEST(MeasuredSsd, KeepsItsHighestRateBeyondItsRows) {
    EXPECT_NEAR(seen(65536, 512).iops, 40000, 100);
    EXPECT_NEAR(seen(65536, 512).latency, 2 * 6.4e-3, 1e-6);
}

TEST(MeasuredSsd, CountsOtherSizesByTheTimeThatTheyOccupyTheDisk) {
    const auto disk = make_ssd({"rows", some_rows()});
    for (int i = 0; i < 15; ++i) disk->due(opcode::read, 65536, 0);  // each like 16 of 4 KiB
    const std::int64_t due = disk->due(opcode::read, 4096, 0);
    EXPECT_NEAR(static_cast<double>(due), 3.8e5, 2e4);  // as with 241 in flight, 4e5 with 256
    for (int i = 0; i < 15; ++i) disk->ended(opcode::read, 65536);
    EXPECT_NEAR(static_cast<double>(disk->due(opcode::read, 4096, 0)), 1e5, 1);
}

TEST(MeasuredSsd, SpreadsLatenciesAsItsRowDoes) {
    std::vector<double> rows{0, 4096, 1, 1e-4, 1e4};
    for (const double part : shape_parts) rows.push_back(2 * part);  // 0 to twice the mean
    const simulated one = closed_loop(*make_ssd({"rows", rows}), opcode::read, 4096, 1, 20000);
    EXPECT_NEAR(one.latency, 1e-4, 1e-7);
    EXPECT_NEAR(one.p50, 1e-4, 1e-6);
    EXPECT_NEAR(one.p99, 1.98e-4, 1e-6);
}

TEST(MeasuredSsd, RefusesRowsThatAreNone) {
    std::vector<double> rows = some_rows();
    rows.pop_back();
    EXPECT_THROW(make_ssd({"short", rows}), usage_error);
    rows = some_rows();
    rows[3] = 0;
    EXPECT_THROW(make_ssd({"zero", rows}), usage_error);
    rows = some_rows();
    rows[2] = 16;
    EXPECT_THROW(make_ssd({"twice", rows}), usage_error);
    EXPECT_THROW(make_ssd({"unknown"}), usage_error);
}

TEST(DiskArray, SharesCommandsByStripe) {
    constexpr std::size_t stripe = 1 << 20;
    const auto last = [](std::size_t disks, bool one_stripe) {
        disk_array array({{"kioxia-cm6-v"}, disks, stripe});
        std::int64_t due = 0;
        for (std::uint64_t i = 0; i < 4000; ++i)
            due = std::max(due, array.due(opcode::read, one_stripe ? 0 : i * stripe, 4096, 0));
        return static_cast<double>(due) * 1e-9 - ssd_models()[0].read.latency;
    };
    const double one = 4000 / ssd_models()[0].read.iops;
    EXPECT_NEAR(last(1, false), one, 1e-2 * one);
    EXPECT_NEAR(last(4, false), one / 4, 1e-2 * one);
    EXPECT_NEAR(last(4, true), one, 1e-2 * one);
}

TEST(DiskArray, CutsARequestAtStripesAndWhereADiskTakesNoMore) {
    disk_array array({{"rows", some_rows()}, 2, 65536});
    // half of it is on each disk, and each disk sees requests of its largest rows
    EXPECT_NEAR(static_cast<double>(array.due(opcode::read, 0, 131072, 0)), 2e5, 1);
    array.ended(opcode::read, 0, 131072);
    EXPECT_NEAR(static_cast<double>(array.due(opcode::read, 0, 65536, 0)), 2e5, 1);
    EXPECT_THROW(disk_array({{"kioxia-cm6-v"}, 0, 65536}), usage_error);
}

}  // namespace
}  // namespace watari::storage
