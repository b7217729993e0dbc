/// The vectors to which the operator of the pressure is applied.
#pragma once

#include "../grid/loops.hpp"
#include "level.hpp"

#include <cstdint>
#include <type_traits>

namespace watari::WATARI_BACKEND {

/// A vector, read by the offset to a cell's neighbour: here from memory.
template <class Real, class Array = const Real*>
struct in_array {
    Array data;

    WATARI_INLINE Real operator()(const cell& c, int, int, int, offset step = 0) const {
        return data[static_cast<offset>(c.at) + step];
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template star<Real> star;

        WATARI_INLINE void begin(const in_array& v, const typename Lane::where& at) {
            star.begin(v.data, at);
        }
        WATARI_INLINE void next(const in_array& v, const typename Lane::where& at) {
            star.next(v.data, at);
        }
        template <class Own>
        WATARI_INLINE bool inner(const Own& own) const {
            return own.inner();
        }
        template <bool>
        WATARI_INLINE void prepare(const in_array&, const typename Lane::where&) {}
        WATARI_INLINE const auto& all() const { return star; }
    };
};

/// The one array that a loop writes.
template <class Real>
constexpr written<Real> only(Real* array) {
    return {{array}, 1};
}

/// The cells of a coarser level that this part writes, and their first row and cell in its arrays:
/// not 0 if every rank has the whole level.
struct own_cells {
    les::grid cells;
    std::size_t y = 0, x = 0;

    template <class Real>
    own_cells(const les::level<Real>& l, const les::level<Real>& coarse) : cells(coarse.grid) {
        const auto& h = coarse.halved;
        for (unsigned a = 0; a < 3; ++a)
            les::along(cells.size, a) = les::along(l.grid.size, a) >> unsigned{h[a]};
        if (l.grid.whole() == coarse.grid.whole()) return;
        cells.around_x = cells.around_y = false;
        y = l.grid.origin.y >> unsigned{h[1]};
        x = l.grid.origin.x >> unsigned{h[0]};
    }
};

/// weight r / diagonal, computed on reading: the result of the first sweep from zero.
template <class Operator, class Real>
struct scaled {
    Operator a;
    const Real* r;
    Real weight;

    WATARI_INLINE Real operator()(const cell& c, int, int, int, offset step = 0) const {
        const auto at = static_cast<index>(static_cast<offset>(c.at) + step);
        return weight * (a.inverse(at) * r[at]);
    }
    /// For packs of a GPU: also reads the diagonals around, by flags or as numbers.
    template <class Lane>
    struct reads {
        using diagonal = typename Operator::diagonal;
        static constexpr bool by_code = !std::is_same_v<diagonal, Real>;
        typename Lane::template star<Real> r, of;
        typename Lane::template star<diagonal> inverse;

        WATARI_INLINE void begin(const scaled& v, const typename Lane::where& at) {
            r.begin(v.r, at);
            inverse.begin(v.a.diagonals(), at);
        }
        WATARI_INLINE void next(const scaled& v, const typename Lane::where& at) {
            r.next(v.r, at);
            inverse.next(v.a.diagonals(), at);
        }
        template <class Own>
        WATARI_INLINE bool inner(const Own&) const {
            if constexpr (by_code) {
                std::uint32_t all = ~0u;
                for (const auto& p : inverse.plane) all &= p.mask();
                for (int p = 0; p < 2; ++p) all &= inverse.low[p].mask() & inverse.high[p].mask();
                const unsigned ends =
                    inverse.left[0] & inverse.left[1] & inverse.right[0] & inverse.right[1];
                return all == ~0u && ends == static_cast<diagonal>(~0u);
            } else {
                return true;
            }
        }
        template <bool Walls>
        WATARI_INLINE void prepare(const scaled& v, const typename Lane::where&) {
            of.fill(r, inverse, [&](Real each, diagonal own) {
                return v.weight * (v.a.template inverse_by<Walls>(own) * each);
            });
        }
        WATARI_INLINE const auto& all() const { return of; }
    };
    /// Writes the values of `count` cells from c on, in a row `step` elements away. For CPUs.
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
    offset row, plane;  ///< of the coarse level
    int halved[3];
    offset start;     ///< element of the first cell of the whole coarse level
    offset first[2];  ///< the part's first cell in the whole level, y and x

    constexpr prolonged(const les::level<Real>& l, const les::level<Real>& c)
        : e(l.e),
          correction(c.e),
          row(static_cast<offset>(c.grid.row())),
          plane(static_cast<offset>(c.grid.plane())),
          halved{c.halved[0], c.halved[1], c.halved[2]},
          start(static_cast<offset>(c.grid.at(0, 0, 0)) -
                static_cast<offset>(c.grid.origin.y) * row - static_cast<offset>(c.grid.origin.x)),
          first{static_cast<offset>(l.grid.origin.y), static_cast<offset>(l.grid.origin.x)} {}

    /// Returns the element of the parent of the cell (z, y, x) away.
    WATARI_INLINE offset parent_of(const cell& c, int z, int y, int x) const {
        const offset k = (static_cast<offset>(c.k) + z) >> halved[2];
        const offset j = (static_cast<offset>(c.j) + y + first[0]) >> halved[1];
        const offset i = (static_cast<offset>(c.i) + x + first[1]) >> halved[0];
        return k * plane + j * row + i + start;
    }
    WATARI_INLINE Real operator()(const cell& c, int z, int y, int x, offset step = 0) const {
        return e[static_cast<offset>(c.at) + step] + correction[parent_of(c, z, y, x)];
    }
    /// Whether packs of a GPU have two parents each: every axis was halved, and rows of the part
    /// begin at a multiple of four cells.
    bool packs() const { return halved[0] && halved[1] && halved[2] && first[1] % 4 == 0; }
    template <class Lane>
    struct reads {
        typename Lane::template star<Real> of;
        typename Lane::template star<Real> e;
        Real plane[3][2], low[2], high[2], left, right;

        WATARI_INLINE static void pair(Real (&to)[2], const Real* from) {
            struct alignas(2 * sizeof(Real)) both {
                Real a, b;
            };
            const both v = *reinterpret_cast<const both*>(from);
            to[0] = v.a, to[1] = v.b;
        }
        WATARI_INLINE void begin(const prolonged& v, const typename Lane::where& at) {
            e.begin(v.e, at);
            pair(plane[1], v.correction + v.parent_of(at.c, -1, 0, 0));
            pair(plane[2], v.correction + v.parent_of(at.c, 0, 0, 0));
        }
        WATARI_INLINE void next(const prolonged& v, const typename Lane::where& at) {
            e.next(v.e, at);
            for (int n = 0; n < 2; ++n) plane[0][n] = plane[1][n], plane[1][n] = plane[2][n];
            const Real* const own = v.correction + v.parent_of(at.c, 0, 0, 0);
            pair(plane[2], own + v.plane);
            pair(low, v.correction + v.parent_of(at.c, 0, -1, 0));
            pair(high, v.correction + v.parent_of(at.c, 0, 1, 0));
            left = own[-1], right = own[2];
        }
        template <class Own>
        WATARI_INLINE bool inner(const Own& own) const {
            return own.inner();
        }
        template <bool>
        WATARI_INLINE void prepare(const prolonged&, const typename Lane::where&) {
            for (unsigned n = 0; n < 4; ++n) {
                for (unsigned p = 0; p < 4; ++p)
                    of.plane[p].of[n] = e.plane[p][n] + plane[(p + 1) / 2][n / 2];
                for (unsigned p = 0; p < 2; ++p) {
                    of.low[p].of[n] = e.low[p][n] + low[n / 2];
                    of.high[p].of[n] = e.high[p][n] + high[n / 2];
                }
            }
            for (unsigned p = 0; p < 2; ++p)
                of.left[p] = e.left[p] + left, of.right[p] = e.right[p] + right;
        }
        WATARI_INLINE const auto& all() const { return of; }
    };
    /// Writes the values of `count` cells from c on, in the row (z, y) away. For CPUs.
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

/// A vector in a part of a row of a CPU, computed once and read by all neighbours.
template <class Real>
struct in_rows {
    const Real *here,
        *rows[4];  ///< here[0]: the cell before the first; rows: y below, above, z below, above
    index first;

    WATARI_INLINE Real operator()(const cell& c, int z, int y, int x, offset = 0) const {
        const index n = c.i - first;
        if (z != 0) return rows[z < 0 ? 2 : 3][n];
        if (y != 0) return rows[y < 0 ? 0 : 1][n];
        return here[static_cast<std::ptrdiff_t>(n) + 1 + x];
    }
};

}  // namespace watari::WATARI_BACKEND
