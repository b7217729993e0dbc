#include "watari/comm/decomposition.hpp"
#include "watari/comm/planes.hpp"
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
        for (std::size_t rank = 0; rank < split[0] * split[1] * split[2]; ++rank)
            work(split, static_cast<int>(rank), divide(whole, split, static_cast<int>(rank)));
}

TEST(decomposition, shares_hold_every_point_once_and_the_first_get_the_rest) {
    for (const std::size_t parts : {1, 2, 3, 7, 17}) {
        std::size_t next = 0, last = 18;
        for (std::size_t part = 0; part < parts; ++part) {
            const comm::share own = comm::share_of(17, parts, part);
            EXPECT_EQ(own.first, next);
            EXPECT_LE(own.count, last);
            EXPECT_TRUE(own.count == 17 / parts || own.count == 17 / parts + 1);
            next += own.count, last = own.count;
        }
        EXPECT_EQ(next, 17U);
    }
}

TEST(decomposition, boxes_hold_every_inner_point_once) {
    for (const extents& split : {extents{1, 1, 1}, {2, 3, 4}, {17, 21, 1}, {1, 1, 27}}) {
        std::vector<int> seen(whole[0] * whole[1] * whole[2]);
        for (std::size_t rank = 0; rank < split[0] * split[1] * split[2]; ++rank) {
            const auto box = divide(whole, split, static_cast<int>(rank));
            for (std::size_t i = 1; i + 1 < box.size[0]; ++i)
                for (std::size_t j = 1; j + 1 < box.size[1]; ++j)
                    for (std::size_t k = 1; k + 1 < box.size[2]; ++k)
                        ++seen[((box.origin[0] + i) * whole[1] + box.origin[1] + j) * whole[2] +
                               box.origin[2] + k];
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
            const bool last = box.origin[axis] + box.size[axis] == whole[axis];
            EXPECT_EQ(above == nobody, last);
            EXPECT_EQ(box.axes[axis].ranks[0] == nobody, box.origin[axis] == 0);
            if (above == nobody) continue;
            const auto other = divide(whole, split, above);
            EXPECT_EQ(other.axes[axis].ranks[0], rank);
            EXPECT_EQ(other.axes[axis].points(), box.axes[axis].points());
            // my last plane, which it fills, is its first inner one
            EXPECT_EQ(box.origin[axis] + box.size[axis] - 1, other.origin[axis] + 1);
        }
    });
}

TEST(decomposition, an_axis_thinner_than_its_ranks_is_refused) {
    EXPECT_NO_THROW(divide({5, 9, 9}, {3, 1, 1}, 2));
    try {
        divide({5, 9, 9}, {4, 1, 1}, 0);
        FAIL();
    } catch (const usage_error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "the grid has 3 inner planes along i, fewer than the 4 ranks along it");
    }
}

TEST(planes, pack_and_unpack_carry_exactly_the_planes_with_a_neighbour) {
    for_every_box([](const extents&, int, const comm::decomposition& box) {
        std::vector<float> field(box.size[0] * box.size[1] * box.size[2]);
        std::iota(field.begin(), field.end(), 0.0F);
        for (const comm::faces& f : box.axes) {
            std::vector<float> buffer[2] = {std::vector<float>(f.points(), -1),
                                            std::vector<float>(f.points(), -1)};
            float* const buffers[] = {buffer[0].data(), buffer[1].data()};
            cpu::planes_table.pack(f, field.data(), buffers, nullptr);
            auto changed = field;
            cpu::planes_table.unpack(f, changed.data(), buffers, nullptr);
            for (std::size_t n = 0; n < field.size(); ++n) {
                const extents at{n / box.size[2] / box.size[1], n / box.size[2] % box.size[1],
                                 n % box.size[2]};
                const bool low = at[f.axis] == 0 && f.ranks[0] != nobody;
                const bool high = at[f.axis] == box.size[f.axis] - 1 && f.ranks[1] != nobody;
                extents from = at;
                if (low) from[f.axis] = 1;
                if (high) from[f.axis] = box.size[f.axis] - 2;
                ASSERT_EQ(changed[n],
                          field[(from[0] * box.size[1] + from[1]) * box.size[2] + from[2]]);
            }
        }
    });
}

}  // namespace
