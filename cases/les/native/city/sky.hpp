/// The sky that a facet sees, from the map of heights. For each of 16 azimuths: the angle b of the
/// horizon within ten heights of the tallest building, in steps of half a cell.
///
///     up    F = mean of cos^2 b
///     wall  F = sum over azimuths before it of cos(az) ((pi/2 - b)/2 - sin(2b)/4) daz / pi
#pragma once

#include "../les.hpp"

#include <cstddef>

namespace watari::les {

struct view {
    double sky;  ///< F, the share of the sky
    bool lit;    ///< the sun, at 45 degrees in the south (-y), is above the horizon
};

/// Returns the view from a facet of the whole city's cell (k, j, i); `top`: the result of
/// `tallest`.
view view_from(const parameters& p, double top, unsigned direction, std::size_t k, std::size_t j,
               std::size_t i);

/// Returns the height of the tallest building, in metres.
double tallest(const parameters& p);

}  // namespace watari::les
