/// The potential of a triangle with unit charge density: I(T, x) = integral over T of dS / |y - x|.
///
/// Near the triangle by a closed form (Wilton et al. 1984) that is safe on edges and vertices. n is
/// the unit normal, h = (x - v1).n, a = |h|. For each edge p -> q: l its unit vector, m = l x n, t0
/// = (p-x).m, s- = (p-x).l, s+ = (q-x).l, R-, R+ the distances to p and q, R0^2 = t0^2 + h^2;
///
///     f = ln((R+ + s+)/(R- + s-)) if s+ + s- > 0, else ln((R- - s-)/(R+ - s+))
///     b = atan2(t0 s+, R0^2 + a R+) - atan2(t0 s-, R0^2 + a R-)
///     I = sum over edges of t0 f - a b
///
/// An edge is skipped where |t0| is tiny against its length. Far away by quadrature, since the
/// closed form cancels there. A rule's relative error at distance d from the centroid falls as
/// (size/d) to the power of its degree + 1; the distances from which rules are used follow from the
/// tolerance.
#pragma once

#include "watari/hmatrix/surface/mesh.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace watari::hmatrix {

constexpr double dot(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr point cross(point a, point b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(point a) { return std::sqrt(dot(a, a)); }

struct panel {
    panel(point v1, point v2, point v3);

    std::array<point, 3> corners;
    point centroid;
    point normal;  ///< of length 1
    double area;
    double size;  ///< the longest edge
};

std::vector<panel> panels_of(const mesh& m);

/// I in closed form: accurate to 1e-12 up to 5 sizes away, to 1e-8 at 500.
double closed_form(const panel& of, const point& at);

/// I by a quadrature rule, a row of `rules`.
struct quadrature {
    const char* name;
    std::size_t points;
    double reach;  ///< relative error <= (reach size / d)^order where d >= size
    double order;
    double (*value)(const panel&, const point&);
};
std::span<const quadrature> rules();  ///< by falling order

/// I with a relative error of at most `tolerance`: closed form, or the cheapest rule that is
/// accurate enough.
class potential {
public:
    /// Throws usage_error unless 1e-12 <= tolerance < 1.
    explicit potential(double tolerance);

    double operator()(const panel& of, const point& at) const {
        const point r = at - of.centroid;
        const double squared = dot(r, r) / (of.size * of.size);
        for (std::size_t i = used_; i-- > 0;)
            if (squared >= from_[i].squared) return from_[i].value(of, at);
        return closed_form(of, at);
    }

    /// The square of the distance, in sizes, from which a row of `rules` is used.
    double from(std::size_t rule) const { return from_[rule].squared; }

private:
    static constexpr std::size_t most = 3;
    struct switch_distance {
        double squared;  ///< in sizes
        double (*value)(const panel&, const point&);
    };
    switch_distance from_[most];  ///< by rising distance
    std::size_t used_ = 0;
};

}  // namespace watari::hmatrix
