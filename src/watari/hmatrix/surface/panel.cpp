#include "watari/hmatrix/surface/panel.hpp"

#include "watari/core/error.hpp"
#include "watari/hmatrix/surface/rules.hpp"

#include <algorithm>

namespace watari::hmatrix {

namespace {

namespace source = cpu::panel_rules;

double inverse_distance(const point& y, const point& x) { return 1 / length(y - x); }

/// Degree 2.
double three_points(const panel& of, const point& x) {
    double sum = 0;
    for (const point& v : of.corners)
        sum += inverse_distance(of.centroid + 0.5 * (v - of.centroid), x);
    return of.area / 3 * sum;
}

/// Degree 5 (Radon 1948).
double seven_points(const panel& of, const point& x) {
    double outer = 0, inner = 0;
    for (const point& v : of.corners) {
        const point to = v - of.centroid;
        outer += inverse_distance(of.centroid + source::out * to, x);
        inner += inverse_distance(of.centroid + source::in * to, x);
    }
    return of.area * (0.225 * inverse_distance(of.centroid, x) + source::near_weight * outer +
                      source::far_weight * inner);
}

/// Degree 10.
double thirty_six_points(const panel& of, const point& x) {
    return source::thirty_six_points(of, x);
}

// `reach`: above the largest errors over shapes and directions, from 1 size on (panel_test.cpp).
constexpr quadrature table[] = {{"36 points", 36, 0.29, 11, thirty_six_points},
                                {"7 points", 7, 0.29, 6, seven_points},
                                {"3 points", 3, 0.16, 3, three_points}};

}  // namespace

panel::panel(point v1, point v2, point v3)
    : corners{v1, v2, v3}, centroid((1.0 / 3) * (v1 + v2 + v3)) {
    const point twice = cross(v2 - v1, v3 - v1);
    const double value = length(twice);
    area = value / 2;
    normal = (value > 0 ? 1 / value : 0) * twice;
    size = std::max({length(v2 - v1), length(v3 - v2), length(v1 - v3)});
}

std::vector<panel> panels_of(const mesh& m) {
    std::vector<panel> all;
    all.reserve(m.triangles.size());
    for (const triangle& t : m.triangles)
        all.emplace_back(m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]);
    return all;
}

double closed_form(const panel& of, const point& at) { return source::closed_form(of, at); }

std::span<const quadrature> rules() { return table; }

potential::potential(double tolerance) {
    if (!(tolerance >= 1e-12 && tolerance < 1))
        throw usage_error("the tolerance of entries is from 1e-12 to below 1");
    for (const quadrature& rule : table) {
        const double distance = std::max(1.0, rule.reach / std::pow(tolerance, 1 / rule.order));
        from_[used_++] = {distance * distance, rule.value};
    }
}

}  // namespace watari::hmatrix
