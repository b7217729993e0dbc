#include "watari/hmatrix/solve.hpp"
#include "errors.hpp"
#include "hmatrix/matrices.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace watari::hmatrix {
namespace {

/// C / (4 pi eps0): the charge of the panels at the positive potential.
double capacitance(const surface& of, const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of.signs[i] > 0) sum += x[i] * of.panels[i].area;
    return sum;
}

struct golden {
    const char* name;
    double value;
};

TEST(solve, gives_the_known_capacitances) {
    const golden values[] = {{"cube:4", 0.653300283807},      {"cube:10", 0.658406571566},
                             {"icosphere:4", 0.986984661664}, {"icosphere:10", 0.997864913902},
                             {"bumpy:4", 0.707876606784},     {"bumpy:10", 0.728241448779},
                             {"bumpy:16", 0.732132847341}};
    for (const auto& [name, value] : values)
        for (const double eps : {1e-6, 1e-9}) {
            if (eps < 1e-6 && triangles_of(name) > 1200) continue;  // takes seconds
            const built m(name, {.eps = eps});
            const solution found = solver(m.path, m.index, {.tolerance = eps}).solve(m.of.signs);
            EXPECT_TRUE(found.reports[0].converged());
            EXPECT_NEAR(capacitance(m.of, found.x), value, eps * value) << name << " " << eps;
        }
}

TEST(solve, nears_the_exact_value_of_two_spheres) {
    const double exact = 0.3352649532696;
    double before = 0;
    for (const char* name : {"spheres:4", "spheres:8"}) {
        const built m(name);
        solver by(m.path, m.index, {});
        const double error = std::abs(capacitance(m.of, by.solve(m.of.signs).x) / exact - 1);
        EXPECT_LT(error, before > 0 ? before / 3 : 0.03) << name;
        before = error;
    }
}

TEST(solve, by_every_method_comes_to_the_same) {
    const built m("bumpy:8");
    std::set<std::size_t> products;
    for (const method by : {method::bicgstab, method::gmres, method::fgmres})
        for (const bool jacobi : {false, true}) {
            const solve_options how{.by = by, .jacobi = jacobi, .tolerance = 1e-9};
            const solution found = solver(m.path, m.index, how).solve(m.of.signs);
            const krylov::report& report = found.reports[0];
            EXPECT_TRUE(report.converged());
            EXPECT_LE(report.true_residual, 1e-8 * report.norm_b);
            const std::vector<double> y = dense_product(m.of, found.x, 1);
            EXPECT_LE(difference(y, m.of.signs), 2e-6);
            products.insert(found.products);
        }
    EXPECT_GE(products.size(), 3u);
}

TEST(solve, saves_products_by_gmres_and_jacobi) {
    const built m("bumpy:16");
    const auto products = [&](method by, bool jacobi) {
        return solver(m.path, m.index, {.by = by, .jacobi = jacobi}).solve(m.of.signs).products;
    };
    const std::size_t plain = products(method::bicgstab, false);
    const std::size_t best = products(method::gmres, true);
    EXPECT_NEAR(static_cast<double>(plain), 38, 4);
    EXPECT_NEAR(static_cast<double>(best), 22, 3);
    EXPECT_NEAR(static_cast<double>(expected_products(m.size(), {})), static_cast<double>(best), 3);
}

TEST(solve, has_the_same_bits_whatever_the_budget) {
    const built m("bumpy:6");
    solve_options how;
    how.product.batch_bytes = 1 << 17;
    const solve_forecast all = foresee(m.index, how);
    std::set<std::vector<double>> results;
    for (const std::uint64_t budget : {all.least, (all.least + all.memory()) / 2, all.memory()}) {
        how.fast_memory = budget;
        solver by(m.path, m.index, how);
        EXPECT_LE(by.ahead().memory(), budget);
        const solution found = by.solve(m.of.signs);
        EXPECT_GE(found.bytes_read, (found.products - 1) * by.ahead().product.read);
        results.insert(found.x);
    }
    EXPECT_EQ(results.size(), 1u);
    how.fast_memory = all.least - 1;
    how.restart = usual_restart;
    EXPECT_THROW(foresee(m.index, how), usage_error);
}

TEST(solve, restarts_earlier_within_a_small_budget_and_names_the_least) {
    const built m("bumpy:6");
    const auto within = [](std::uint64_t budget) {
        solve_options how;
        how.product.batch_bytes = 1 << 15;
        how.fast_memory = budget;
        return how;
    };
    const std::uint64_t usual = foresee(m.index, within(0)).least;
    solver small(m.path, m.index, within(usual - 1));
    EXPECT_LT(small.ahead().restart, usual_restart);
    EXPECT_LE(small.ahead().memory(), usual - 1);
    EXPECT_TRUE(small.solve(m.of.signs).reports[0].converged());
    const std::string text = message_of<usage_error>([&] { foresee(m.index, within(1)); });
    const std::uint64_t least = std::stoull(text.substr(text.rfind('(') + 1));
    EXPECT_EQ(foresee(m.index, within(least)).restart, least_restart);
    EXPECT_THROW(foresee(m.index, within(least - 1)), usage_error);
}

TEST(solve, refuses_a_budget_before_the_build_only_if_every_matrix_needs_more) {
    for (const char* name : {"cube:2", "bumpy:6", "scan:8"})
        for (const method by : {method::gmres, method::bicgstab, method::fgmres})
            for (const std::size_t batch : {std::size_t{1}, std::size_t{1} << 14}) {
                const build_options how{.eps = 1e-3};
                const built m(name, how);
                solve_options with{.fast_memory = 1, .by = by};
                with.product.batch_bytes = batch;
                const auto named = [](const std::string& text) {
                    return std::stoull(text.substr(text.rfind('(') + 1));
                };
                const std::uint64_t low =
                    named(message_of<usage_error>([&] { require_budget(m.of, how, with); }));
                const std::uint64_t least =
                    named(message_of<usage_error>([&] { foresee(m.index, with); }));
                EXPECT_LE(low, least) << name;
                EXPECT_GT(low, least / 2) << name;
                with.fast_memory = low;
                EXPECT_NO_THROW(require_budget(m.of, how, with));
            }
    const built m("cube:2");
    EXPECT_NO_THROW(require_budget(m.of, {}, {}));
}

TEST(solve, on_a_gpu_has_the_bits_of_the_cpu) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const built m("bumpy:8");
    for (const method by : {method::bicgstab, method::gmres}) {
        solve_options how{.by = by};
        const std::vector<double> here = solver(m.path, m.index, how).solve(m.of.signs).x;
        how.product.who = gpu_number(0);
        EXPECT_EQ(solver(m.path, m.index, how).solve(m.of.signs).x, here);
    }
}

/// Batches of a leaf, several right-hand sides, inner steps with what stays: all of it at once.
TEST(solve, on_a_gpu_in_small_batches_with_inner_steps_has_the_bits_of_the_cpu) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const built m("bumpy:8");
    for (const std::size_t batch : {1, 1 << 10, 1 << 14, 1 << 16})
        for (const char* engine : {"posix", "uring", "gpu"}) {
            solve_options how{.by = method::fgmres, .inner = 5};
            how.product.batch_bytes = batch;
            how.product.systems = 3;
            std::vector<double> b = random_vector(2 * m.size());
            b.insert(b.begin(), m.of.signs.begin(), m.of.signs.end());
            how.fast_memory = foresee(m.index, how).least + m.index.data_bytes() * 3 / 4;
            solver here(m.path, m.index, how);
            how.product.who = gpu_number(0);
            how.product.engine = engine;
            how.fast_memory = foresee(m.index, how).least + m.index.data_bytes() * 3 / 4;
            solver there(m.path, m.index, how);
            const solution found = there.solve(b);
            for (const krylov::report& one : found.reports) EXPECT_TRUE(one.converged());
            EXPECT_NEAR(capacitance(m.of, found.x), capacitance(m.of, here.solve(b).x), 3e-6)
                << engine << " " << batch;
        }
}

TEST(solve, of_several_right_hand_sides_shares_the_reads) {
    const built m("bumpy:6");
    solve_options how;
    how.product.batch_bytes = 1 << 15;
    how.product.systems = 4;
    how.fast_memory = foresee(m.index, how).least;
    solver together(m.path, m.index, how);
    std::vector<double> b = random_vector(3 * m.size());
    b.insert(b.begin(), m.of.signs.begin(), m.of.signs.end());
    const solution found = together.solve(b);
    std::size_t most = 0;
    for (std::size_t s = 0; s < 4; ++s) {
        EXPECT_TRUE(found.reports[s].converged());
        const std::span<const double> own(b.data() + s * m.size(), m.size());
        most = std::max(most, solver(m.path, m.index, {}).solve(own).products);
    }
    EXPECT_LE(found.products, most + 2);
}

TEST(solve, saves_reads_by_inner_iterations_with_what_stays) {
    const built m("bumpy:10");
    solve_options how{.by = method::fgmres};
    how.product.batch_bytes = 1 << 15;
    how.fast_memory = foresee(m.index, how).least + m.index.data_bytes() * 3 / 4;
    const solution expected = solver(m.path, m.index, how).solve(m.of.signs);
    how.inner = 5;
    solver nested(m.path, m.index, how);
    EXPECT_LE(nested.ahead().memory(), how.fast_memory);
    const solution found = nested.solve(m.of.signs);
    EXPECT_TRUE(found.reports[0].converged());
    EXPECT_LT(found.products, expected.products);
    EXPECT_LT(found.bytes_read, expected.bytes_read);
    EXPECT_NEAR(capacitance(m.of, found.x), 0.728241448779, 2e-6);
    how.jacobi = false;
    EXPECT_TRUE(solver(m.path, m.index, how).solve(m.of.signs).reports[0].converged());
    how.product.pinned = false;
    EXPECT_THROW(foresee(m.index, how), usage_error);
    how.product.pinned = true;
    how.by = method::gmres;
    EXPECT_THROW(foresee(m.index, how), usage_error);
}

TEST(solve, reads_what_its_forecast_says) {
    const built m("bumpy:6");
    for (const std::size_t systems : {1, 3}) {
        solve_options how;
        how.product.systems = systems;
        how.product.batch_bytes = 1 << 15;
        how.fast_memory = foresee(m.index, how).least + m.index.data_bytes() / 2;
        solver by(m.path, m.index, how);
        std::vector<double> b;
        for (std::size_t s = 0; s < systems; ++s)
            b.insert(b.end(), m.of.signs.begin(), m.of.signs.end());
        const solution found = by.solve(b);
        const std::uint64_t read = by.ahead().product.read;
        const std::uint64_t made = by.ahead().product.resident + found.products * read;
        EXPECT_GE(by.matrix().bytes_read(), made);
        EXPECT_LE(by.matrix().bytes_read(), made + (how.product.ahead + 1) * (1 << 15));
    }
}

TEST(solve, stops_when_told_and_reports_what_it_reached) {
    const built m("bumpy:6");
    solver by(m.path, m.index, {});
    std::vector<double> residuals;
    const solution found = by.solve(m.of.signs, [&](std::size_t products, double residual) {
        residuals.push_back(residual);
        return products < 6;
    });
    EXPECT_EQ(found.reports[0].reason, krylov::ending::stopped);
    EXPECT_GT(found.reports[0].true_residual, 1e-6 * found.reports[0].norm_b);
    EXPECT_LT(residuals.back(), residuals.front());
}

}  // namespace
}  // namespace watari::hmatrix
