// Arrivals of an open loop: threads take the blocks in turn, each at its time.
#include "../native/arrivals.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <vector>

namespace watari::cases::arriving {
namespace {

storage_parameters of(std::size_t requests, std::vector<double> times) {
    storage_parameters p;
    p.requests = requests;
    p.trace.resize(times.size());
    p.times = std::move(times);
    return p;
}

TEST(Arrivals, GoToTheThreadsInTurn) {
    const storage_parameters p = of(7, {0});
    const std::vector<std::size_t> shares{3, 2, 2};
    const arrivals recorded(p, shares);
    // locations 0 to 2 are of the first thread, 3 and 4 of the second
    const std::vector<std::uint64_t> expected{0, 3, 6, 1, 4, 2, 5};
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(recorded.rank(i), expected[i]) << i;
}

TEST(Arrivals, AreAsFarApartAsTheyWereRecorded) {
    const storage_parameters p = of(4, {0, .5, .5, 2});
    const std::vector<std::size_t> shares{2, 2};
    arrivals recorded(p, shares);
    const double before = storage::now();
    const std::span<const double> moments = recorded.moments(0);
    EXPECT_GT(moments[0], before);
    EXPECT_NEAR(moments[1] - moments[0], .5, 1e-9);  // blocks 0 and 2
    EXPECT_NEAR(moments[2] - moments[0], .5, 1e-9);  // blocks 1 and 3
    EXPECT_NEAR(moments[3] - moments[0], 2, 1e-9);
    // a sample from the third block on, past the end: 0.5, 2, then 2 + 0, 2 + 0.5
    const std::span<const double> later = recorded.moments(2);
    EXPECT_NEAR(later[2] - later[0], 1.5, 1e-9);
    EXPECT_NEAR(later[1] - later[0], 1.5, 1e-9);
    EXPECT_NEAR(later[3] - later[0], 2, 1e-9);
}

}  // namespace
}  // namespace watari::cases::arriving
