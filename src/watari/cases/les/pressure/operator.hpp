/// The operator of the pressure in one cell, and the vectors that it is applied to.
#pragma once

#include "watari/cases/les/grid/loops.hpp"
#include "watari/cases/les/pressure/level.hpp"

#include <cstdint>
#include <type_traits>

namespace watari::WATARI_BACKEND {

/// A vector by the offset to a cell's neighbour: here as it lies in memory.
template <class Real>
struct in_array {
    const Real* data;

    WATARI_INLINE Real operator()(const cell& c, int, int, int, offset step = 0) const {
        return data[static_cast<offset>(c.at) + step];
    }
};

/// The flags of a part of a row as numbers as wide as others: bytes beside these would be vectors
/// of four times more lanes, each number in four registers. For CPUs.
template <class Real>
struct wide_flags {
    using wide = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    const wide* of;
    index first;

    wide operator[](index at) const { return of[at - first]; }
};

/// The finest level: open faces are bits of the flag.
template <class Real, class Flags = const std::uint8_t*>
struct fine_operator {
    Flags flags;
    const Real* table;  ///< 1 / diagonal, by the flag
    Real per_d2[3];
    index row, plane;

    constexpr fine_operator(Flags own, const Real* by_flag, const Real (&d2)[3], index y, index z)
        : flags(own), table(by_flag), per_d2{d2[0], d2[1], d2[2]}, row(y), plane(z) {}
    constexpr explicit fine_operator(const les::level<Real>& l)
        : flags(l.flags),
          table(l.inverse),
          per_d2{l.per_d2[0], l.per_d2[1], l.per_d2[2]},
          row(static_cast<index>(l.grid.row())),
          plane(static_cast<index>(l.grid.plane())) {}

    WATARI_INLINE Real low_face(index at, unsigned axis) const {
        return flags[at] & les::flag::low(axis) ? per_d2[axis] : Real(0);
    }
    template <bool Walls, class Vector>
    WATARI_INLINE Real apply(const Vector& x, const cell& c) const {
        const auto along_y = static_cast<offset>(row);
        const auto along_z = static_cast<offset>(plane);
        const Real own = x(c, 0, 0, 0, 0);
        const Real low[3] = {own - x(c, 0, 0, -1, -1), own - x(c, 0, -1, 0, -along_y),
                             own - x(c, -1, 0, 0, -along_z)};
        const Real high[3] = {own - x(c, 0, 0, 1, 1), own - x(c, 0, 1, 0, along_y),
                              own - x(c, 1, 0, 0, along_z)};
        Real sum = 0;
        for (unsigned a = 0; a < 3; ++a) {
            const auto f = flags[c.at];
            const Real l = !Walls || (f & les::flag::low(a)) ? low[a] : Real(0);
            const Real h = !Walls || (f & les::flag::high(a)) ? high[a] : Real(0);
            sum += per_d2[a] * (l + h);
        }
        return sum;
    }
    /// 1 / diagonal; 0 where no face is open. Without walls it is the same everywhere.
    template <bool Walls = true>
    WATARI_INLINE Real inverse(index at) const {
        return table[Walls ? flags[at] : les::flag::all];
    }
    /// Whether cells of a row have no walls beside them. For CPUs.
    bool has_walls(index at, index count) const { return !all_inner(flags + at, count); }
    /// Itself for `count` cells of a row, whose flags it writes to `own`. For CPUs.
    template <class Wide>
    fine_operator<Real, wide_flags<Real>> in_row(index at, index count, Wide* own) const {
        WATARI_VECTORS
        for (index n = 0; n < count; ++n) own[n] = flags[at + n];
        return {{own, at}, table, per_d2, row, plane};
    }
};

/// A coarser level: coefficients of faces in memory.
template <class Real>
struct coarse_operator {
    const std::uint8_t* flags = nullptr;
    const Real *face[3], *inverse_diagonal;
    index row, plane;

    constexpr explicit coarse_operator(const les::level<Real>& l)
        : face{l.face[0], l.face[1], l.face[2]},
          inverse_diagonal(l.inverse),
          row(static_cast<index>(l.grid.row())),
          plane(static_cast<index>(l.grid.plane())) {}

    WATARI_INLINE Real low_face(index at, unsigned axis) const { return face[axis][at]; }
    template <bool Walls, class Vector>
    WATARI_INLINE Real apply(const Vector& x, const cell& c) const {
        const auto along_y = static_cast<offset>(row);
        const auto along_z = static_cast<offset>(plane);
        const Real own = x(c, 0, 0, 0, 0);
        return ((face[0][c.at] * (own - x(c, 0, 0, -1, -1)) +
                 face[0][c.at + 1] * (own - x(c, 0, 0, 1, 1))) +
                (face[1][c.at] * (own - x(c, 0, -1, 0, -along_y)) +
                 face[1][c.at + row] * (own - x(c, 0, 1, 0, along_y)))) +
               (face[2][c.at] * (own - x(c, -1, 0, 0, -along_z)) +
                face[2][c.at + plane] * (own - x(c, 1, 0, 0, along_z)));
    }
    template <bool Walls = true>
    WATARI_INLINE Real inverse(index at) const {
        return inverse_diagonal[at];
    }
    constexpr bool has_walls(index, index) const { return false; }
    template <class Wide>
    constexpr const coarse_operator& in_row(index, index, Wide*) const {
        return *this;
    }
};

/// Calls work(operator) with the one of this level.
template <class Real, class Work>
void with_operator(const les::level<Real>& l, const Work& work) {
    l.finest() ? work(fine_operator<Real>(l)) : work(coarse_operator<Real>(l));
}

/// The one array that a loop writes.
template <class Real>
constexpr written<Real> only(Real* array) {
    return {{array}, 1};
}

/// The cells of a coarser level that this part writes, and where they begin in its arrays: not at
/// 0 where every rank has all of that level.
struct own_cells {
    les::grid cells;
    std::size_t y = 0, x = 0;

    template <class Real>
    own_cells(const les::level<Real>& l, const les::level<Real>& coarse) : cells(coarse.grid) {
        const auto& h = coarse.halved;
        for (unsigned a = 0; a < 3; ++a)
            les::along(cells.size, a) = les::along(l.grid.size, a) >> unsigned{h[a]};
        if (l.grid.around == coarse.grid.around) return;
        cells.around = false;
        y = l.grid.origin.y >> unsigned{h[1]};
        x = l.grid.origin.x >> unsigned{h[0]};
    }
};

/// weight r / diagonal: what the first sweep from zero would have written.
template <class Operator, class Real>
struct scaled {
    Operator a;
    const Real* r;
    Real weight;

    WATARI_INLINE Real operator()(const cell& c, int, int, int, offset step = 0) const {
        const auto at = static_cast<index>(static_cast<offset>(c.at) + step);
        return weight * (a.inverse(at) * r[at]);
    }
    /// Those of `count` cells from c on, in a row `step` away. For CPUs.
    WATARI_INLINE void fill(Real* to, const cell& c, index count, int, int, offset step) const {
        const index at = c.at + static_cast<index>(step);
        a.has_walls(at, count) ? fill_row<true>(to, at, count) : fill_row<false>(to, at, count);
    }
    template <bool Walls>
    WATARI_INLINE void fill_row(Real* to, index at, index count) const {
        WATARI_VECTORS
        for (index n = 0; n < count; ++n)
            to[n] = weight * (a.template inverse<Walls>(at + n) * r[at + n]);
    }
};

/// e + the coarse correction of each cell's parent.
template <class Real>
struct prolonged {
    const Real *e, *correction;
    les::grid coarse;
    int halved[3];
    offset first[2]{};  ///< of the part in a coarse grid that every rank has whole, y and x

    constexpr prolonged(const les::level<Real>& l, const les::level<Real>& c)
        : e(l.e),
          correction(c.e),
          coarse(c.grid),
          halved{c.halved[0], c.halved[1], c.halved[2]},
          first{} {
        if (l.grid.around == c.grid.around) return;
        first[0] = static_cast<offset>(l.grid.origin.y >> unsigned{c.halved[1]});
        first[1] = static_cast<offset>(l.grid.origin.x >> unsigned{c.halved[0]});
    }

    /// Element of the parent of the cell (z, y, x) away.
    WATARI_INLINE offset parent_of(const cell& c, int z, int y, int x) const {
        const offset k = (static_cast<offset>(c.k) + z) >> halved[2];
        const offset j = ((static_cast<offset>(c.j) + y) >> halved[1]) + first[0];
        const offset i = ((static_cast<offset>(c.i) + x) >> halved[0]) + first[1];
        return (k + 1) * static_cast<offset>(coarse.plane()) +
               (j + 1) * static_cast<offset>(coarse.row()) + i + 1;
    }
    WATARI_INLINE Real operator()(const cell& c, int z, int y, int x, offset step = 0) const {
        return e[static_cast<offset>(c.at) + step] + correction[parent_of(c, z, y, x)];
    }
    /// Those of `count` cells from c on, in the row z, y away. For CPUs.
    WATARI_INLINE void fill(Real* to, const cell& c, index count, int z, int y, offset step) const {
        const Real* const own = e + static_cast<offset>(c.at) + step;
        const Real* const parent = correction + parent_of(c, z, y, 0);
        if (halved[0]) {
            for (index n = 0; n < count / 2; ++n) {
                to[2 * n] = own[2 * n] + parent[n];
                to[2 * n + 1] = own[2 * n + 1] + parent[n];
            }
        } else {
            for (index n = 0; n < count; ++n) to[n] = own[n] + parent[n];
        }
    }
};

/// A vector in a part of a row of a CPU, made once and used by all neighbours.
template <class Real>
struct in_rows {
    const Real *here,
        *rows[4];  ///< here[0] is the cell before the first; y below, above, z below, above
    index first;

    WATARI_INLINE Real operator()(const cell& c, int z, int y, int x, offset = 0) const {
        const index n = c.i - first;
        if (z != 0) return rows[z < 0 ? 2 : 3][n];
        if (y != 0) return rows[y < 0 ? 0 : 1][n];
        return here[static_cast<std::ptrdiff_t>(n) + 1 + x];
    }
};

}  // namespace watari::WATARI_BACKEND
