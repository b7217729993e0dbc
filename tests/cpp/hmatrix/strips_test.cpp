#include "watari/hmatrix/file/strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace watari::hmatrix {
namespace {

TEST(strips, have_each_element_once_and_the_rows_between_cuts_in_a_run) {
    for (const leaf_rows of : {leaf_rows{0, 32}, {5, 3}, {30, 5}, {61, 100}, {64, 13}, {7, 1}})
        for (const std::uint64_t width : {1u, 4u, 13u}) {
            std::vector<std::uint64_t> places;
            for (std::uint32_t i = 0; i < of.rows; ++i) {
                const std::uint32_t cut = (of.row + i) / cut_rows * cut_rows;
                const std::uint64_t begin = cut > of.row ? cut - of.row : 0;
                const std::uint64_t end = std::min(of.rows, cut + cut_rows - of.row);
                for (std::uint64_t c = 0; c < width; ++c) {
                    places.push_back(of.place(width, i, c));
                    EXPECT_GE(places.back(), begin * width) << of.row << " " << i << " " << c;
                    EXPECT_LT(places.back(), end * width) << of.row << " " << i << " " << c;
                }
            }
            std::ranges::sort(places);
            for (std::size_t k = 0; k < places.size(); ++k) EXPECT_EQ(places[k], k) << of.row;
        }
}

TEST(strips, have_eight_rows_by_a_column_in_a_run) {
    const leaf_rows of{40, 40};
    for (std::uint64_t k = 0; k < 8 * 3; ++k) EXPECT_EQ(of.place(3, 24 + k % 8, k / 8), 24 * 3 + k);
    EXPECT_EQ(of.at(23).first, 16u);
    EXPECT_EQ(of.at(39).rows, 8u);
    EXPECT_EQ((leaf_rows{40, 37}.at(36).rows), 5u);
}

}  // namespace
}  // namespace watari::hmatrix
