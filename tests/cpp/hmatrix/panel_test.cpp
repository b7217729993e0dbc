#include "watari/hmatrix/surface/panel.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

#include <random>

namespace watari::hmatrix {
namespace {

/// An integral by another formula, with 30 digits.
struct value {
    point at;
    double integral;
};

TEST(panel, has_the_values_of_another_formula) {
    const panel unit({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
    const value values[] = {
        {unit.centroid, 2.40722992316401},   {{0, 0, 0}, 1.24645048028046},
        {{1, 0, 0}, 0.881373587019543},      {{0.5, 0, 0}, 1.67634826893335},
        {{0.5, 0.5, 0}, 1.76274717403909},   {{2, 0, 0}, 0.299813067711776},
        {{2, 0, 0.5}, 0.286185591586664},    {{0, 0, 0.1}, 1.09932953536585},
        {{0.5, 0, 0.001}, 1.67320991234354}, {{0.25, 0.25, 1}, 0.473156835536197},
        {{-1, 2, 0}, 0.238061635760612},     {{10, 10, 10}, 0.0295167996696304}};
    for (const value& v : values) {
        EXPECT_NEAR(closed_form(unit, v.at), v.integral, 1e-11 * v.integral)
            << v.at.x << " " << v.at.y << " " << v.at.z;
        EXPECT_NEAR(potential(1e-10)(unit, v.at), v.integral, 1e-10 * v.integral);
    }
}

TEST(panel, is_right_where_a_point_projects_onto_the_line_of_an_edge) {
    const panel small({.75, .5, 0}, {1, .75, 0}, {1, .5, 0});
    EXPECT_NEAR(closed_form(small, {1, 7. / 12, 11. / 12}), 0.033815245996, 1e-12);
    EXPECT_NEAR(closed_form(small, {1, .5, .3}), 0.094354546130, 1e-12);
}

TEST(panel, does_not_depend_on_orientation_or_first_corner) {
    const point a{0.1, 0.2, 0.3}, b{1.1, 0.1, 0.7}, c{0.4, 0.9, -0.2}, x{0.6, 0.1, 0.9};
    const double expected = closed_form(panel(a, b, c), x);
    EXPECT_NEAR(closed_form(panel(b, c, a), x), expected, 1e-14);
    EXPECT_NEAR(closed_form(panel(a, c, b), x), expected, 1e-14);
}

/// The integral by the most exact rule on 64 parts of a panel.
double reference(const panel& of, const point& at) {
    const auto [a, b, c] = of.corners;
    const auto corner = [&](int i, int j) { return a + (i / 8.0) * (b - a) + (j / 8.0) * (c - a); };
    double sum = 0;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; i + j < 8; ++j) {
            const panel low(corner(i, j), corner(i + 1, j), corner(i, j + 1));
            sum += rules()[0].value(low, at);
            if (i + j == 7) continue;
            const panel high(corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
            sum += rules()[0].value(high, at);
        }
    return sum;
}

/// Calls use(panel, point) for equilateral, right-angled and thin panels, and points in all
/// directions and in the plane.
template <class Use>
void for_panels_and_points(double sizes, const Use& use) {
    std::mt19937_64 bits(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::normal_distribution<double> normal;
    for (int n = 0; n < 600; ++n) {
        const point tip = n % 3 == 0   ? point{0.5, std::sqrt(0.75), 0}
                          : n % 3 == 1 ? point{0, 1, 0}
                                       : point{uniform(bits), 0.05 + std::abs(uniform(bits)), 0};
        const panel of({0, 0, 0}, {1, 0, 0}, tip);
        const point direction{normal(bits), normal(bits), n % 2 * normal(bits)};
        use(of, of.centroid + (sizes * of.size / length(direction)) * direction);
    }
}

TEST(panel, rules_err_no_more_than_their_reach_says) {
    for (const double sizes : {1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0})
        for_panels_and_points(sizes, [&](const panel& of, const point& at) {
            const double exact = reference(of, at);
            for (const quadrature& rule : rules()) {
                const double allowed = std::pow(rule.reach / sizes, rule.order) + 1e-14;
                EXPECT_LE(std::abs(rule.value(of, at) / exact - 1), allowed)
                    << rule.name << " at " << sizes;
            }
        });
}

TEST(panel, keeps_every_tolerance_at_every_distance) {
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11})
        for (double sizes = 1; sizes < 300; sizes *= 1.37)
            for_panels_and_points(sizes, [&](const panel& of, const point& at) {
                const double value = potential(tolerance)(of, at);
                EXPECT_LE(std::abs(value / reference(of, at) - 1), tolerance) << sizes;
            });
}

TEST(panel, refuses_a_tolerance_that_nothing_keeps) {
    EXPECT_THROW(potential(1e-14), usage_error);
    EXPECT_THROW(potential(1), usage_error);
    EXPECT_THROW(potential(std::nan("")), usage_error);
}

}  // namespace
}  // namespace watari::hmatrix
