/// Blocks of rows that go up through all planes, and the planes that a block keeps. For
/// blocks_cpu.hpp.
#pragma once

#include "sweeps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace watari::cpu {

/// Cells of a block's plane: three planes of two vectors are half of an L2 cache of 1 MB.
inline constexpr std::size_t block_cells = 16384;

/// The last three planes of a vector, in rows that are periodic in x.
template <class Real>
struct three_planes {
    Real* data;
    index row, rows;  ///< elements of a row, rows of a plane
    offset first;     ///< first row of a plane, in the grid

    static constexpr index ends = 16;  ///< room before a row and after it: rows begin aligned
    static constexpr index row_of(index cells) { return (cells + ends - 1) / ends * ends + ends; }

    WATARI_INLINE Real* operator()(offset k, offset j) const {
        const auto plane = static_cast<index>(k + 3) % 3;
        return data + ends + (plane * rows + static_cast<index>(j - first)) * row;
    }
    WATARI_INLINE in_rows<Real> around(offset k, offset j) const {
        const auto& v = *this;
        return {v(k, j) - 1, {v(k, j - 1), v(k, j + 1), v(k - 1, j), v(k + 1, j)}, 0};
    }
};

/// Returns planes of two vectors in memory of this thread, for a block's rows and two on either
/// side.
template <class Real>
std::array<three_planes<Real>, 2> planes_of_block(const les::grid& g, index first, index last) {
    using planes = three_planes<Real>;
    const index row = planes::row_of(g.size.x), rows = last - first + 4, all = 3 * rows * row;
    Real* const room = row_scratch<Real>(2 * (all + planes::ends));
    const offset begin = static_cast<offset>(first) - 2;
    return {planes{room, row, rows, begin}, planes{room + all, row, rows, begin}};
}

/// Calls work(first, last) for blocks of rows of a plane, each a multiple of `least` rows.
template <class Work>
void for_each_block(const les::grid& g, index least, const Work& work) {
    const index most = std::max<index>(block_cells / g.size.x / least, 1) * least;
    const auto run = [=](index part, index end) {
        for (index j = part * least; j < end * least; j += most)
            work(j, std::min(j + most, end * least));
    };
    const index parts = g.size.y / least;
    g.size.cells() < least_shared ? run(0, parts) : for_each_part(parts, run);
}

/// Returns the first cell of a row of a periodic grid, or of a row of its halo.
inline cell row_around(const les::grid& g, offset k, offset j) {
    const auto all = static_cast<offset>(g.size.y);
    const auto inside = static_cast<index>(g.around_y ? (j % all + all) % all : j),
               up = static_cast<index>(k);
    return {up, inside, 0, g.at(up, inside, 0)};
}

/// `to` = a computed vector, in a row and its ends.
template <class Vector, class Real>
WATARI_CLONES void fill_around(const Vector& given, const cell& from, index count, Real* to) {
    const Vector x = given;
    x.fill(to, from, count, 0, 0, 0);
    to[-1] = to[count - 1], to[count] = to[0];
}

}  // namespace watari::cpu
