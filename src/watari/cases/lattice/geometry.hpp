/// Where the sites of a periodic four-dimensional lattice lie in memory.
///
/// Sites of one parity, (x + y + z + t) mod 2, are numbered with t fastest: a row (x, y, z) has
/// row() of them, t = 2 h + 0 or 1. The neighbour along x, y and z of site h of a row is site h of
/// another row; along t it is h of the same row or h +- 1.
///
/// A field has components at each site. `lanes` sites lie side by side: component a of site i is
/// element (i / lanes, a, i % lanes) of an array [half / lanes][components][lanes]. So the threads
/// of a warp (lanes = 32) and the vectors of a CPU (lanes = 8) read what lies together.
#pragma once

#include <cstddef>

namespace watari::lattice {

struct extents {
    std::size_t x = 0, y = 0, z = 0, t = 0;

    constexpr std::size_t sites() const { return x * y * z * t; }
    constexpr std::size_t half() const { return sites() / 2; }
    constexpr std::size_t row() const { return t / 2; }
};

struct geometry {
    extents size;
    std::size_t lanes = 1;

    constexpr std::size_t element(std::size_t components, std::size_t site, std::size_t a) const {
        return site / lanes * components * lanes + a * lanes + site % lanes;
    }
};

/// A site by its coordinates.
struct point {
    std::size_t at[4];  ///< x, y, z, t

    constexpr unsigned parity() const { return (at[0] + at[1] + at[2] + at[3]) % 2; }
};

constexpr std::size_t extent(const extents& size, unsigned direction) {
    return direction == 0 ? size.x : direction == 1 ? size.y : direction == 2 ? size.z : size.t;
}

/// Its number among those of its parity.
constexpr std::size_t number_of(const extents& size, const point& p) {
    return ((p.at[0] * size.y + p.at[1]) * size.z + p.at[2]) * size.row() + p.at[3] / 2;
}

/// Site `number` of a parity.
constexpr point point_of(const extents& size, unsigned parity, std::size_t number) {
    const std::size_t h = number % size.row(), row = number / size.row();
    point p{{row / size.z / size.y, row / size.z % size.y, row % size.z, 2 * h}};
    p.at[3] += (p.at[0] + p.at[1] + p.at[2] + parity) % 2;
    return p;
}

/// The neighbour a step along a direction, forward or backward.
constexpr point moved(const extents& size, point p, unsigned direction, bool forward) {
    const std::size_t all = extent(size, direction);
    p.at[direction] = (p.at[direction] + (forward ? 1 : all - 1)) % all;
    return p;
}

}  // namespace watari::lattice
