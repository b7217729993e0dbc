// The requests of a product to its store: those of the schedule's loads, each once and in the
// schedule's order, and one for each row of the tiles of C that are written.
#include "watari/gemm/pipeline/pipeline.hpp"

#include "gemm/product/product_files.hpp"
#include "storage/backends/hooked.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/stores/store_engines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

namespace watari::gemm {
namespace {

/// A command: its first byte in the store, and its bytes.
using command = std::pair<std::uint64_t, std::size_t>;

struct record {
    std::mutex mutex;
    std::vector<command> reads, writes;
};

/// Memory that records the requests to read and write it.
std::shared_ptr<storage::backend> recording(std::span<std::byte> data, record& into) {
    const auto note = [&into](const storage::request& r) -> std::optional<storage::status> {
        const std::lock_guard lock(into.mutex);
        if (r.operation != storage::opcode::flush)
            (r.operation == storage::opcode::read ? into.reads : into.writes)
                .emplace_back(r.offset, r.bytes);
        return std::nullopt;
    };
    return std::make_shared<storage::hooked>(storage::make_ram(data), note);
}

struct request_example {
    const char* name;
    shape size;
    std::size_t slots, together;
    double beta;
    schedule_kind which;
    layout how;
};

std::ostream& operator<<(std::ostream& to, const request_example& e) { return to << e.name; }

/// A, B and C one behind the other in memory, tiles of 128 floats.
class Requests : public ::testing::TestWithParam<request_example> {
protected:
    static constexpr std::size_t tile = 128, element = 4;

    Requests() {
        std::uint64_t next = 0;
        for (const matrix which : {matrix::a, matrix::b, matrix::c}) {
            placement& here = where(which);
            here = placement::packed(tiling_of(which, of.size, tile), element, of.how, 1 << 16);
            here.first = next;
            next = (here.bytes() + 4095) / 4096 * 4096;
        }
        stored_.resize(next / element);
        // small whole numbers: sums are exact in any order
        for (std::size_t i = 0; i < stored_.size(); ++i)
            stored_[i] = static_cast<float>(i * 7 % 5) - 2;
        before_ = stored_;
    }

    placement& where(matrix which) { return where_[static_cast<int>(which)]; }

    float& at(std::vector<float>& in, matrix which, std::size_t i, std::size_t j) {
        const placement& here = where(which);
        const std::uint64_t byte =
            of.how == layout::tiled
                ? here.tile_at(i / tile, j / tile) + i % tile * here.row_bytes + j % tile * element
                : here.first + i * here.row_bytes + j * element;
        return in[byte / element];
    }

    gemm::schedule schedule() {
        const std::size_t slot = slot_bytes({where_[0], where_[1], where_[2]});
        return gemm::schedule({.size = of.size,
                               .tile = tile,
                               .beta_is_zero = of.beta == 0,
                               .fast_bytes = of.slots * slot,
                               .slot_bytes = slot,
                               .which = of.which,
                               .tiles_per_request = {of.together, of.together, of.together}});
    }

    std::vector<command> foreseen(const gemm::schedule& by) {
        std::vector<command> all;
        storage::block_list list;
        for (std::size_t s = 0; s < by.steps(); ++s)
            for (const load& each : by.loads(by.step(s))) {
                where(each.which).locate(each.row, each.column, each.columns, list);
                for (const std::uint64_t offset : list.offsets)
                    all.emplace_back(offset, list.block);
            }
        return all;
    }

    pipeline_counts multiply(const gemm::schedule& by, std::size_t movers, std::size_t depth) {
        const auto bytes = std::as_writable_bytes(std::span(stored_));
        const storage::open_store store({.engine = "queue",
                                         .who = the_cpu,
                                         .behind = recording(bytes, seen_),
                                         .requests = 2 * movers * depth,
                                         .largest_block = std::size_t{1} << 17});
        pipeline work({.schedule = &by,
                       .a = {&store, where_[0]},
                       .b = {&store, where_[1]},
                       .c_read = {of.beta != 0 ? &store : nullptr, where_[2]},
                       .c = {&store, where_[2]},
                       .alpha = 1,
                       .beta = of.beta,
                       .type = precision::single_precision,
                       .who = the_cpu,
                       .threads = 2,
                       .movers = movers,
                       .depth = depth,
                       .slot_bytes = slot_bytes({where_[0], where_[1], where_[2]})});
        return work.run();
    }

    void expect_product() {
        const shape& size = of.size;
        for (std::size_t i = 0; i < size.m; i += 3)
            for (std::size_t j = 0; j < size.n; ++j) {
                double sum = of.beta * static_cast<double>(at(before_, matrix::c, i, j));
                for (std::size_t l = 0; l < size.k; ++l)
                    sum += static_cast<double>(at(before_, matrix::a, i, l)) *
                           static_cast<double>(at(before_, matrix::b, l, j));
                ASSERT_EQ(static_cast<double>(at(stored_, matrix::c, i, j)), sum) << i << " " << j;
            }
    }

    static std::uint64_t bytes_of(const std::vector<command>& all) {
        return std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const command& c) { return sum + c.second; });
    }

    const request_example of = GetParam();
    placement where_[3];
    std::vector<float> stored_, before_;
    record seen_;
};

TEST_P(Requests, AreThoseOfTheScheduleInItsOrder) {
    if (!can_multiply()) GTEST_SKIP() << "no BLAS here";
    const gemm::schedule by = schedule();
    const pipeline_counts counts = multiply(by, 1, 1);
    EXPECT_EQ(seen_.reads, foreseen(by));
    EXPECT_EQ(counts.read, bytes_of(seen_.reads));
    EXPECT_EQ(counts.written, bytes_of(seen_.writes));
    expect_product();
}

TEST_P(Requests, OfSeveralThreadsAreTheSame) {
    if (!can_multiply()) GTEST_SKIP() << "no BLAS here";
    const gemm::schedule by = schedule();
    const pipeline_counts counts = multiply(by, 3, 8);
    std::vector<command> wanted = foreseen(by);
    std::sort(wanted.begin(), wanted.end());
    std::sort(seen_.reads.begin(), seen_.reads.end());
    EXPECT_EQ(seen_.reads, wanted);
    EXPECT_EQ(counts.read, bytes_of(wanted));
    // each element of C once
    std::sort(seen_.writes.begin(), seen_.writes.end());
    for (std::size_t i = 1; i < seen_.writes.size(); ++i)
        ASSERT_LE(seen_.writes[i - 1].first + seen_.writes[i - 1].second, seen_.writes[i].first);
    EXPECT_EQ(bytes_of(seen_.writes), where_[2].request_bytes(by.runs_of(matrix::c)));
    expect_product();
}

constexpr auto reuse = schedule_kind::reuse, naive = schedule_kind::naive;
constexpr auto rows = layout::row_major, whole_tiles = layout::tiled;

INSTANTIATE_TEST_SUITE_P(
    Product, Requests,
    ::testing::Values(request_example{"blocks", {640, 640, 640}, 12, 1, 0, reuse, rows},
                      request_example{"panel", {300, 1100, 257}, 9, 1, 0, reuse, rows},
                      request_example{"panel_of_b", {1100, 300, 257}, 9, 1, 0, reuse, rows},
                      request_example{"long_requests", {640, 900, 700}, 30, 4, 0, reuse, rows},
                      request_example{"old_c", {640, 900, 300}, 14, 2, -2, reuse, rows},
                      request_example{"naive", {300, 257, 391}, 5, 1, 1, naive, rows},
                      request_example{"tiled", {300, 500, 391}, 10, 1, 1, reuse, whole_tiles},
                      request_example{"nothing_to_add_up", {300, 257, 0}, 5, 1, 3, reuse, rows}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace watari::gemm
