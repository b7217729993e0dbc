// The order of tile products, carried out by a model of slots: what is read, what is in a slot when
// a product needs it, and whether any other block would read less.
#include "watari/core/error.hpp"
#include "watari/gemm/schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace watari::gemm {
namespace {

using tile_name = std::tuple<matrix, std::size_t, std::size_t>;

/// Fast memory as the rule of schedule.hpp sees it: loads of A and B of step s come as early as it
/// allows, together with step s - 1, before its products.
class model {
public:
    explicit model(const schedule& order) : order_(order), slots_(order.slots()) {}

    void run() {
        const std::size_t steps = order_.steps();
        for (std::size_t s = 0; s < steps; ++s) {
            if (s == 0) bring(order_.step(0));
            if (s + 1 < steps) bring(order_.step(s + 1));
            compute(order_.step(s));
        }
    }

    std::map<matrix, std::size_t> read;
    std::size_t written = 0;
    /// Of each tile of C, the l of its products in their order.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> made;

private:
    void bring(const step& at) {
        for (const load& tile : order_.loads(at)) {
            ++read[tile.which];
            if (tile.which == matrix::c) continue;  // by compute: these wait for the write
            ASSERT_LT(tile.slot, slots_.size());
            ASSERT_GE(tile.slot, order_.block_rows() * order_.block_columns());
            slots_[tile.slot] = {tile.which, tile.row, tile.column};
        }
    }

    void compute(const step& at) {
        std::set<std::size_t> loaded;
        for (const load& tile : order_.loads(at)) {
            if (tile.which != matrix::c) continue;
            ASSERT_FALSE(unwritten_.contains(tile.slot));
            slots_.at(tile.slot) = {matrix::c, tile.row, tile.column};
            loaded.insert(tile.slot);
        }
        for (const product& one : order_.products(at)) {
            const tile_name c{matrix::c, one.row, one.column};
            if (order_.multiplies()) {
                ASSERT_EQ(slots_.at(one.a), (tile_name{matrix::a, one.row, at.l}));
                ASSERT_EQ(slots_.at(one.b), (tile_name{matrix::b, at.l, one.column}));
            }
            if (at.first) {
                ASSERT_TRUE(unwritten_.insert(one.c).second) << "C would be lost";
                ASSERT_EQ(loaded.contains(one.c), order_.times_c() == 1);
                if (!loaded.contains(one.c)) slots_.at(one.c) = c;
            }
            ASSERT_EQ(slots_.at(one.c), c);
            made[{one.row, one.column}].push_back(at.l);
            if (!at.last) continue;
            unwritten_.erase(one.c);
            ++written;
        }
    }

    const schedule& order_;
    std::vector<tile_name> slots_;
    std::set<std::size_t> unwritten_;  ///< slots of C
};

void expect_right(const schedule_request& wanted) {
    const schedule order(wanted);
    SCOPED_TRACE(testing::Message() << wanted.size.m << "x" << wanted.size.n << "x" << wanted.size.k
                                    << " tile " << wanted.tile << " slots " << wanted.fast_bytes
                                    << " form " << static_cast<int>(order.form()) << " p "
                                    << order.block_rows() << " q " << order.block_columns());
    ASSERT_LE(order.slots() * wanted.slot_bytes, wanted.fast_bytes);
    model memory(order);
    memory.run();
    EXPECT_EQ(memory.read[matrix::a], order.tiles_read_a());
    EXPECT_EQ(memory.read[matrix::b], order.tiles_read_b());
    EXPECT_EQ(memory.read[matrix::c], order.tiles_read_c());
    EXPECT_EQ(memory.written, order.tiles_written());
    ASSERT_EQ(memory.made.size(), order.tiles_of(matrix::c).tiles());
    std::vector<std::size_t> ascending;
    for (std::size_t l = 0; l < order.steps_of_block(); ++l) ascending.push_back(l);
    for (const auto& [tile, list] : memory.made) EXPECT_EQ(list, ascending);
}

schedule_request request(shape size, std::size_t tile, std::size_t slots,
                         order which = order::reuse) {
    return {
        .size = size, .tile = tile, .fast_bytes = slots * 7 + 6, .slot_bytes = 7, .which = which};
}

double elements_read(const schedule& order, shape size) {
    return static_cast<double>(order.times_a() * size.m * size.k +
                               order.times_b() * size.k * size.n);
}

/// What a choice is judged by: elements of A and B that it reads, columns that it lacks of four,
/// products for each tile that it lacks of two, and slots.
using merit = std::tuple<double, std::size_t, double, std::size_t>;

merit merit_of(double read, std::size_t p, std::size_t q, std::size_t slots) {
    const double products = static_cast<double>(p * q) / static_cast<double>(p + q);
    return {read, 4 - std::min<std::size_t>(q, 4), 2 - std::min(products, 2.0), slots};
}

/// The best over every form and all p and q that make blocks of about one size.
merit best(shape size, std::size_t tile, std::size_t slots) {
    const std::size_t mt = divide_up(size.m, tile), nt = divide_up(size.n, tile);
    const std::size_t stay = std::max<std::size_t>(2, divide_up(size.k, tile));
    const auto even = [](std::size_t tiles, std::size_t edge) {
        return edge == divide_up(tiles, divide_up(tiles, edge));
    };
    merit found{1e300, 0, 0, 0};
    for (std::size_t p = 1; p <= mt; ++p)
        for (std::size_t q = 1; q <= nt; ++q) {
            if (!even(mt, p) || !even(nt, q)) continue;
            const auto one = [&](std::size_t needed, std::size_t times_a, std::size_t times_b) {
                const auto read =
                    static_cast<double>(times_a * size.m * size.k + times_b * size.k * size.n);
                if (needed <= slots) found = std::min(found, merit_of(read, p, q, needed));
            };
            one(p * q + 2 * (p + q), divide_up(nt, q), divide_up(mt, p));
            one(p * q + p * stay + 2 * q, 1, divide_up(mt, p));
            one(p * q + q * stay + 2 * p, divide_up(nt, q), 1);
        }
    return found;
}

TEST(GemmSchedule, EveryProductOnceInOrderFromTheRightSlots) {
    std::mt19937 random(7);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    std::set<form> forms;
    for (int i = 0; i < 600; ++i) {
        auto wanted = request({up_to(60), up_to(60), up_to(60)}, up_to(12), 4 + up_to(90));
        wanted.beta_is_zero = i % 3 == 0;
        forms.insert(schedule(wanted).form());
        expect_right(wanted);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    EXPECT_EQ(forms.size(), 3u);
}

TEST(GemmSchedule, ReadsTheLeastThenHidesWhatItMoves) {
    std::mt19937 random(11);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    for (int i = 0; i < 600; ++i) {
        const shape size{up_to(60), up_to(60), up_to(60)};
        const std::size_t tile = up_to(9), slots = 4 + up_to(90);
        const schedule order(request(size, tile, slots));
        ASSERT_EQ(merit_of(elements_read(order, size), order.block_rows(), order.block_columns(),
                           order.slots()),
                  best(size, tile, slots))
            << i;
    }
}

TEST(GemmSchedule, NaiveReadsBothTilesForEveryProduct) {
    const schedule order(request({50, 30, 40}, 10, 1000, order::naive));
    EXPECT_EQ(order.slots(), 5u);
    EXPECT_EQ(order.tiles_read_a(), 5u * 3 * 4);
    EXPECT_EQ(order.tiles_read_b(), 5u * 3 * 4);
    EXPECT_EQ(order.steps(), 5u * 3 * 4);
    expect_right(request({50, 30, 40}, 10, 1000, order::naive));
}

TEST(GemmSchedule, ThreePanelsInReachReadEverythingOnce) {
    for (const shape size : {shape{400, 40, 40}, shape{40, 400, 40}, shape{40, 40, 400}}) {
        const schedule order(request(size, 10, 200));
        EXPECT_EQ(order.times_a(), 1u);
        EXPECT_EQ(order.times_b(), 1u);
    }
}

TEST(GemmSchedule, ScalesCWhereNothingIsMultiplied) {
    auto by_alpha = request({35, 45, 20}, 10, 8);
    by_alpha.alpha_is_zero = true;
    const auto by_k = request({35, 45, 0}, 10, 8);
    for (const auto& wanted : {by_alpha, by_k}) {
        const schedule order(wanted);
        EXPECT_FALSE(order.multiplies());
        EXPECT_EQ(order.tiles_read_a() + order.tiles_read_b(), 0u);
        EXPECT_EQ(order.tiles_read_c(), 20u);
        EXPECT_EQ(order.steps(), order.blocks());
        EXPECT_GT(order.slots(), 1u);
        expect_right(wanted);
    }
}

TEST(GemmSchedule, NoElementsNoSteps) {
    EXPECT_EQ(schedule(request({0, 5, 5}, 2, 9)).steps(), 0u);
    EXPECT_EQ(schedule(request({5, 0, 5}, 2, 9)).steps(), 0u);
    EXPECT_EQ(schedule(request({5, 0, 5}, 2, 9)).tiles_written(), 0u);
}

TEST(GemmSchedule, FirstProductNeedsTwoTiles) {
    const schedule order(request({100, 100, 100}, 10, 60));
    const auto loads = order.loads(order.step(0));
    EXPECT_EQ(loads[0].which, matrix::a);
    EXPECT_EQ(loads[1].which, matrix::b);
    EXPECT_EQ(loads[2].which, matrix::c);
}

TEST(GemmSchedule, SaysTheLeastBudget) {
    auto wanted = request({100, 100, 100}, 10, 4);
    wanted.slot_bytes = 1024;
    wanted.fast_bytes = 5119;
    try {
        const schedule order(wanted);
        FAIL();
    } catch (const usage_error& error) {
        EXPECT_NE(std::string(error.what()).find("5 KiB"), std::string::npos) << error.what();
    }
    wanted.fast_bytes = 5120;
    expect_right(wanted);
}

TEST(GemmSchedule, LowerBound) {
    // 2 x 1024^3 / sqrt(65536) elements of 4 bytes
    EXPECT_DOUBLE_EQ(lower_bound_bytes({1024, 1024, 1024}, 4, 4 * 65536), 4 * 2.0 * (1 << 22));
    for (const std::size_t slots : {20u, 60u, 200u}) {  // no schedule beats it, but by 2 M
        const shape size{64, 64, 64};
        const schedule order(request(size, 1, slots));
        EXPECT_GE(elements_read(order, size) + 2.0 * static_cast<double>(slots),
                  lower_bound_bytes(size, 1, slots));
    }
}

}  // namespace
}  // namespace watari::gemm
