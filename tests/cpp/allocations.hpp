/// Counts what a program allocates, for tests of loops that allocate nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

namespace watari {

/// Allocations of this whole program so far.
std::size_t allocations();

template <class Work>
std::size_t allocated_by(const Work& work) {
    const std::size_t before = allocations();
    work();
    return allocations() - before;
}

/// Expects fewer than 50 + 100 * each allocations in 100 more iterations of run(iterations). Only
/// the series of samples grow, by doubling.
template <class Run>
void expect_few(const Run& run, std::size_t each = 0) {
    run(20);
    const std::size_t few = allocated_by([&] { run(20); });
    const std::size_t many = allocated_by([&] { run(120); });
    EXPECT_LT(many - few, 50 + 100 * each) << "in 100 iterations more";
}

}  // namespace watari
