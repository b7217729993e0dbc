/// Memory layout of the sites of a periodic four-dimensional lattice.
///
/// Sites of one parity, (x + y + z + t) mod 2, are numbered with t fastest: a row (x, y, z) has
/// row() of them, t = 2 h + 0 or 1. The neighbour along x, y and z of site h of a row is site h of
/// another row; along t it is h of the same row or h +- 1.
///
/// A field has components at each site. The same component of `lanes` sites, a power of two, is
/// contiguous: component a of site i is element (i / lanes, a, i % lanes) of an array
/// [half / lanes][components][lanes]. So a warp (lanes = 32) or a vector of a CPU (lanes = 8) reads
/// contiguous memory.
///
/// Functions that kernels call are always inlined: GCC then needs no mark to compile them for a
/// GPU.
#pragma once

#include <array>
#include <cstddef>

namespace watari::lattice {

/// At most 2^31 sites of a parity: a site number has 32 bits.
struct extents {
    unsigned x = 0, y = 0, z = 0, t = 0;

    constexpr std::size_t sites() const { return std::size_t{x} * y * z * t; }
    constexpr std::size_t half() const { return sites() / 2; }
    constexpr unsigned row() const { return t / 2; }
};
/// The members in the order of a text such as 4x4x4. No static member: OpenMP maps no type with
/// one.
constexpr auto in_order(const extents*) {
    return std::array{&extents::x, &extents::y, &extents::z, &extents::t};
}

/// The coordinates of a site.
struct point {
    unsigned at[4]{};  ///< x, y, z, t

    constexpr unsigned parity() const { return (at[0] + at[1] + at[2] + at[3]) & 1; }
};

struct geometry {
    extents size;  ///< of one rank's part
    unsigned log2_lanes = 0;
    extents whole{};  ///< of all ranks; 0: one rank has the whole lattice
    point origin{};   ///< of the part in the whole lattice; all even, so parities agree

    constexpr const extents& all() const { return whole.x == 0 ? size : whole; }

    constexpr unsigned lanes() const { return 1u << log2_lanes; }
    /// Index of component 0 of a site; component k lies k * lanes elements further.
    constexpr std::size_t first(unsigned components, unsigned site) const {
        return (std::size_t{site >> log2_lanes} * components << log2_lanes) +
               (site & (lanes() - 1));
    }
    constexpr std::size_t element(unsigned components, unsigned site, unsigned a) const {
        return first(components, site) + (std::size_t{a} << log2_lanes);
    }
};

[[gnu::always_inline]] constexpr unsigned extent(const extents& size, unsigned direction) {
    return direction == 0 ? size.x : direction == 1 ? size.y : direction == 2 ? size.z : size.t;
}

/// The number of a site among the sites of its parity.
[[gnu::always_inline]] constexpr unsigned number_of(const extents& size, const point& p) {
    return ((p.at[0] * size.y + p.at[1]) * size.z + p.at[2]) * size.row() + p.at[3] / 2;
}

/// Site `number` of a parity.
[[gnu::always_inline]] constexpr point point_of(const extents& size, unsigned parity,
                                                unsigned number) {
    const unsigned row = number / size.row(), h = number - row * size.row();
    const unsigned column = row / size.z, x = column / size.y;
    point p{{x, column - x * size.y, row - column * size.z, 2 * h}};
    p.at[3] += (p.at[0] + p.at[1] + p.at[2] + parity) & 1;
    return p;
}

/// The neighbour one step along a direction, forward or backward.
[[gnu::always_inline]] constexpr point moved(const extents& size, point p, unsigned direction,
                                             bool forward) {
    const unsigned last = extent(size, direction) - 1, at = p.at[direction];
    p.at[direction] = forward ? (at == last ? 0 : at + 1) : (at == 0 ? last : at - 1);
    return p;
}

/// The coordinates in the whole lattice of a point of a part.
constexpr point in_whole(const geometry& where, point p) {
    for (unsigned d = 0; d < 4; ++d) p.at[d] += where.origin.at[d];
    return p;
}

/// The coordinates in a part of a point of the whole lattice. They are beyond the extents of the
/// part if the point belongs to another rank.
constexpr point in_part(const geometry& where, point p) {
    for (unsigned d = 0; d < 4; ++d) p.at[d] -= where.origin.at[d];
    return p;
}
constexpr bool has(const extents& size, const point& p) {
    return p.at[0] < size.x && p.at[1] < size.y && p.at[2] < size.z && p.at[3] < size.t;
}

/// Sites of one parity in a face, the plane of a part at one end of a direction.
[[gnu::always_inline]] constexpr std::size_t face_sites(const extents& size, unsigned direction) {
    return size.half() / extent(size, direction);
}

/// The number of a site in a face; its neighbour beyond the face has the same number.
[[gnu::always_inline]] constexpr unsigned face_number(const extents& size, unsigned direction,
                                                      const point& p) {
    const unsigned slow = p.at[direction == 0 ? 1 : 0], next = p.at[direction < 2 ? 2 : 1];
    const unsigned count = extent(size, direction < 2 ? 2 : 1);
    if (direction == 3) return (slow * count + next) * (size.z / 2) + p.at[2] / 2;
    return (slow * count + next) * size.row() + p.at[3] / 2;
}

/// Site `number` of a parity in the face at coordinate `at`.
[[gnu::always_inline]] constexpr point face_point(const extents& size, unsigned direction,
                                                  unsigned at, unsigned parity, unsigned number) {
    const unsigned fast = direction == 3 ? size.z / 2 : size.row();
    const unsigned next = direction < 2 ? 2 : 1, count = extent(size, next);
    const unsigned pair = number % fast, rest = number / fast;
    point p;
    p.at[direction] = at;
    p.at[next] = rest % count;
    p.at[direction == 0 ? 1 : 0] = rest / count;
    unsigned& last = p.at[direction == 3 ? 2 : 3];
    last = 2 * pair;
    last += (p.parity() + parity) & 1;
    return p;
}

/// Complex components of half a spinor.
inline constexpr unsigned half_spinor = 6;

/// Index of one neighbour's first number in the array of the half spinors of all neighbours. The
/// order is by divided direction, below before above. `split`: ranks along each direction.
[[gnu::always_inline]] constexpr std::size_t halo_begin(const extents& size, const extents& split,
                                                        unsigned direction, bool above) {
    std::size_t sites = 0;
    for (unsigned d = 0; d < direction; ++d)
        if (extent(split, d) > 1) sites += 2 * face_sites(size, d);
    return half_spinor * (sites + (above ? face_sites(size, direction) : 0));
}
/// Complex numbers of the half spinors of all neighbours.
constexpr std::size_t halo_numbers(const extents& size, const extents& split) {
    return halo_begin(size, split, 4, false);
}

}  // namespace watari::lattice
