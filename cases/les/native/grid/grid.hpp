/// The place of a cell in memory: [z][y][x], x fastest, with a halo of one cell around, or of more
/// rows.
///
/// A horizontal plane is contiguous, and so is all air below the tallest roof. Planes -1 and nz are
/// ground and lid, and hold only zeros. Velocities are at the low faces of a cell, everything else
/// is in its centre.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace watari::les {

/// Cells along each axis.
struct extents {
    std::size_t x = 0, y = 0, z = 0;

    constexpr std::size_t cells() const { return x * y * z; }
    friend bool operator==(const extents&, const extents&) = default;
};
/// The members in the order of a text such as 4x4x4. No static member: OpenMP maps no type with
/// one.
constexpr auto in_order(const extents*) {
    return std::array{&extents::x, &extents::y, &extents::z};
}

constexpr std::size_t along(const extents& e, unsigned axis) {
    return axis == 0 ? e.x : axis == 1 ? e.y : e.z;
}
constexpr std::size_t& along(extents& e, unsigned axis) {
    return axis == 0 ? e.x : axis == 1 ? e.y : e.z;
}

/// Rows of the halo of a part that computes some of its neighbours' rows too.
inline constexpr std::size_t deep_halo = 3;
/// Rows and cells of the halo of a finest level with fluxes that read two cells upwind.
inline constexpr std::size_t wide_halo = 2;
/// Elements of a row before its first cell. The first cell is at a multiple of eight elements, so
/// that one word holds several cells. The halo cell after a row lies in this room before the next
/// row.
inline constexpr std::size_t row_lead = 8;

/// A box of cells: the whole city, one rank's part of it, or a coarser level of either. No static
/// member: OpenMP maps no type with one.
struct grid {
    extents size;
    extents origin{};  ///< of the box in the whole grid
    /// Whether the box is periodic by itself along x and y: a kernel that writes cells then writes
    /// their copies in the halo. If not, ranks exchange the halo of that axis.
    bool around_x = true, around_y = true;
    /// Rows of each plane's halo, below its first row and above its last one.
    std::size_t below = 1, above = 1;

    /// Whether one rank has the whole grid.
    constexpr bool whole() const { return around_x && around_y; }
    /// Whether consecutive sweeps need no exchange between them.
    constexpr bool unbroken() const { return around_x && (around_y || below >= deep_halo); }
    /// Returns the grid of `count` rows of the same arrays from row `first` on; rows of the halo
    /// are allowed.
    constexpr grid rows_from(std::ptrdiff_t first, std::size_t count) const {
        grid result = *this;
        const auto moved = static_cast<std::size_t>(first);
        result.below += moved, result.origin.y += moved;
        result.size.y = count;
        result.above = above + size.y - moved - count;
        return result;
    }
    /// Elements from a row to the next.
    [[gnu::always_inline]] constexpr std::size_t row() const {
        return (size.x + 7) / 8 * 8 + row_lead;
    }
    [[gnu::always_inline]] constexpr std::size_t plane() const {
        return row() * (below + size.y + above);
    }
    /// Elements of an array over the grid.
    constexpr std::size_t points() const { return plane() * (size.z + 2) + row_lead; }
    constexpr std::size_t stride(unsigned axis) const {
        return axis == 0 ? 1 : axis == 1 ? row() : plane();
    }
    [[gnu::always_inline]] constexpr std::size_t at(std::size_t k, std::size_t j,
                                                    std::size_t i) const {
        return (k + 1) * plane() + (j + below) * row() + i + row_lead;
    }
    constexpr std::size_t rows() const { return size.y * size.z; }
};

/// The flags of a cell. A face between two cells of air is open; a closed face has velocity 0.
namespace flag {
inline constexpr std::uint8_t fluid = 1;
inline constexpr std::uint8_t inner = 16;  ///< all 26 neighbours are fluid
inline constexpr std::uint8_t all = 255;   ///< the flags of an `inner` cell
[[gnu::always_inline]] constexpr std::uint8_t low(unsigned axis) {
    return static_cast<std::uint8_t>(2u << axis);
}
[[gnu::always_inline]] constexpr std::uint8_t high(unsigned axis) {
    return static_cast<std::uint8_t>(32u << axis);
}
}  // namespace flag

/// Cells of a row whose products are summed together, as one piece of the fixed tree.
constexpr std::size_t piece_of(std::size_t row_cells) {
    return row_cells % 128 == 0 ? 128 : row_cells;
}

}  // namespace watari::les
