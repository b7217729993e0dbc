#include "watari/measure/median.hpp"

#include <gtest/gtest.h>

namespace watari::measure {
namespace {

TEST(Median, IsTheMiddleInAnyOrder) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({5, 1, 3}), 3);
    EXPECT_EQ(median({4, 1, 3, 2}), 3) << "of two in the middle the upper one";
}

}  // namespace
}  // namespace watari::measure
