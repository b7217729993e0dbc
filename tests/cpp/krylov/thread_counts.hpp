/// Solutions by 1 to 8 threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "krylov/dense.hpp"
#include "watari/core/threads.hpp"

namespace watari::krylov {

/// Expects that solve(problem) gives the same bits with 1 to 8 threads.
template <class T, class Solve>
void expect_the_same_bits(dense_system<T>& system, const Solve& solve) {
    problem<T> given = system.problem();
    given.sums.piece = 8;
    std::vector<T> first;
    for (int threads = 1; threads <= 8; ++threads) {
        cpu::set_threads(threads);
        std::fill_n(system.x(), system.length(), T{});
        solve(given);
        if (first.empty()) first = system.solution();
        EXPECT_TRUE(first == system.solution()) << threads << " threads";
    }
    cpu::set_threads(2);
}

}  // namespace watari::krylov
