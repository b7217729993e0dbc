#include "watari/hmatrix/surface/scan.hpp"

#include "watari/hmatrix/surface/panel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace watari::hmatrix {

namespace {

constexpr double shift = 0.342;    ///< of a vertex, times n: below half the least height
constexpr double squeezed = 0.02;  ///< height of triangles about z = 0, over their width
constexpr double crest = 1.2, crest_width = 0.03;

struct horn {
    point direction;
    double height, width;
};
constexpr horn horns[] = {
    {{1, 0.2, 0.1}, 2, 0.1}, {{-0.3, -1, 0.2}, 1.5, 0.06}, {{-0.9, 0.1, 0.5}, 1, 0.04}};

point unit(const point& p) { return (1 / length(p)) * p; }

/// Vertex `number` of the sphere, moved along it.
point shifted(const point& u, std::size_t number, std::size_t n) {
    const point pole = std::abs(u.z) < 0.9 ? point{0, 0, 1} : point{1, 0, 0};
    const point one = unit(cross(u, pole)), other = cross(u, one);
    const double turns = static_cast<double>(number) * (std::numbers::phi - 1);
    const double angle = 2 * std::numbers::pi * (turns - std::floor(turns));
    const double by = shift / static_cast<double>(n);
    return unit(u + by * std::cos(angle) * one + by * std::sin(angle) * other);
}

double radius(const point& u) {
    const auto [x, y, z] = u;
    double r = 1 + 0.1 * std::sin(5 * x + 1) * std::sin(6 * y + 2) * std::sin(7 * z + 3);
    r += 0.06 * std::abs(std::sin(9 * x + 2 * y) * std::sin(8 * z - x));
    r += crest * std::exp(-std::abs(z) / crest_width - (2 - 2 * y) * (2 - 2 * y));
    for (const horn& one : horns) {
        const double angle = std::acos(std::clamp(dot(u, unit(one.direction)), -1.0, 1.0));
        r += one.height * std::exp(-angle / one.width);
    }
    return r;
}

}  // namespace

mesh scanned(mesh sphere, std::size_t n) {
    for (std::size_t k = 0; k < sphere.vertices.size(); ++k) {
        point u = shifted(sphere.vertices[k], k, n);
        u.z *= squeezed + (1 - squeezed) * std::abs(u.z);
        u = unit(u);
        const double r = radius(u);
        sphere.vertices[k] = {r * u.x, 0.7 * r * u.y, 0.45 * r * u.z};
    }
    return sphere;
}

}  // namespace watari::hmatrix
