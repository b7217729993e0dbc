// The loop allocates nothing: many iterations allocate as often as few do.
#include "allocations.hpp"

#include "../../native/les.hpp"

#include <algorithm>

namespace watari {
namespace {

TEST(Les, AllocatesNothingInItsLoop) {
    les::parameters p;
    p.style = "system", p.whole = {32, 32, 16}, p.every = 1, p.dt = 0.05;
    p.touched = les::touched::all;
    p.heights.assign(32 * 32, 0);
    for (std::size_t n = 0; n < 8; ++n) std::fill_n(p.heights.begin() + (12 + n) * 32 + 12, 8, 4);
    const auto run = [&](int steps) {
        p.steps = steps;
        EXPECT_EQ(les::run(p).host_s.size(), std::size_t(steps));
    };
    expect_few(run, 1);  // a touch also surveys the flow, outside of samples, in its own memory
    p.touched = les::touched::none, p.every = 1000;
    expect_few(run);
}

}  // namespace
}  // namespace watari
