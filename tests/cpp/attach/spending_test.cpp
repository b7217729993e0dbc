#include "attach/injected/sampled/spending.hpp"

#include <gtest/gtest.h>

using watari::attach::spending;

TEST(spending, is_over_when_the_work_is_done) {
    spending time;
    time.set_limits(100, 1000);
    EXPECT_EQ(time.left(0), 100u);
    time.add(30);
    EXPECT_EQ(time.left(0), 70u);
    EXPECT_DOUBLE_EQ(time.share(999), 0.3);
    time.add(90);
    EXPECT_EQ(time.left(0), 0u);
    EXPECT_GE(time.share(0), 1);
}

TEST(spending, is_over_at_its_time_whatever_is_left) {
    spending time;
    time.set_limits(100, 1000);
    EXPECT_EQ(time.left(960), 40u);
    EXPECT_EQ(time.left(2000), 0u);
    EXPECT_DOUBLE_EQ(time.share(1000), 1);
}
