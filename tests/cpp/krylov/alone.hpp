/// Systems that are solved together have the solutions that each has alone, to the bit.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "krylov/dense.hpp"

namespace watari::krylov {

/// Solves each system of `all` again, alone, by `solve`, which returns its report. `guesses`: the
/// value of all elements of x at first, by system.
template <class T, class Solve>
void expect_the_same_alone(dense_system<T>& all, const reports& together,
                           const std::vector<T>& guesses, const Solve& solve) {
    problem<T> one = all.problem();
    one.systems = 1;
    for (std::size_t s = 0; s < together.size(); ++s) {
        const std::vector<T> before = all.solution(s);
        std::fill_n(all.x(s), all.length(), guesses[s]);
        one.b = all.b(s);
        one.x = all.x(s);
        const report alone = solve(one);
        EXPECT_EQ(alone.iterations, together[s].iterations) << s;
        EXPECT_EQ(alone.applications, together[s].applications) << s;
        EXPECT_EQ(alone.recursive_residual, together[s].recursive_residual) << s;
        EXPECT_TRUE(together[s].converged()) << s;
        EXPECT_TRUE(all.solution(s) == before) << s;
    }
}

}  // namespace watari::krylov
