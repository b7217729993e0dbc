/// Meshes by a formula: `cube:N`, `icosphere:N`, `spheres:N`, `bumpy:N`,
/// `scan:N`.
///
///     cube       edge 1, N x N squares a face, each cut along its (0,0)-(1,1) diagonal; 12 N^2
///     icosphere  radius 1, each face of an icosahedron cut into N^2; 20 N^2
///     spheres    two icospheres of radius 1/4, centres 1 apart, at +V and -V; 40 N^2
///     bumpy      an icosphere whose points u = (x, y, z) move to (r x, 0.7 r y, 0.45 r z), with
///                r = 1 + 0.2 sin(5x+1) sin(6y+2) sin(7z+3) + 0.04 sin(19x) sin(23y+1) sin(21z+2);
///                closed, star-shaped; 20 N^2
///     scan       as a scanned model: thin parts, sharp edges, slivers; 20 N^2 (scan.hpp)
#pragma once

#include "watari/hmatrix/surface/mesh.hpp"

#include <string>

namespace watari::hmatrix {

/// Whether a text names a generator, such as `cube:4`, well-formed or not.
bool names_shape(const std::string& text);

/// Triangles of a shape. Throws usage_error for another text, N = 0, N beyond 10000.
std::size_t triangles_of(const std::string& text);

/// The mesh of a shape. Throws usage_error.
mesh shape(const std::string& text);

}  // namespace watari::hmatrix
