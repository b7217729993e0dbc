/// The operator of the pressure in one cell. vectors.hpp has the vectors that it is applied to.
#pragma once

#include "../grid/loops.hpp"
#include "level.hpp"

#include <cstdint>
#include <type_traits>

namespace watari::WATARI_BACKEND {

/// The flags of a part of a row, widened to the width of Real. With bytes beside Reals, vectors
/// would have four times more lanes, with each vector of Reals in four registers. For CPUs.
template <class Real>
struct wide_flags {
    using wide = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    const wide* of;
    index first;

    wide operator[](index at) const { return of[at - first]; }
};

/// The flag of one cell.
struct one_flag {
    std::uint8_t own;

    WATARI_INLINE std::uint8_t operator[](index) const { return own; }
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
    /// The type by which a diagonal is looked up.
    using diagonal = std::uint8_t;
    constexpr const diagonal* diagonals() const {
        if constexpr (std::is_pointer_v<Flags>)
            return flags;
        else
            return nullptr;
    }
    template <bool Walls>
    WATARI_INLINE Real inverse_by(diagonal flag) const {
        return table[Walls ? flag : les::flag::all];
    }
    /// 1 / diagonal; 0 if no face is open. Without walls it is the same everywhere.
    template <bool Walls = true>
    WATARI_INLINE Real inverse(index at) const {
        return table[Walls ? flags[at] : les::flag::all];
    }
    /// Whether some of `count` cells of a row have walls beside them. For CPUs.
    bool has_walls(index at, index count) const { return !all_inner(flags + at, count); }
    /// Returns the operator for `count` cells of a row, whose widened flags it writes to `own`. For
    /// CPUs.
    template <class Wide>
    fine_operator<Real, wide_flags<Real>> in_row(index at, index count, Wide* own) const {
        WATARI_VECTORS
        for (index n = 0; n < count; ++n) own[n] = flags[at + n];
        return {{own, at}, table, per_d2, row, plane};
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template own<std::uint8_t> flags;

        WATARI_INLINE void begin(const fine_operator&, const typename Lane::where&) {}
        WATARI_INLINE void next(const fine_operator& a, const typename Lane::where& at) {
            flags.next(a.flags, at);
        }
        /// Whether no cell has a wall beside it.
        WATARI_INLINE bool inner() const {
            return (flags.own[0].mask() & flags.own[1].mask()) == ~0u;
        }
        WATARI_INLINE auto of(const fine_operator& a, unsigned p, unsigned n) const {
            return fine_operator<Real, one_flag>{
                {flags.own[p][n]}, a.table, a.per_d2, a.row, a.plane};
        }
        WATARI_INLINE bool fluid(unsigned p, unsigned n) const {
            return (flags.own[p][n] & les::flag::fluid) != 0;
        }
    };
};

/// One cell of a coarser level, with its faces.
template <class Real>
struct coarse_cell {
    Real low[3], high[3], inverse_diagonal;
    index row, plane;

    template <bool, class Vector>
    WATARI_INLINE Real apply(const Vector& x, const cell& c) const {
        const auto along_y = static_cast<offset>(row);
        const auto along_z = static_cast<offset>(plane);
        const Real own = x(c, 0, 0, 0, 0);
        return ((low[0] * (own - x(c, 0, 0, -1, -1)) + high[0] * (own - x(c, 0, 0, 1, 1))) +
                (low[1] * (own - x(c, 0, -1, 0, -along_y)) +
                 high[1] * (own - x(c, 0, 1, 0, along_y)))) +
               (low[2] * (own - x(c, -1, 0, 0, -along_z)) +
                high[2] * (own - x(c, 1, 0, 0, along_z)));
    }
    template <bool = true>
    WATARI_INLINE Real inverse(index) const {
        return inverse_diagonal;
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

    using diagonal = Real;
    constexpr const diagonal* diagonals() const { return inverse_diagonal; }
    template <bool>
    WATARI_INLINE Real inverse_by(Real own) const {
        return own;
    }
    WATARI_INLINE Real low_face(index at, unsigned axis) const { return face[axis][at]; }
    template <bool Walls, class Vector>
    WATARI_INLINE Real apply(const Vector& x, const cell& c) const {
        const coarse_cell<Real> faces{
            {face[0][c.at], face[1][c.at], face[2][c.at]},
            {face[0][c.at + 1], face[1][c.at + row], face[2][c.at + plane]},
            0,
            row,
            plane};
        return faces.template apply<Walls>(x, c);
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template right<Real> x;
        typename Lane::template high<Real> y;
        typename Lane::template above<Real> z;
        typename Lane::template own<Real> inverse;

        WATARI_INLINE void begin(const coarse_operator& a, const typename Lane::where& at) {
            z.begin(a.face[2], at);
        }
        WATARI_INLINE void next(const coarse_operator& a, const typename Lane::where& at) {
            x.next(a.face[0], at);
            y.next(a.face[1], at);
            z.next(a.face[2], at);
            inverse.next(a.inverse_diagonal, at);
        }
        WATARI_INLINE bool inner() const { return true; }
        WATARI_INLINE auto of(const coarse_operator& a, unsigned p, unsigned n) const {
            return coarse_cell<Real>{{x.own[p][n], y.own[p][n], z.plane[p][n]},
                                     {x.right(p, n), y.high[p][n], z.plane[p + 1][n]},
                                     inverse.own[p][n],
                                     a.row,
                                     a.plane};
        }
    };
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

template <class Real>
struct counted_cell;

/// The first coarser level, whose faces follow from the counts of open fine faces. For packs of a
/// GPU, which read 2 bytes per cell in place of 16.
template <class Real>
struct counted_operator : coarse_operator<Real> {
    const std::uint16_t* open;
    const Real* table;  ///< 1 / diagonal
    Real each[3];       ///< a face's share of each open fine face
    Real free;          ///< 1 / diagonal if all faces are open

    constexpr explicit counted_operator(const les::level<Real>& l)
        : coarse_operator<Real>(l), open(l.open), table(l.by_open), each{}, free{} {
        Real sum = 0;
        for (unsigned a = 0; a < 3; ++a) {
            each[a] = l.per_d2[a] / Real(16);
            sum += known(a, 4) + known(a, 4);
        }
        free = Real(1) / sum;
    }
    /// Returns the coefficient of a face with `count` open fine faces. It has the same bits as a
    /// sum of shares: only three times a number is rounded.
    constexpr Real known(unsigned axis, unsigned count) const { return Real(count) * each[axis]; }
    /// Returns the number of open fine faces in one of six faces: low and high of x, of y, of z.
    WATARI_INLINE static unsigned count(std::uint16_t code, unsigned which) {
        unsigned rest = code < les::open_faces::least ? 0 : code - les::open_faces::least;
        for (unsigned n = which; n < 5; ++n) rest /= 5;
        return rest % 5;
    }
    using diagonal = std::uint16_t;
    constexpr const diagonal* diagonals() const { return open; }
    template <bool Walls>
    WATARI_INLINE Real inverse_by(std::uint16_t code) const {
        if constexpr (!Walls) return free;
        return table[code < les::open_faces::least ? 0 : code - les::open_faces::least];
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template own<std::uint16_t> open;

        WATARI_INLINE void begin(const counted_operator&, const typename Lane::where&) {}
        WATARI_INLINE void next(const counted_operator& a, const typename Lane::where& at) {
            open.next(a.open, at);
        }
        WATARI_INLINE bool inner() const {
            return (open.own[0].mask() & open.own[1].mask()) == ~0u;
        }
        WATARI_INLINE auto of(const counted_operator& a, unsigned p, unsigned n) const {
            return counted_cell<Real>{a, open.own[p][n]};
        }
    };
};

/// One cell of a counted_operator.
template <class Real>
struct counted_cell {
    const counted_operator<Real>& a;
    std::uint16_t code;

    template <bool Walls, class Vector>
    WATARI_INLINE Real apply(const Vector& x, const cell& c) const {
        coarse_cell<Real> faces{{}, {}, 0, a.row, a.plane};
        for (unsigned axis = 0; axis < 3; ++axis) {
            faces.low[axis] = a.known(axis, Walls ? a.count(code, 2 * axis) : 4);
            faces.high[axis] = a.known(axis, Walls ? a.count(code, 2 * axis + 1) : 4);
        }
        return faces.template apply<Walls>(x, c);
    }
    template <bool Walls = true>
    WATARI_INLINE Real inverse(index) const {
        return a.template inverse_by<Walls>(code);
    }
};

/// Calls work(operator) with the operator of this level.
template <class Real, class Work>
void with_operator(const les::level<Real>& l, const Work& work) {
    if (l.finest()) return work(fine_operator<Real>(l));
    if constexpr (executes == processor::type::gpu && sizeof(Real) == 4)
        if (l.open != nullptr) return work(counted_operator<Real>(l));
    work(coarse_operator<Real>(l));
}

}  // namespace watari::WATARI_BACKEND
