/// A grid divided among ranks, one box per rank. Arithmetic only.
///
/// A grid has up to four axes, the fastest index last. The inner points of each axis are
/// distributed in blocks; the first ranks get the remaining blocks. Around its inner points each
/// rank has `depth` planes on either side: the grid's boundary, or copies of a neighbour's planes
/// (the halo). Along a periodic axis every point is an inner point, and the first and the last rank
/// are neighbours: a rank alone on the axis is its own neighbour. The last axis of a split is the
/// fastest in a rank's number: with three axes, rank (a * split[1] + b) * split[2] + c has box a,
/// b, c.
#pragma once

#include "watari/comm/mpi.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>

namespace watari::comm {

inline constexpr std::size_t most_axes = 4;

/// A number for each axis of a grid; those beyond its last axis are 1.
class extents {
public:
    constexpr extents() = default;
    constexpr extents(std::initializer_list<std::size_t> values) {
        for (const std::size_t value : values) each_[axes_++] = value;
    }
    /// The same number for each of some axes.
    static constexpr extents filled(std::size_t axes, std::size_t value) {
        extents result;
        for (result.axes_ = 0; result.axes_ < axes;) result.each_[result.axes_++] = value;
        return result;
    }

    constexpr std::size_t axes() const { return axes_; }
    constexpr std::size_t& operator[](std::size_t axis) { return each_[axis]; }
    constexpr std::size_t operator[](std::size_t axis) const { return each_[axis]; }
    constexpr std::size_t product() const { return each_[0] * each_[1] * each_[2] * each_[3]; }
    friend bool operator==(const extents&, const extents&) = default;

private:
    std::array<std::size_t, most_axes> each_{1, 1, 1, 1};
    std::size_t axes_ = 0;
};

/// One flag for each axis.
using by_axis = std::array<bool, most_axes>;

/// Points first <= x < first + count of an axis.
struct share {
    std::size_t first, count;
    friend bool operator==(const share&, const share&) = default;
};

/// The share number `part` of `parts` shares of `points` points, in whole blocks of `block` points.
/// `points` is a multiple of `block`.
share share_of(std::size_t points, std::size_t parts, std::size_t part, std::size_t block = 1);

/// The grid that is divided.
struct grid {
    extents points;  ///< with `depth` planes at either end of an axis that is not periodic
    extents split;   ///< ranks along each axis
    by_axis periodic{};
    std::size_t depth = 1;                               ///< planes of the halo
    extents blocks = extents::filled(points.axes(), 1);  ///< a share is a multiple of these

    /// Points of an axis that are distributed among ranks.
    std::size_t inner(std::size_t axis) const;
    std::size_t ranks() const { return split.product(); }
};

/// The grid with half as many inner points along the `halved` axes and the same depth of halo. It
/// is divided likewise, so each rank's box has half of its points along these axes. Throws
/// usage_error for an axis whose blocks are odd.
grid coarser(const grid& fine, const by_axis& halved);

/// The two ends of a box along one axis, below and above. At each end `depth` planes are exchanged;
/// a plane has all points of the other axes, with their halo. A buffer holds plane after plane.
struct faces {
    struct loop {
        std::size_t count = 1, stride = 0;  ///< points
    };

    std::size_t axis = 0;
    int ranks[2]{nobody, nobody};         ///< the neighbours, or nobody
    std::size_t inner[2]{};               ///< first point of the planes that the neighbour needs
    std::size_t outer[2]{};               ///< first point of the planes that the neighbour fills
    std::array<loop, most_axes> loops{};  ///< over the points of one end; the last is the fastest

    std::size_t points() const;
    bool contiguous() const;
    bool shared() const { return ranks[0] != nobody || ranks[1] != nobody; }
};

/// One rank's box.
struct decomposition {
    int rank = 0;
    std::size_t depth = 1;
    extents size;                          ///< points, with the planes around it
    std::array<share, most_axes> inner{};  ///< its points, in the whole grid
    std::array<faces, most_axes> axes{};

    /// The first point of the box in the whole grid, with the planes around it. Only for axes that
    /// are not periodic.
    std::size_t origin(std::size_t axis) const { return inner[axis].first - depth; }
    /// Points of the largest end that is exchanged.
    std::size_t largest_face() const;
};

/// The box of a rank. Throws usage_error if an axis has fewer blocks than ranks or is not a
/// multiple of its block, or if a share is thinner than the halo.
decomposition divide(const grid& whole, int rank);

}  // namespace watari::comm
