#include "watari/hmatrix/surface/panel.hpp"

#include "watari/core/error.hpp"

#include <algorithm>

namespace watari::hmatrix {

namespace {

constexpr double tiny = 1e-13;  ///< of an edge's length

/// What one edge adds; h is the point's height above the plane.
double edge_part(const point& p, const point& q, const point& n, const point& x, double h) {
    const point along = q - p;
    const double edge = length(along), a = std::abs(h);
    const point l = (1 / edge) * along, m = cross(l, n), to_p = p - x, to_q = q - x;
    const double t0 = dot(to_p, m);
    if (std::abs(t0) <= tiny * edge) return 0;
    const double s0 = dot(to_p, l), s1 = dot(to_q, l), r0 = length(to_p), r1 = length(to_q);
    const double f =
        s1 + s0 > 0 ? std::log((r1 + s1) / (r0 + s0)) : std::log((r0 - s0) / (r1 - s1));
    if (a == 0) return t0 * f;
    const double square = t0 * t0 + h * h;
    const double b = std::atan2(t0 * s1, square + a * r1) - std::atan2(t0 * s0, square + a * r0);
    return t0 * f - a * b;
}

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
    constexpr double root = 3.872983346207417;  // of 15
    constexpr double near = (155 - root) / 1200, far = (155 + root) / 1200;
    constexpr double out = (1 + root) / 7, in = (1 - root) / 7;  // from the centroid to a corner
    double outer = 0, inner = 0;
    for (const point& v : of.corners) {
        const point to = v - of.centroid;
        outer += inverse_distance(of.centroid + out * to, x);
        inner += inverse_distance(of.centroid + in * to, x);
    }
    return of.area * (0.225 * inverse_distance(of.centroid, x) + near * outer + far * inner);
}

/// Gauss's points of [0, 1] in two directions, of which one shrinks to a corner: degree 2 n - 2.
template <std::size_t N>
double conical(const panel& of, const point& x, const double (&at)[N], const double (&weight)[N]) {
    const point from = of.corners[0], u = of.corners[1] - from, w = of.corners[2] - of.corners[1];
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j)
            sum += weight[i] * weight[j] * at[i] *
                   inverse_distance(from + at[i] * u + (at[i] * at[j]) * w, x);
    return 2 * of.area * sum;
}

/// Degree 10 by 36 points.
double thirty_six_points(const panel& of, const point& x) {
    static constexpr double at[6] = {0.033765242898423989, 0.16939530676686774,
                                     0.38069040695840156,  0.61930959304159849,
                                     0.83060469323313224,  0.96623475710157603};
    static constexpr double weight[6] = {0.085662246189585178, 0.18038078652406930,
                                         0.23395696728634552,  0.23395696728634552,
                                         0.18038078652406930,  0.085662246189585178};
    return conical(of, x, at, weight);
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

double closed_form(const panel& of, const point& at) {
    const double h = dot(at - of.corners[0], of.normal);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
        sum += edge_part(of.corners[k], of.corners[(k + 1) % 3], of.normal, at, h);
    return sum;
}

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
