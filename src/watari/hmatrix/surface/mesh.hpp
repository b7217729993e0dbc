/// A surface of flat triangles, and its checks.
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
    /// By triangle: the factor of the potential, +1 or -1. Empty: +1 everywhere.
    std::vector<std::int8_t> signs{};
};

/// The findings of `checked`.
struct mesh_facts {
    std::size_t merged_vertices = 0;  ///< vertices with the coordinates of another one
    std::size_t duplicates = 0;       ///< triangles with the vertices of another one
    std::size_t zero_areas = 0;       ///< triangles without an area
    std::size_t turned = 0;           ///< triangles whose orientation was reversed
    std::size_t open_edges = 0;       ///< edges of one triangle
    std::size_t crowded_edges = 0;    ///< edges of three triangles or more
    bool one_sided = false;           ///< no orientation fits a whole part (a Moebius strip)
    std::size_t flat_parts = 0;       ///< closed parts without volume
    std::size_t parts = 0;            ///< sets of triangles connected by edges of two

    /// Sentences for the user; none for a closed surface that needed no change.
    std::vector<std::string> notes() const;
};

enum class repair { no, yes };

/// Returns the mesh with equal vertices merged, all closed parts oriented outward, and the
/// triangles of an open part oriented alike. Duplicate triangles make the matrix singular, and
/// triangles without area have no charge: repair::yes removes both. Throws usage_error for an empty
/// mesh, a vertex that does not exist or is not finite, and more than 2^31 triangles or vertices.
/// It throws for a closed part without volume, whose matrix would be singular, too.
/// Without repair it also throws for duplicates and triangles without area, with their counts.
mesh checked(mesh given, repair how, mesh_facts& facts);

}  // namespace watari::hmatrix
