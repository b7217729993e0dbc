/// Rows of the dense matrix, for the verification of a trial. It shares no formula with
/// src/watari/hmatrix, so an error there does not hide here.
///
/// Entry (i, j) is the integral of 1/|y - x| over triangle j, at the centroid x of triangle i. d is
/// the distance between centroids, divided by the longest edge of triangle j.
///
///     d < 2   sum over edges of 2 t atanh(l / (|p| + |q|)), less |h| times the solid angle, which
///             is that of Van Oosterom and Strackee (1983); p and q are the ends of an edge from x,
///             l its length, t the distance from x to its line within the plane of the triangle
///     else    the product rule of Gauss and Legendre after Duffy's map of a square to the triangle
///
/// Relative error below 1e-12. Bytes: 72 a triangle. Flops: 13 a point of the rule, with a root and
/// a quotient; most triangles are far and have 9 or 16 points.
#pragma once

#include "watari/hmatrix/surface/mesh.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace watari::hmatrix {

class exact_rows {
public:
    /// The corners of the triangles, in the order of the rows and columns.
    explicit exact_rows(std::vector<std::array<point, 3>> corners);

    /// Returns row i.
    std::vector<double> operator()(std::size_t i) const;

private:
    struct rule {
        double from;                                ///< distance in longest edges
        std::vector<std::array<double, 3>> points;  ///< places along two edges, weight
    };
    double entry(const std::array<point, 3>& of, point at) const;

    std::vector<std::array<point, 3>> corners_;
    std::vector<rule> rules_;
};

}  // namespace watari::hmatrix
