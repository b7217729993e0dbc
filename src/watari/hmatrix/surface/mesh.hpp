/// A surface of flat triangles, and what can be wrong with one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace watari::hmatrix {

struct point {
    double x, y, z;

    friend constexpr point operator+(point a, point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend constexpr point operator-(point a, point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend constexpr point operator*(double s, point a) { return {s * a.x, s * a.y, s * a.z}; }
    friend bool operator==(const point&, const point&) = default;
    friend auto operator<=>(const point&, const point&) = default;
};

using triangle = std::array<std::uint32_t, 3>;  ///< numbers of vertices

struct mesh {
    std::vector<point> vertices;
    std::vector<triangle> triangles;
    /// By triangle: +1 or -1 times the potential. Empty: +1 everywhere.
    std::vector<std::int8_t> signs{};
};

/// What `checked` saw.
struct mesh_facts {
    std::size_t merged_vertices = 0;  ///< had the coordinates of another one
    std::size_t duplicates = 0;       ///< triangles with the vertices of another one
    std::size_t zero_areas = 0;       ///< triangles without an area
    std::size_t turned = 0;           ///< triangles whose orientation was reversed
    std::size_t open_edges = 0;       ///< edges of one triangle
    std::size_t crowded_edges = 0;    ///< edges of three triangles or more
    bool one_sided = false;           ///< no orientation fits all of a part (a Moebius strip)
    std::size_t parts = 0;            ///< connected by edges of two triangles

    /// Sentences for people; none for a closed surface that needed nothing.
    std::vector<std::string> notes() const;
};

enum class repair { no, yes };

/// The mesh with equal vertices merged, all closed parts oriented outward, the triangles of an open
/// part oriented alike. Duplicate triangles make the matrix singular, and triangles without area
/// have no charge: these are removed with repair::yes. Throws usage_error for an empty mesh, a
/// vertex that is not there or not finite, more than 2^31 triangles, and, without repair, for these
/// triangles, with their counts.
mesh checked(mesh given, repair how, mesh_facts& facts);

}  // namespace watari::hmatrix
