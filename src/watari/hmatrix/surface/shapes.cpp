#include "watari/hmatrix/surface/shapes.hpp"

#include "watari/core/error.hpp"
#include "watari/hmatrix/surface/panel.hpp"
#include "watari/hmatrix/surface/scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace watari::hmatrix {

namespace {

constexpr std::size_t most = 10000;

/// Points of a lattice, each once: neighbouring faces share those of their edge by index, since the
/// coordinates that two faces compute differ in the last bit.
template <class Key>
class numbered {
public:
    std::uint32_t at(const Key& key, const point& where) {
        const auto [found, is_new] =
            known_.try_emplace(key, static_cast<std::uint32_t>(points.size()));
        if (is_new) points.push_back(where);
        return found->second;
    }
    std::vector<point> points;

private:
    std::map<Key, std::uint32_t> known_;
};

mesh cube(std::size_t n) {
    numbered<std::array<std::size_t, 3>> corners;
    mesh made;
    const auto vertex = [&](std::size_t axis, std::size_t side, std::size_t u, std::size_t v) {
        std::array<std::size_t, 3> at{};
        at[axis] = side * n;
        at[(axis + 1) % 3] = u;
        at[(axis + 2) % 3] = v;
        const double edge = static_cast<double>(n);
        return corners.at(at, {static_cast<double>(at[0]) / edge, static_cast<double>(at[1]) / edge,
                               static_cast<double>(at[2]) / edge});
    };
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t u = 0; u < n; ++u)
                for (std::size_t v = 0; v < n; ++v) {
                    const auto a = vertex(axis, side, u, v), c = vertex(axis, side, u + 1, v + 1);
                    auto b = vertex(axis, side, u + 1, v), d = vertex(axis, side, u, v + 1);
                    if (side == 0) std::swap(b, d);  // outward
                    made.triangles.push_back({a, b, c});
                    made.triangles.push_back({a, c, d});
                }
    made.vertices = std::move(corners.points);
    return made;
}

/// The 12 corners, and the 20 triples at mutual distance 2, outward.
struct icosahedron {
    std::vector<point> corners;
    std::vector<triangle> faces;

    icosahedron() {
        const double g = (1 + std::sqrt(5.0)) / 2;
        for (const double one : {1.0, -1.0})
            for (const double gold : {g, -g}) {
                corners.push_back({one, gold, 0});
                corners.push_back({0, one, gold});
                corners.push_back({gold, 0, one});
            }
        for (std::uint32_t a = 0; a < 12; ++a)
            for (std::uint32_t b = a + 1; b < 12; ++b)
                for (std::uint32_t c = b + 1; c < 12; ++c)
                    if (adjacent(a, b) && adjacent(b, c) && adjacent(a, c)) add(a, b, c);
        for (point& corner : corners) corner = (1 / length(corner)) * corner;
    }

private:
    bool adjacent(std::uint32_t a, std::uint32_t b) const {
        return std::abs(length(corners[a] - corners[b]) - 2) < 1e-9;
    }
    void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const point normal = cross(corners[b] - corners[a], corners[c] - corners[a]);
        if (dot(normal, corners[a]) < 0) std::swap(b, c);
        faces.push_back({a, b, c});
    }
};

mesh icosphere(std::size_t n) {
    const icosahedron base;
    // a point's key is its weights at the icosahedron's corners: both faces of an edge give its
    // points the same key
    using key = std::array<std::pair<std::uint32_t, std::size_t>, 3>;
    numbered<key> points;
    mesh made;
    for (const triangle& face : base.faces) {
        const auto vertex = [&](std::size_t i, std::size_t j) {
            const std::size_t k = n - i - j;
            key at{{{face[0], k}, {face[1], i}, {face[2], j}}};
            for (auto& [corner, weight] : at)
                if (weight == 0) corner = 12;  // none
            std::sort(at.begin(), at.end());
            const point flat = static_cast<double>(k) * base.corners[face[0]] +
                               static_cast<double>(i) * base.corners[face[1]] +
                               static_cast<double>(j) * base.corners[face[2]];
            return points.at(at, (1 / length(flat)) * flat);
        };
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; i + j < n; ++j) {
                made.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)});
                if (i + j + 1 < n)
                    made.triangles.push_back(
                        {vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
            }
    }
    made.vertices = std::move(points.points);
    return made;
}

mesh bumpy(std::size_t n) {
    mesh made = icosphere(n);
    for (auto& [x, y, z] : made.vertices) {
        const double r = 1 + 0.2 * std::sin(5 * x + 1) * std::sin(6 * y + 2) * std::sin(7 * z + 3) +
                         0.04 * std::sin(19 * x) * std::sin(23 * y + 1) * std::sin(21 * z + 2);
        x *= r;
        y *= 0.7 * r;
        z *= 0.45 * r;
    }
    return made;
}

mesh spheres(std::size_t n) {
    const mesh one = icosphere(n);
    mesh made;
    for (const int side : {1, -1}) {
        const auto first = static_cast<std::uint32_t>(made.vertices.size());
        for (const point& p : one.vertices)
            made.vertices.push_back(0.25 * p + point{0.5 * side, 0, 0});
        for (const triangle& t : one.triangles) {
            made.triangles.push_back({first + t[0], first + t[1], first + t[2]});
            made.signs.push_back(static_cast<std::int8_t>(side));
        }
    }
    return made;
}

mesh scan(std::size_t n) { return scanned(icosphere(n), n); }

struct shape_row {
    const char* name;
    std::size_t faces;  ///< triangles for N = 1
    mesh (*make)(std::size_t n);
};
constexpr shape_row rows[] = {{"cube", 12, cube},
                              {"icosphere", 20, icosphere},
                              {"spheres", 40, spheres},
                              {"bumpy", 20, bumpy},
                              {"scan", 20, scan}};

std::pair<const shape_row*, std::size_t> parsed(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
    for (const shape_row& row : rows) {
        if (text.substr(0, colon) != row.name) continue;
        const bool digits = !number.empty() && number.size() <= 5 &&
                            number.find_first_not_of("0123456789") == std::string::npos;
        const std::size_t n = digits ? std::stoul(number) : 0;
        if (n == 0 || n > most)
            throw usage_error("'" + text + "' is not a mesh: write for example " + row.name +
                              ":16, with a number from 1 to " + std::to_string(most));
        return {&row, n};
    }
    throw usage_error(
        "'" + text +
        "' is not a generator; known: cube:N, icosphere:N, spheres:N, bumpy:N, scan:N");
}

}  // namespace

bool names_shape(const std::string& text) {
    const std::size_t colon = text.find(':');
    return std::any_of(std::begin(rows), std::end(rows),
                       [&](const shape_row& row) { return text.substr(0, colon) == row.name; });
}

std::size_t triangles_of(const std::string& text) {
    const auto [row, n] = parsed(text);
    return row->faces * n * n;
}

mesh shape(const std::string& text) {
    const auto [row, n] = parsed(text);
    return row->make(n);
}

}  // namespace watari::hmatrix
