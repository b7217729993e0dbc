// Cities whose facets see each other, for tests of radiation.
#pragma once

#include "small_city.hpp"

namespace watari::les {

/// A long street along y, `width` cells between walls of `height` cells.
inline parameters street(std::size_t width, std::size_t height, std::size_t length = 8) {
    const std::size_t x = width + 8;
    parameters p = city_of({x, length, 2 * height}, 1);
    for (std::size_t j = 0; j < length; ++j)
        for (std::size_t i = width; i < x; ++i)
            p.heights[j * x + i] = static_cast<std::uint16_t>(height);
    return p;
}

/// Two buildings of 5 and 9 cells.
inline parameters two_blocks() {
    parameters p = city_of({24, 16, 16}, 2, 3, 9, 5);
    for (std::size_t j = 6; j < 14; ++j)
        for (std::size_t i = 14; i < 20; ++i) p.heights[j * 24 + i] = 9;
    return p;
}

}  // namespace watari::les
