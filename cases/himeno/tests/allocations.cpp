// The loop allocates nothing: many iterations allocate as often as few do.
#include "allocations.hpp"

#include "../native/himeno.hpp"

namespace watari {
namespace {

TEST(Himeno, AllocatesNothingInItsLoop) {
    himeno::parameters p;
    p.style = "system", p.size = {33, 33, 65};
    expect_few([&](int iterations) {
        p.iterations = iterations;
        EXPECT_EQ(himeno::run(p).host_s.size(), std::size_t(iterations));
    });
}

}  // namespace
}  // namespace watari
