/// A CPU's stage of q and l: each face is computed once. Part of carry.hpp.
///
/// A block of rows goes up through the planes. It keeps the fluxes through the upper faces of its
/// last plane, and those through the north faces of its last row. Per cell that is three faces,
/// where each cell on its own has six. A row beside walls reads its flags as numbers as wide as
/// velocities (walls_cpu.hpp says why), and chooses without a branch.
#pragma once

#include "../../pressure/planes_cpu.hpp"
#include "carry.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace watari::cpu {

/// Cells of a row that evaporate together: as many Newton steps as the wettest of them needs.
inline constexpr index drying_cells = 64;

/// Numbers of q and of l.
template <class Real>
struct water_pair {
    Real* of[2];

    WATARI_INLINE water_pair operator+(index n) const { return {{of[0] + n, of[1] + n}}; }
};

/// The flags of a piece of a row, from the cell before it to the cell behind it, and of those north
/// of it and above it.
template <class Real>
struct flags_of_piece {
    using wide = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    static constexpr index most = same_path + 2;

    wide own[most], north[most], above[most];

    WATARI_INLINE void read(const water_stage<Real>& s, index at, index count) {
        read(own, s.f.flags + at - 1, count + 2);
        read(north, s.f.flags + at - 1 + s.step[1], count + 2);
        read(above, s.f.flags + at - 1 + s.step[2], count + 2);
    }
    WATARI_INLINE static void read(wide* to, const std::uint8_t* from, index count) {
        WATARI_VECTORS
        for (index n = 0; n < count; ++n) to[n] = from[n];
    }
};

/// Fluxes through the low faces of `count` cells. lower, higher: elements to the cells two below
/// and one above; of_below, of_above: the flags of the cells on both sides.
template <bool Walls, class Real, class Wide>
WATARI_INLINE void fill_faces(const water_stage<Real>& s, unsigned a, index at, index count,
                              index lower, index higher, const Wide* of_below, const Wide* of_above,
                              water_pair<Real> to) {
    const index left = s.step[a];
    WATARI_VECTORS
    for (index i = 0; i < count; ++i) {
        const index here = at + i;
        Wide below = 0, above = 0;
        if constexpr (Walls) below = of_below[i], above = of_above[i];
        const water_face<Real> face(s, a, here, std::bool_constant<Walls>{}, below, above);
        WATARI_UNROLLED
        for (unsigned n = 0; n < 2; ++n) {
            const Real* const q = s.f.wet[n];
            to.of[n][i] = face.flux(q[here - lower], q[here - left], q[here], q[here + higher]);
        }
    }
}

/// What a block keeps from row to row and from plane to plane: the fluxes through the south faces
/// and the lower faces of a row, which become those of the next row and plane; and room for a
/// piece.
template <class Real>
struct kept_fluxes {
    water_pair<Real> south, below, west;
};

/// One piece of a row.
template <bool Walls, class Real>
WATARI_INLINE void carry_piece(const water_stage<Real>& s, const cell& c, index count,
                               const kept_fluxes<Real>& kept) {
    constexpr std::bool_constant<Walls> walls;
    flags_of_piece<Real> flags;
    if constexpr (Walls) flags.read(s, c.at, count);
    const index row = s.step[1], plane = s.step[2];
    // no plane is two above the lid, and none is needed there
    const bool at_lid = Walls && c.k + 1 == static_cast<index>(s.f.grid.size.z);
    const index higher = at_lid ? plane : 2 * plane;
    const auto* const own_flags = Walls ? flags.own : nullptr;
    const auto* const next_flags = Walls ? flags.own + 1 : nullptr;
    fill_faces<Walls>(s, 0, c.at, count + 1, 2, 1, own_flags, next_flags, kept.west);
    WATARI_VECTORS
    for (index i = 0; i < count; ++i) {
        const index at = c.at + i;
        typename flags_of_piece<Real>::wide own = 0, north = 0, above = 0;
        if constexpr (Walls)
            own = flags.own[i + 1], north = flags.north[i + 1], above = flags.above[i + 1];
        const water_face<Real> to_north(s, 1, at + row, walls, own, north);
        const water_face<Real> upwards(s, 2, at + plane, walls, own, above);
        WATARI_UNROLLED
        for (unsigned n = 0; n < 2; ++n) {
            const Real* const q = s.f.wet[n];
            const Real* const west = kept.west.of[n];
            const Real along_y = to_north.flux(q[at - row], q[at], q[at + row], q[at + 2 * row]);
            const Real along_z = upwards.flux(q[at - plane], q[at], q[at + plane], q[at + higher]);
            Real gain = (west[i] - west[i + 1]) * s.rate[0];
            gain += (kept.south.of[n][i] - along_y) * s.rate[1];
            gain += (kept.below.of[n][i] - along_z) * s.rate[2];
            kept.south.of[n][i] = along_y;
            kept.below.of[n][i] = along_z;
            Real moved = without_traces(q[at] + gain);
            if constexpr (Walls) moved = (own & les::flag::fluid) != 0 ? moved : Real(0);
            s.f.wet_next[n][at] = moved;
        }
    }
}
template <class Real>
WATARI_CLONES void carry_row(const water_stage<Real>& given, const cell& from, index count,
                             const kept_fluxes<Real>& kept) {
    const water_stage<Real> s = given;
    for (index i = 0; i < count; i += same_path) {
        const index here = std::min(same_path, count - i);
        const cell c{from.k, from.j, i, from.at + i};
        const kept_fluxes<Real> part{kept.south + i, kept.below + i, kept.west};
        if (all_inner(s.f.far + c.at, here))
            carry_piece<false>(s, c, here, part);
        else
            carry_piece<true>(s, c, here, part);
    }
}
/// The fluxes through the south faces of a row.
template <class Real>
WATARI_CLONES void fill_south(const water_stage<Real>& given, index at, index count,
                              water_pair<Real> to) {
    const water_stage<Real> s = given;
    flags_of_piece<Real> flags;
    const index row = s.step[1];
    for (index i = 0; i < count; i += same_path) {
        const index here = std::min(same_path, count - i);
        flags.read(s, at + i - row, here);
        fill_faces<true>(s, 1, at + i, here, 2 * row, row, flags.own + 1, flags.north + 1, to + i);
    }
}

/// Evaporation in a row that carry_row has written.
template <class Real>
WATARI_CLONES void dry_row(const flow_arguments<Real>& f, const les::drying<Real>& given, index at,
                           index count) {
    using wide = typename flags_of_piece<Real>::wide;
    const les::drying<Real> by = given;
    for (index i = 0; i < count; i += drying_cells) {
        const index here = std::min(drying_cells, count - i);
        Real* const theta = f.next.theta + at + i;
        Real *const q = f.wet_next[0] + at + i, *const l = f.wet_next[1] + at + i;
        Real e[drying_cells];
        wide fluid[drying_cells], dense = 0;
        for (index n = 0; n < here; ++n) fluid[n] = f.flags[at + i + n] & les::flag::fluid;
        WATARI_VECTORS
        for (index n = 0; n < here; ++n) e[n] = damp_air<Real>{by, theta[n], q[n]}.step(0);
        for (index n = 0; n < here; ++n)
            dense |= damp_air<Real>::has_room(l[n], e[n]) ? wide(0) : fluid[n];
        if (dense != 0) {
            WATARI_VECTORS
            for (index n = 0; n < here; ++n) {
                const Real last = damp_air<Real>{by, theta[n], q[n]}.last(e[n]);
                e[n] = damp_air<Real>::has_room(l[n], e[n]) ? e[n] : last;
            }
        }
        WATARI_VECTORS
        for (index n = 0; n < here; ++n) {
            const Real all = damp_air<Real>{by, theta[n], q[n]}.taken(l[n], e[n]);
            const Real some = fluid[n] != 0 ? all : Real(0);
            q[n] += some;
            l[n] -= some;
            theta[n] -= by.cooling * some;
        }
    }
}

/// Goes up with rows first to last. dry(at): for each row.
template <class Real, class Dry>
void carry_block(const water_stage<Real>& s, index first, index last, const Dry& dry) {
    const les::grid& g = s.f.grid;
    const index count = g.size.x, rows = last - first, part = same_path + 16;
    const index whole = count * (rows + 1);
    Real* const room = row_scratch<Real>(2 * (whole + part));
    const auto pair = [room](index begin, index size) {
        return water_pair<Real>{{room + 2 * begin, room + 2 * begin + size}};
    };
    kept_fluxes<Real> kept{pair(0, count), {}, pair(whole, part)};
    std::fill_n(room, 2 * whole, Real(0));  // the ground lets nothing through
    for (index k = 0; k < g.size.z; ++k) {
        fill_south(s, g.at(k, first, 0), count, kept.south);
        for (index j = first; j < last; ++j) {
            kept.below = pair(count * (1 + j - first), count);
            const index at = g.at(k, j, 0);
            carry_row(s, {k, j, 0, at}, count, kept);
            dry(at);
        }
    }
}

template <class Real, class Dry>
void carry_rows(const flow_arguments<Real>& f, Real tau, const Dry& dry) {
    const water_stage<Real> s(f, tau);
    for_each_block(f.grid, 1, [&](index first, index last) { carry_block(s, first, last, dry); });
}
template <class Real>
void carry(const flow_arguments<Real>& f, Real tau, stream_t) {
    carry_rows(f, tau, [](index) {});
}
template <class Real>
void carry_and_dry(const flow_arguments<Real>& f, Real tau, const les::drying<Real>& by, stream_t) {
    carry_rows(f, tau, [&](index at) { dry_row(f, by, at, f.grid.size.x); });
}

}  // namespace watari::cpu
