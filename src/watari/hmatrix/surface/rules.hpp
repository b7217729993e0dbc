/// The rules of panel.hpp, and those of entries.hpp over arrays of panels: one source for both
/// processors, whose values may differ in the last bits.
///
/// Flops: 8 a point of a quadrature, and the inverse of a root; some 200 for the closed form, of
/// them 3 logarithms, 6 arctangents and 9 roots.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/hmatrix/surface/panel.hpp"
#include WATARI_PART(inverse_root)

#include <cmath>
#include <cstddef>

namespace watari::hmatrix {

/// Panels as arrays, for loops over many of them: element j is that of panel j.
struct panel_arrays {
    const double* centroid[3];
    const double* to_corner[3][3];      ///< [corner][axis], from the centroid
    const double *area, *inverse_size;  ///< 1 / size^2
};

}  // namespace watari::hmatrix

namespace watari::WATARI_BACKEND::panel_rules {

using hmatrix::cross;
using hmatrix::dot;
using hmatrix::panel;
using hmatrix::panel_arrays;
using hmatrix::point;

constexpr double tiny = 1e-13;  ///< of an edge's length

WATARI_INLINE double norm(const point& a) { return std::sqrt(dot(a, a)); }

/// The contribution of one edge; h is the point's height above the plane.
WATARI_INLINE double edge_part(const point& p, const point& q, const point& n, const point& x,
                               double h) {
    const point along = q - p;
    const double edge = norm(along), a = std::fabs(h);
    const point l = (1 / edge) * along, m = cross(l, n), to_p = p - x, to_q = q - x;
    const double t0 = dot(to_p, m);
    if (std::fabs(t0) <= tiny * edge) return 0;
    const double s0 = dot(to_p, l), s1 = dot(to_q, l), r0 = norm(to_p), r1 = norm(to_q);
    const double f =
        s1 + s0 > 0 ? std::log((r1 + s1) / (r0 + s0)) : std::log((r0 - s0) / (r1 - s1));
    if (a == 0) return t0 * f;
    const double square = t0 * t0 + h * h;
    const double b = std::atan2(t0 * s1, square + a * r1) - std::atan2(t0 * s0, square + a * r0);
    return t0 * f - a * b;
}

WATARI_INLINE double closed_form(const panel& of, const point& at) {
    const double h = dot(at - of.corners[0], of.normal);
    double sum = 0;
    for (unsigned k = 0; k < 3; ++k)
        sum += edge_part(of.corners[k], of.corners[(k + 1) % 3], of.normal, at, h);
    return sum;
}

/// Gauss points of [0, 1] in two directions, one of which shrinks to a corner: degree 10.
WATARI_INLINE double thirty_six_points(const panel& of, const point& x) {
    static constexpr double at[6] = {0.033765242898423989, 0.16939530676686774,
                                     0.38069040695840156,  0.61930959304159849,
                                     0.83060469323313224,  0.96623475710157603};
    static constexpr double weight[6] = {0.085662246189585178, 0.18038078652406930,
                                         0.23395696728634552,  0.23395696728634552,
                                         0.18038078652406930,  0.085662246189585178};
    const point from = of.corners[0], u = of.corners[1] - from, w = of.corners[2] - of.corners[1];
    double sum = 0;
    for (unsigned i = 0; i < 6; ++i)
        for (unsigned j = 0; j < 6; ++j) {
            const point away = (from + at[i] * u + (at[i] * at[j]) * w) - x;
            sum += weight[i] * weight[j] * at[i] * inverse_root(dot(away, away));
        }
    return 2 * of.area * sum;
}

/// |c_panel - c_point|^2, in sizes of the panel.
WATARI_INLINE double squared_distance(const panel_arrays& of, std::size_t point,
                                      std::size_t panel) {
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double gap = of.centroid[axis][panel] - of.centroid[axis][point];
        square += gap * gap;
    }
    return square * of.inverse_size[panel];
}

/// 1 / the distance from the centroid of `point` to the point that lies `part` of the way from the
/// centroid of `panel` to its corner.
WATARI_INLINE double inverse_distance(const panel_arrays& of, std::size_t point, std::size_t panel,
                                      int corner, double part) {
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double gap = of.centroid[axis][panel] - of.centroid[axis][point];
        if (part != 0) gap += part * of.to_corner[corner][axis][panel];
        square += gap * gap;
    }
    return inverse_root(square);
}

/// Degree 2.
WATARI_INLINE double three_points(const panel_arrays& of, std::size_t point, std::size_t panel) {
    double sum = 0;
    for (int corner = 0; corner < 3; ++corner)
        sum += inverse_distance(of, point, panel, corner, 0.5);
    return of.area[panel] / 3 * sum;
}

constexpr double root = 3.872983346207417;  // of 15
constexpr double near_weight = (155 - root) / 1200, far_weight = (155 + root) / 1200;
constexpr double out = (1 + root) / 7, in = (1 - root) / 7;  // from the centroid to a corner

/// Degree 5 (Radon 1948).
WATARI_INLINE double seven_points(const panel_arrays& of, std::size_t point, std::size_t panel) {
    double outer = 0, inner = 0;
    for (int corner = 0; corner < 3; ++corner) {
        outer += inverse_distance(of, point, panel, corner, out);
        inner += inverse_distance(of, point, panel, corner, in);
    }
    const double middle = inverse_distance(of, point, panel, 0, 0);
    return of.area[panel] * (0.225 * middle + near_weight * outer + far_weight * inner);
}

}  // namespace watari::WATARI_BACKEND::panel_rules
