/// A grid divided among ranks: split.i x split.j x split.k boxes. Arithmetic alone.
///
/// The inner points of each axis are shared out, what remains goes to the first ranks. Around its
/// points each rank has one plane more on every side: the grid's boundary, or a copy of a
/// neighbour's plane (the halo). Rank (a * split.j + b) * split.k + c has box a, b, c.
#pragma once

#include "watari/comm/mpi.hpp"

#include <array>
#include <cstddef>

namespace watari::comm {

using extents = std::array<std::size_t, 3>;  ///< along i, j, k; k is the fastest index

/// Points first <= x < first + count of an axis.
struct share {
    std::size_t first, count;
    friend bool operator==(const share&, const share&) = default;
};

/// The share of one of `parts` of `points` points.
share share_of(std::size_t points, std::size_t parts, std::size_t part);

/// The two ends of a box along one axis, below and above. A plane has rows x columns points.
struct faces {
    std::size_t axis;
    int ranks[2];          ///< the neighbours, or nobody
    std::size_t inner[2];  ///< first point of the plane that the neighbour needs
    std::size_t outer[2];  ///< first point of the plane that the neighbour fills
    std::size_t rows, columns, row_stride, column_stride;

    std::size_t points() const { return rows * columns; }
    bool contiguous() const { return column_stride == 1 && row_stride == columns; }
    bool shared() const { return ranks[0] != nobody || ranks[1] != nobody; }
};

/// One rank's box.
struct decomposition {
    extents size;    ///< with the planes around it
    extents origin;  ///< of its first point (of the plane around it), in the whole grid
    std::array<faces, 3> axes;

    /// Points of the largest plane that is exchanged.
    std::size_t largest_plane() const;
};

/// The box of a rank in a grid of `whole` points, boundary included. Throws usage_error for an axis
/// with fewer inner planes than ranks.
decomposition divide(const extents& whole, const extents& split, int rank);

}  // namespace watari::comm
