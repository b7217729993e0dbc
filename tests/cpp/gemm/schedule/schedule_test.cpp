// The order of tile products, carried out by a model of slots: the tiles that are read, the content
// of a slot when a product needs it, and whether any other block would read less.
#include "errors.hpp"
#include "gemm/schedule/every_choice.hpp"
#include "gemm/schedule/slot_model.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace watari::gemm {
namespace {

/// Tiles of a matrix that are read.
std::size_t tiles_read(const gemm::schedule& of, matrix which) {
    const std::size_t times = which == matrix::a   ? of.times_a()
                              : which == matrix::b ? of.times_b()
                                                   : of.times_c();
    return times * of.tiles_of(which).tiles();
}

/// Checks a schedule with the model. Returns the most tiles of a load, by matrix.
std::map<matrix, std::size_t> expect_right(const schedule_request& wanted) {
    const gemm::schedule schedule(wanted);
    SCOPED_TRACE(testing::Message() << wanted.size.m << "x" << wanted.size.n << "x" << wanted.size.k
                                    << " tile " << wanted.tile << " slots " << wanted.fast_bytes
                                    << " form " << static_cast<int>(schedule.form()) << " p "
                                    << schedule.block_rows() << " q " << schedule.block_columns());
    EXPECT_LE(schedule.slots() * wanted.slot_bytes, wanted.fast_bytes);
    model memory(schedule, wanted.store_bound);
    memory.run();
    EXPECT_EQ(memory.read[matrix::a], tiles_read(schedule, matrix::a));
    EXPECT_EQ(memory.read[matrix::b], tiles_read(schedule, matrix::b));
    EXPECT_EQ(memory.read[matrix::c], tiles_read(schedule, matrix::c));
    EXPECT_EQ(memory.written, schedule.tiles_of(matrix::c).tiles());
    EXPECT_EQ(memory.made.size(), schedule.tiles_of(matrix::c).tiles());
    std::vector<std::size_t> ascending;
    for (std::size_t l = 0; l < schedule.steps_of_block(); ++l) ascending.push_back(l);
    for (const auto& [tile, list] : memory.made) EXPECT_EQ(list, ascending);
    return memory.widest;
}

schedule_request request(shape size, std::size_t tile, std::size_t slots,
                         schedule_kind which = schedule_kind::reuse) {
    return {
        .size = size, .tile = tile, .fast_bytes = slots * 7 + 6, .slot_bytes = 7, .which = which};
}

double elements_read(const gemm::schedule& schedule, shape size) {
    return static_cast<double>(schedule.times_a() * size.m * size.k +
                               schedule.times_b() * size.k * size.n);
}

TEST(GemmSchedule, EveryProductOnceInOrderFromTheRightSlots) {
    std::mt19937 random(7);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    std::set<std::pair<form, matrix>> several;  // tiles in a load
    for (int i = 0; i < 1200; ++i) {
        auto wanted = request({up_to(60), up_to(60), up_to(60)}, up_to(12), 4 + up_to(90));
        wanted.beta_is_zero = i % 3 == 0;
        wanted.alpha_is_zero = i % 50 == 0;
        if (i % 4 != 0) wanted.tiles_per_request = {up_to(6), up_to(6), up_to(6)};
        wanted.store_bound = i % 2 == 0;
        wanted.narrow_a = i % 6 == 0, wanted.narrow_b = i % 7 == 0;
        if (i % 5 == 0)  // requests cost as much as some tiles
            wanted.cost_a = wanted.cost_b = [](const std::vector<run_of_tiles>& runs) {
                return 3.0 * static_cast<double>(runs.size());
            };
        for (const auto& [which, widest] : expect_right(wanted))
            if (widest > 1) several.insert({schedule(wanted).form(), which});
        if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    EXPECT_EQ(several.size(), 3u * 3);
}

TEST(GemmSchedule, NeighboursComeTogetherWithoutMoreBytes) {
    // a disk that wants four of 2,048: the plan's and a quarter of the matrices, as they are there
    for (const std::size_t slots : {12u, 60u, 96u, 112u, 128u, 200u}) {
        auto wanted = request({12, 12, 12}, 1, slots);
        const gemm::schedule alone(wanted);
        wanted.tiles_per_request = {4, 4, 4};
        const gemm::schedule schedule(wanted);
        EXPECT_EQ(elements_read(schedule, {12, 12, 12}), elements_read(alone, {12, 12, 12}));
        model few(schedule), many(alone);
        few.run(), many.run();
        EXPECT_LT(few.loads, many.loads);
    }
}

TEST(GemmSchedule, ATileNarrowerThanItsNeighboursComesAlone) {
    auto wanted = request({40, 44, 34}, 10, 60);  // 4, 5 and 4 tiles, the last ones narrower
    wanted.tiles_per_request = {8, 8, 8};
    const gemm::schedule schedule(wanted);
    for (std::size_t s = 0; s < schedule.steps(); ++s)
        for (const load& each : schedule.loads(schedule.step(s))) {
            const tiling& tiles = schedule.tiles_of(each.which);
            const std::size_t last = each.column + each.columns - 1;
            EXPECT_TRUE(each.columns == 1 || last + 1 < tiles.tile_columns());
        }
    EXPECT_EQ(expect_right(wanted)[matrix::b], schedule.block_columns() - 1);
    wanted.narrow_b = true;
    EXPECT_EQ(expect_right(wanted)[matrix::b], schedule.block_columns());
    EXPECT_EQ(gemm::schedule(wanted).runs_of(matrix::b).size(), 1u);
}

TEST(GemmSchedule, ReadsTheLeastThenHidesWhatItMoves) {
    std::mt19937 random(11);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    for (int i = 0; i < 600; ++i) {
        const shape size{up_to(60), up_to(60), up_to(60)};
        const std::size_t tile = up_to(9), slots = 4 + up_to(90);
        auto wanted = request(size, tile, slots);
        if (i % 3 != 0) wanted.tiles_per_request = {up_to(6), up_to(6), up_to(6)};
        wanted.store_bound = i % 2 == 0;
        ASSERT_EQ(
            merit_of(schedule(wanted), size, tile, wanted.tiles_per_request, wanted.store_bound),
            best(size, tile, slots, wanted.tiles_per_request, wanted.store_bound))
            << i;
    }
}

TEST(GemmSchedule, LoadsAreAGroupAheadNotTwoSteps) {
    // C by rows of tiles, all of A's that a block needs at once: the next block's come meanwhile
    auto wanted = request({12, 12, 12}, 1, 252);
    wanted.tiles_per_request = {16, 16, 16};
    const gemm::schedule schedule(wanted);
    ASSERT_EQ(schedule.form(), form::panel_b);
    ASSERT_EQ(schedule.most_tiles_per_request(matrix::a), 12u);
    model memory(schedule);
    memory.run();
    EXPECT_EQ(memory.ahead, 12u);

    const gemm::schedule one_by_one(request({50, 30, 40}, 10, 1000, schedule_kind::naive));
    model naive(one_by_one);
    naive.run();
    EXPECT_EQ(naive.ahead, 1u);
}

/// 64 tiles of 2,048 for N = 16,384, on a disk that wants 16 of them in a request.
TEST(GemmSchedule, APatientOneHasLongerLoadsOfAAndReadsTheSame) {
    auto wanted = request({8, 8, 8}, 1, 64);
    wanted.tiles_per_request = {16, 16, 16};
    const gemm::schedule hasty(wanted);
    wanted.store_bound = true;
    const gemm::schedule schedule(wanted);
    EXPECT_EQ(hasty.most_tiles_per_request(matrix::a), 2u);
    EXPECT_EQ(schedule.most_tiles_per_request(matrix::a), 4u);
    EXPECT_EQ(tiles_read(schedule, matrix::a), tiles_read(hasty, matrix::a));
    EXPECT_EQ(tiles_read(schedule, matrix::b), tiles_read(hasty, matrix::b));
    const std::vector<load> loads = schedule.loads(schedule.step(4));
    EXPECT_EQ(loads.front().which, matrix::b);
    EXPECT_EQ(loads.back().which, matrix::a);
    EXPECT_EQ(schedule.needs_done(schedule.step(4), matrix::a), 4u);
    EXPECT_EQ(schedule.needs_done(schedule.step(4), matrix::b), 3u);
    expect_right(wanted);
}

/// 64 tiles for a product of 20 x 20: where each load costs the whole tile row, whatever it brings
/// of it, long loads are worth more passes.
TEST(GemmSchedule, LoadsAreLongWhereTheyAreDear) {
    auto wanted = request({20, 20, 20}, 1, 64);
    wanted.tiles_per_request = {64, 64, 64};
    const gemm::schedule usual(wanted);
    const auto loads = [](const gemm::schedule& of) {
        return of.times_a() * of.runs_of(matrix::a).size() +
               of.times_b() * of.runs_of(matrix::b).size();
    };
    wanted.cost_a = wanted.cost_b = [](const std::vector<run_of_tiles>& runs) {
        return static_cast<double>(runs.size());
    };
    const gemm::schedule schedule(wanted);
    expect_right(wanted);
    EXPECT_GT(elements_read(schedule, {20, 20, 20}), elements_read(usual, {20, 20, 20}));
    EXPECT_LT(2 * loads(schedule), loads(usual));
}

TEST(GemmSchedule, NaiveReadsBothTilesForEveryProduct) {
    const gemm::schedule schedule(request({50, 30, 40}, 10, 1000, schedule_kind::naive));
    EXPECT_EQ(schedule.slots(), 5u);
    EXPECT_EQ(tiles_read(schedule, matrix::a), 5u * 3 * 4);
    EXPECT_EQ(tiles_read(schedule, matrix::b), 5u * 3 * 4);
    EXPECT_EQ(schedule.steps(), 5u * 3 * 4);
    expect_right(request({50, 30, 40}, 10, 1000, schedule_kind::naive));
}

TEST(GemmSchedule, ThreePanelsInReachReadEverythingOnce) {
    for (const shape size : {shape{400, 40, 40}, shape{40, 400, 40}, shape{40, 40, 400}}) {
        const gemm::schedule schedule(request(size, 10, 200));
        EXPECT_EQ(schedule.times_a(), 1u);
        EXPECT_EQ(schedule.times_b(), 1u);
    }
}

TEST(GemmSchedule, ScalesCWhereNothingIsMultiplied) {
    auto by_alpha = request({35, 45, 20}, 10, 8);
    by_alpha.alpha_is_zero = true;
    const auto by_k = request({35, 45, 0}, 10, 8);
    for (const auto& wanted : {by_alpha, by_k}) {
        const gemm::schedule schedule(wanted);
        EXPECT_FALSE(schedule.multiplies());
        EXPECT_EQ(tiles_read(schedule, matrix::a) + tiles_read(schedule, matrix::b), 0u);
        EXPECT_EQ(tiles_read(schedule, matrix::c), 20u);
        EXPECT_EQ(schedule.steps(), schedule.blocks());
        EXPECT_GT(schedule.slots(), 1u);
        expect_right(wanted);
    }
}

TEST(GemmSchedule, NoElementsNoSteps) {
    EXPECT_EQ(schedule(request({0, 5, 5}, 2, 9)).steps(), 0u);
    EXPECT_EQ(schedule(request({5, 0, 5}, 2, 9)).steps(), 0u);
    EXPECT_EQ(schedule(request({5, 0, 5}, 2, 9)).tiles_of(matrix::c).tiles(), 0u);
}

TEST(GemmSchedule, FirstProductNeedsTwoTiles) {
    const gemm::schedule schedule(request({100, 100, 100}, 10, 60));
    const auto loads = schedule.loads(schedule.step(0));
    EXPECT_EQ(loads[0].which, matrix::a);
    EXPECT_EQ(loads[1].which, matrix::b);
    EXPECT_EQ(loads[2].which, matrix::c);
}

TEST(GemmSchedule, SaysTheLeastBudget) {
    auto wanted = request({100, 100, 100}, 10, 4);
    wanted.slot_bytes = 1024;
    wanted.fast_bytes = 5119;
    expect_error<usage_error>([&] { const gemm::schedule refused(wanted); }, {"5 KiB"});
    wanted.fast_bytes = 5120;
    expect_right(wanted);
}

TEST(GemmSchedule, LowerBound) {
    // 2 x 1024^3 / sqrt(65536) elements of 4 bytes
    EXPECT_DOUBLE_EQ(lower_bound_bytes({1024, 1024, 1024}, 4, 4 * 65536), 4 * 2.0 * (1 << 22));
    for (const std::size_t slots : {20u, 60u, 200u}) {  // at least the bound - 2 M
        const shape size{64, 64, 64};
        const gemm::schedule schedule(request(size, 1, slots));
        EXPECT_GE(elements_read(schedule, size) + 2.0 * static_cast<double>(slots),
                  lower_bound_bytes(size, 1, slots));
    }
}

}  // namespace
}  // namespace watari::gemm
