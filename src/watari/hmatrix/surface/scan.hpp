/// A surface as a scanner leaves it, by a formula: thin parts, sharp edges, triangles of every
/// shape.
///
/// Vertex k of an icosphere moves along the sphere by 0.342 / N, in the direction 2 pi {k g}, where
/// {} is the fraction and g the golden section: neighbours differ. Then z becomes
/// (0.02 + 0.98 |z|) z, and the point is brought back to the sphere: triangles about z = 0 are
/// thin. At last u = (x, y, z) moves to (r x, 0.7 r y, 0.45 r z), with r =
///
///     1 + 0.1 sin(5x+1) sin(6y+2) sin(7z+3)             a body
///     + 0.06 |sin(9x+2y) sin(8z-x)|                     its creases
///     + 1.2 exp(-|z|/0.03 - (2-2y)^2)                   a crest, 0.03 thick
///     + h exp(-a/w) for each horn                       a: the angle to its direction
///
/// Closed, star-shaped, never crosses itself. N = 71 has 100,820 triangles.
#pragma once

#include "watari/hmatrix/surface/mesh.hpp"

#include <cstddef>

namespace watari::hmatrix {

/// `sphere` is an icosphere whose faces are cut into n^2.
mesh scanned(mesh sphere, std::size_t n);

}  // namespace watari::hmatrix
