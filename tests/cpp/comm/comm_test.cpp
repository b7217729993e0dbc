#include "errors.hpp"
#include "watari/comm/decomposition.hpp"
#include "watari/comm/message.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

using namespace watari;
using comm::divide;
using comm::extents;
using comm::nobody;

namespace {

constexpr extents whole{19, 23, 29};

/// Calls `work` for every rank of many splits.
template <class Work>
void for_every_box(const Work& work) {
    for (const extents& split :
         {extents{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 3, 4}, {17, 1, 1}, {3, 1, 27}})
        for (std::size_t rank = 0; rank < split.product(); ++rank)
            work(split, static_cast<int>(rank),
                 divide({.points = whole, .split = split}, static_cast<int>(rank)));
}

TEST(decomposition, shares_hold_every_point_once_and_the_first_get_the_rest) {
    for (const std::size_t block : {1, 2, 8})
        for (const std::size_t parts : {1, 2, 3, 7, 17}) {
            const std::size_t points = 17 * block;
            std::size_t next = 0, last = points;
            for (std::size_t part = 0; part < parts; ++part) {
                const comm::share own = comm::share_of(points, parts, part, block);
                EXPECT_EQ(own.first, next);
                EXPECT_LE(own.count, last);
                EXPECT_EQ(own.count % block, 0U);
                const std::size_t each = 17 / parts;
                EXPECT_TRUE(own.count == each * block || own.count == (each + 1) * block);
                next += own.count, last = own.count;
            }
            EXPECT_EQ(next, points);
        }
}

TEST(decomposition, boxes_hold_every_inner_point_once) {
    for (const extents& split : {extents{1, 1, 1}, {2, 3, 4}, {17, 21, 1}, {1, 1, 27}}) {
        std::vector<int> seen(whole.product());
        for (std::size_t rank = 0; rank < split.product(); ++rank) {
            const auto box = divide({.points = whole, .split = split}, static_cast<int>(rank));
            for (std::size_t i = 1; i + 1 < box.size[0]; ++i)
                for (std::size_t j = 1; j + 1 < box.size[1]; ++j)
                    for (std::size_t k = 1; k + 1 < box.size[2]; ++k)
                        ++seen[((box.origin(0) + i) * whole[1] + box.origin(1) + j) * whole[2] +
                               box.origin(2) + k];
        }
        EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 17 * 21 * 27);
        EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 1);
    }
}

TEST(decomposition, neighbours_know_each_other_and_share_a_plane) {
    for_every_box([](const extents& split, int rank, const comm::decomposition& box) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(box.axes[axis].axis, axis);
            const int above = box.axes[axis].ranks[1];
            const bool last = box.origin(axis) + box.size[axis] == whole[axis];
            EXPECT_EQ(above == nobody, last);
            EXPECT_EQ(box.axes[axis].ranks[0] == nobody, box.origin(axis) == 0);
            if (above == nobody) continue;
            const auto other = divide({.points = whole, .split = split}, above);
            EXPECT_EQ(other.axes[axis].ranks[0], rank);
            EXPECT_EQ(other.axes[axis].points(), box.axes[axis].points());
            // the neighbour fills the last plane of the box with its own first inner plane
            EXPECT_EQ(box.origin(axis) + box.size[axis] - 1, other.origin(axis) + 1);
        }
    });
}

TEST(decomposition, a_periodic_axis_goes_round_and_one_rank_is_its_own_neighbour) {
    const comm::grid four{
        .points = {4, 6, 8, 10}, .split = {1, 2, 3, 1}, .periodic = {true, true, true, false}};
    for (int rank = 0; rank < 6; ++rank) {
        const auto box = divide(four, rank);
        const int j = rank / 3, k = rank % 3;
        EXPECT_EQ(box.axes[0].ranks[0], rank);
        EXPECT_EQ(box.axes[0].ranks[1], rank);
        for (const int side : {0, 1}) EXPECT_EQ(box.axes[1].ranks[side], (1 - j) * 3 + k);
        EXPECT_EQ(box.axes[2].ranks[0], j * 3 + (k + 2) % 3);
        EXPECT_EQ(box.axes[2].ranks[1], j * 3 + (k + 1) % 3);
        EXPECT_FALSE(box.axes[3].shared());
        EXPECT_EQ(box.size, (extents{6, 5, k < 2 ? 5U : 4U, 10}));
        EXPECT_EQ(box.inner[1], (comm::share{static_cast<std::size_t>(3 * j), 3}));
        EXPECT_EQ(box.inner[3], (comm::share{1, 8}));
    }
}

TEST(decomposition, ends_of_any_depth_are_contiguous_along_the_slowest_axis_alone) {
    const comm::grid deep{.points = {12, 16, 20}, .split = {2, 2, 2}, .depth = 3};
    const auto box = divide(deep, 3);
    EXPECT_EQ(box.size, (extents{9, 11, 13}));
    EXPECT_EQ(box.axes[0].points(), 3U * 11 * 13);
    EXPECT_EQ(box.axes[1].points(), 9U * 3 * 13);
    EXPECT_TRUE(box.axes[0].contiguous());
    EXPECT_FALSE(box.axes[1].contiguous());
    EXPECT_FALSE(box.axes[2].contiguous());
    EXPECT_EQ(box.axes[0].inner[0], 3U * 11 * 13);
    EXPECT_EQ(box.axes[0].inner[1], 3U * 11 * 13);
    EXPECT_EQ(box.axes[0].outer[1], 6U * 11 * 13);
}

TEST(decomposition, coarser_grids_are_divided_likewise) {
    comm::grid level{.points = {66, 40, 48},
                     .split = {3, 2, 1},
                     .periodic = {false, true, true},
                     .blocks = {8, 4, 2}};
    std::vector<comm::decomposition> fine;
    for (int rank = 0; rank < 6; ++rank) fine.push_back(divide(level, rank));
    const comm::by_axis halved[] = {{true, true, true}, {true, true, false}, {true, false, false}};
    for (const comm::by_axis& which : halved) {
        level = comm::coarser(level, which);
        for (std::size_t rank = 0; rank < 6; ++rank) {
            const auto box = divide(level, static_cast<int>(rank));
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t by = which[axis] ? 2 : 1;
                const std::size_t boundary = level.periodic[axis] ? 0 : 1;
                EXPECT_EQ(box.inner[axis].count, fine[rank].inner[axis].count / by);
                EXPECT_EQ(box.inner[axis].first - boundary,
                          (fine[rank].inner[axis].first - boundary) / by);
            }
            fine[rank] = box;
        }
    }
    EXPECT_THROW(comm::coarser(level, {true, false, false}), usage_error);
}

std::string refusal(const comm::grid& of) {
    return message_of<usage_error>([&] { divide(of, 0); });
}

TEST(decomposition, what_cannot_be_divided_is_refused) {
    EXPECT_EQ(refusal({.points = {5, 9, 9}, .split = {3, 1, 1}}), "");
    EXPECT_EQ(refusal({.points = {5, 9, 9}, .split = {4, 1, 1}}),
              "the grid has 3 inner planes along i, fewer than the 4 ranks along it");
    EXPECT_EQ(refusal({.points = {8, 8, 8, 12},
                       .split = {1, 1, 1, 2},
                       .periodic = {true, true, true, true},
                       .blocks = {2, 2, 2, 8}}),
              "the grid has 12 points along t, not a multiple of 8");
    EXPECT_EQ(refusal({.points = {8, 8}, .split = {4, 1}, .periodic = {true, true}, .depth = 3}),
              "a rank has 2 planes along i, fewer than the 3 of the halo");
    EXPECT_EQ(refusal({.points = {8, 8, 8}, .split = {1, 0, 1}}),
              "along j are 0 ranks and blocks of 1 points: both must be at least 1");
    EXPECT_EQ(refusal({.points = {8, 8, 8}, .split = {1, 1, 1}, .blocks = {1, 1, 0}}),
              "along k are 1 ranks and blocks of 0 points: both must be at least 1");
    for (const int rank : {-1, 2})
        EXPECT_THROW(divide({.points = {8, 8}, .split = {2, 1}}, rank), usage_error);
}

/// Packs and unpacks both ends of each axis of a box as if its neighbours' planes were its own, and
/// compares every byte of the array with its expected value.
void expect_exact_planes(const comm::decomposition& box, std::size_t element) {
    std::vector<std::uint8_t> data(box.size.product() * element);
    for (std::size_t n = 0; n < data.size(); ++n)
        data[n] = static_cast<std::uint8_t>(n * 7 + n / 251);
    for (std::size_t axis = 0; axis < box.size.axes(); ++axis) {
        const comm::faces& f = box.axes[axis];
        std::vector<std::byte> buffer[2];
        for (auto& each : buffer) each.resize(f.points() * element);
        std::byte* const own[] = {buffer[0].data(), buffer[1].data()};
        auto changed = data;
        const comm::field array{changed.data(), element};
        const comm::fields message(the_cpu, std::span(&array, 1));
        message.pack(f, own, nullptr);
        message.unpack(f, {own[0], own[1]}, nullptr);
        std::size_t stride = 1;
        for (std::size_t a = axis + 1; a < comm::most_axes; ++a) stride *= box.size[a];
        auto expected = data;
        for (std::size_t n = 0; n < box.size.product(); ++n) {
            const std::size_t at = n / stride % box.size[axis];
            const bool low = at < box.depth && f.ranks[0] != nobody;
            const bool high = at >= box.size[axis] - box.depth && f.ranks[1] != nobody;
            const std::size_t from = low    ? n + box.depth * stride
                                     : high ? n - box.depth * stride
                                            : n;
            std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(from * element), element,
                        expected.begin() + static_cast<std::ptrdiff_t>(n * element));
        }
        ASSERT_EQ(changed, expected) << "axis " << axis << " element " << element;
    }
}

TEST(message, carries_exactly_the_planes_with_a_neighbour) {
    for_every_box([](const extents&, int, const comm::decomposition& box) {
        expect_exact_planes(box, sizeof(float));
    });
    for (const std::size_t element : {1, 2, 4, 8, 12, 16, 24, 96})
        for (const std::size_t depth : {1, 2, 3})
            for (int rank = 0; rank < 4; ++rank)
                expect_exact_planes(divide({.points = {7, 8, 6, 12},
                                            .split = {1, 2, 1, 2},
                                            .periodic = {true, false, true, true},
                                            .depth = depth == 3 ? 1 : depth},
                                           rank),
                                    element);
}

TEST(message, several_arrays_lie_one_behind_the_other) {
    const auto box = divide({.points = {6, 7}, .split = {1, 1}, .periodic = {true, true}}, 0);
    std::vector<double> a(box.size.product());
    std::vector<float> b(box.size.product());
    std::iota(a.begin(), a.end(), 1);
    std::iota(b.begin(), b.end(), 1000.0F);
    const comm::field both[] = {{a.data(), sizeof(double)}, {b.data(), sizeof(float)}};
    const comm::fields message(the_cpu, both);
    const comm::faces& f = box.axes[0];
    EXPECT_EQ(message.bytes(f), f.points() * 12);
    EXPECT_EQ(message.in_place(f).data, nullptr);
    std::vector<std::byte> low(message.bytes(f)), high(message.bytes(f));
    std::byte* const own[] = {low.data(), high.data()};
    message.pack(f, own, nullptr);
    const auto* doubles = reinterpret_cast<const double*>(low.data());
    const auto* floats = reinterpret_cast<const float*>(low.data() + f.points() * sizeof(double));
    for (std::size_t n = 0; n < f.points(); ++n) {
        EXPECT_EQ(doubles[n], a[f.inner[0] + n]);
        EXPECT_EQ(floats[n], b[f.inner[0] + n]);
    }
}

}  // namespace
