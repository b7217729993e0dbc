// Nothing is allocated inside a loop: many iterations allocate as often as few do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "allocations.hpp"
#include "krylov/dense.hpp"
#include "watari/core/parallel/reductions.hpp"
#include "watari/core/threads.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/cg.hpp"
#include "watari/krylov/gmres.hpp"
#include "watari/krylov/mixed.hpp"

namespace {
std::atomic<std::size_t> counted{0};
}

// Counts the allocations of this whole program. The other forms of new and delete call these.
// noinline: with inlined functions GCC reports malloc and delete as a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++counted;
    if (void* const made = std::malloc(std::max<std::size_t>(bytes, 1))) return made;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* made) noexcept { std::free(made); }
[[gnu::noinline]] void operator delete(void* made, std::size_t) noexcept { std::free(made); }

namespace watari {

std::size_t allocations() { return counted; }

namespace {

TEST(Allocations, AreCounted) {
    std::vector<int> kept;
    EXPECT_EQ(allocated_by([&] { kept.resize(3); }), 1u);
}

class Krylov : public testing::Test {
protected:
    static constexpr std::size_t length = 200;

    Krylov() { system_.fill_positive(3, 1e-3); }

    /// Expects that solve(problem, memory, stopping) allocates as often for 4 iterations as for 40.
    template <class Solve>
    void expect_none(std::size_t bytes, const Solve& solve) {
        const krylov::workspace memory(the_cpu, memory::kind::pageable, bytes);
        const krylov::problem<double> given = system_.problem();
        std::size_t counts[2];
        for (const std::size_t many : {0, 1}) {
            std::fill_n(system_.x(), length, 0.0);
            krylov::stopping when{.relative = 0, .iterations = many ? 40u : 4u};
            when.stop = [](std::span<const krylov::report>) { return false; };
            solve(given, memory, when);  // starts the threads
            std::fill_n(system_.x(), length, 0.0);
            krylov::reports told;
            counts[many] = allocated_by([&] { told = solve(given, memory, when); });
            EXPECT_EQ(told.front().iterations, when.iterations);
        }
        EXPECT_EQ(counts[0], counts[1]);
    }

    krylov::dense_system<double> system_{the_cpu, length};
};

TEST_F(Krylov, SolversAllocateNothingInTheirLoops) {
    using krylov::problem, krylov::stopping, krylov::workspace;
    const problem<double> given = system_.problem();
    expect_none(krylov::cg_bytes(given), [](const auto& p, const workspace& m, const stopping& w) {
        return krylov::cg(p, m, w);
    });
    expect_none(krylov::bicgstab_bytes(given),
                [](const auto& p, const workspace& m, const stopping& w) {
                    return krylov::bicgstab(p, m, w);
                });
    expect_none(krylov::gmres_bytes(given, {.restart = 7}),
                [](const auto& p, const workspace& m, const stopping& w) {
                    return krylov::gmres(p, m, w, {.restart = 7});
                });
    krylov::dense_system<float> single(the_cpu, length);
    single.copy_matrix(system_);
    const krylov::low_precision<double> low{.a = single.problem().a};
    expect_none(krylov::cg_mixed_bytes(given, low),
                [&](const auto& p, const workspace& m, const stopping& w) {
                    return krylov::cg_mixed(p, low, m, w);
                });
    expect_none(krylov::bicgstab_mixed_bytes(given, low),
                [&](const auto& p, const workspace& m, const stopping& w) {
                    return krylov::bicgstab_mixed(p, low, m, w);
                });
}

TEST(Reductions, AllocateNothing) {
    constexpr std::size_t count = 70000;
    std::vector<double> partials(partial_doubles(count, 2, 3), 1.0), totals(6);
    cpu::add_partials(totals.data(), partials.data(), count, 2, 3, nullptr);  // starts the threads
    EXPECT_EQ(allocated_by(
                  [&] { cpu::add_partials(totals.data(), partials.data(), count, 2, 3, nullptr); }),
              0u);
}

}  // namespace
}  // namespace watari
