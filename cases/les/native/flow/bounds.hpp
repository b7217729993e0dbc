/// The bounds of a right flow; cases/les/README.md has the measurements behind them.
///
///     the first Courant number   1.2    below the next one, since a flow becomes faster
///     a later Courant number     1.73   sqrt(3): three stages and central differences are stable
///     the same, advection=third  1.61   Wicker and Skamarock (2002)
///     4 nu dt / d^2              2      2.51 is the limit of three stages on the real axis
///     divergence, one cycle      5e-4   ten times the largest that was measured
///     two cycles or more         1e-5   ten times the largest of two cycles; more cycles have less
///     a grid that is not halved  1e-2   twice the largest that was measured
///
/// The multigrid halves an axis as long as its number of cells is even. If the coarsest level has
/// an axis of more than 5 cells, its sweeps do not solve it, and the divergence is larger.
///
/// A Courant number is the largest sum of |u| dt / d of a cell. Divergence is its root mean square
/// over the cells of air, in U/dx, where U is the root mean square of the speed.
#pragma once

#include "../les.hpp"

#include <cstddef>

namespace watari::les {

inline constexpr double first_courant = 1.2, first_diffusion = 2.0;

constexpr double most_courant(advection of) { return of == advection::third ? 1.61 : 1.73; }

/// Whether every axis of a grid is halved to 5 cells or fewer.
constexpr bool is_halved(const extents& whole) {
    for (std::size_t cells : {whole.x, whole.y, whole.z}) {
        while (cells % 2 == 0) cells /= 2;
        if (cells > 5) return false;
    }
    return true;
}

constexpr double most_divergence(const extents& whole, int cycles) {
    return !is_halved(whole) ? 1e-2 : cycles == 1 ? 5e-4 : 1e-5;
}

}  // namespace watari::les
