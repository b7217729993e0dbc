// Nothing is allocated inside a loop: many iterations allocate as often as few do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "cases/himeno/native/himeno.hpp"
#include "cases/lattice/native/lattice.hpp"
#include "cases/les/native/les.hpp"
#include "krylov/dense.hpp"
#include "watari/core/error.hpp"
#include "watari/core/parallel/reductions.hpp"
#include "watari/core/threads.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/cg.hpp"
#include "watari/krylov/gmres.hpp"
#include "watari/krylov/mixed.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
}

// Counts the allocations of this whole program. The other forms of new and delete call these.
// noinline: with inlined functions GCC reports malloc and delete as a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* const made = std::malloc(std::max<std::size_t>(bytes, 1))) return made;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* made) noexcept { std::free(made); }
[[gnu::noinline]] void operator delete(void* made, std::size_t) noexcept { std::free(made); }

namespace watari {
namespace {

template <class Work>
std::size_t allocated_by(const Work& work) {
    const std::size_t before = allocations;
    work();
    return allocations - before;
}

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
    std::copy_n(system_.matrix(), length * length, single.matrix());
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

/// Expects fewer than 50 + 100 * each allocations in 100 more iterations of run(iterations). Only
/// the series of samples grow, by doubling.
template <class Run>
void expect_few(const Run& run, std::size_t each = 0) {
    run(20);
    const std::size_t few = allocated_by([&] { run(20); });
    const std::size_t many = allocated_by([&] { run(120); });
    EXPECT_LT(many - few, 50 + 100 * each) << "in 100 iterations more";
}

TEST(Himeno, AllocatesNothingInItsLoop) {
    himeno::parameters p;
    p.style = "system", p.size = {33, 33, 65};
    expect_few([&](int iterations) {
        p.iterations = iterations;
        EXPECT_EQ(himeno::run(p).host_s.size(), std::size_t(iterations));
    });
}

TEST(Lattice, AllocatesNothingInItsLoop) {
    lattice::parameters p;
    p.style = "system", p.size = {4, 4, 4, 4};
    for (const auto arithmetic :
         {lattice::arithmetic::double_precision, lattice::arithmetic::mixed}) {
        p.arithmetic = arithmetic;
        expect_few([&](int applications) {
            p.iterations = static_cast<std::size_t>(applications);
            EXPECT_THROW(lattice::run(p), error) << "not converged yet";
        });
    }
}

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
