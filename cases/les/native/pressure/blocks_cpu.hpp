/// Steps of a V-cycle on the finest level that a CPU does in one pass: values between the steps
/// never leave its cache. For vcycle.cpp.
///
/// A block also computes the rows beside it, as its neighbour does: no thread waits for another. If
/// ranks exchange halos between the steps (not level.grid.unbroken()), each step is a separate
/// pass.
#pragma once

#include "planes_cpu.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace watari::cpu {

/// `to` = a sweep from x, in a row.
template <class Operator, class Real>
WATARI_CLONES void sweep_row(const Operator& given, const in_rows<Real>& rows, const Real* r,
                             Real weight, const cell& from, index count, Real* to) {
    const Operator a = given;
    const in_rows<Real> x = rows;
    const auto sweep = [=]<bool Walls>(const auto& own, std::bool_constant<Walls>, index i,
                                       index last) __attribute__((always_inline)) {
        const sweep_from<std::decay_t<decltype(own)>, Real, in_rows<Real>> body{
            own, x, r, nullptr, weight, nullptr};
        WATARI_VECTORS
        for (index n = i; n < last; ++n)
            to[n] = body.template value<Walls>({from.k, from.j, n, from.at + n});
    };
    typename wide_flags<Real>::wide flags[same_path];
    for (index i = 0; i < count; i += same_path) {
        const index last = std::min(i + same_path, count);
        if (a.has_walls(from.at + i, last - i))
            sweep(a.in_row(from.at + i, last - i, flags), std::true_type{}, i, last);
        else
            sweep(a, std::false_type{}, i, last);
    }
    to[-1] = to[count - 1], to[count] = to[0];
}

/// The rows of a vector around four fine rows, which a row of coarse cells covers.
template <class Real>
struct four_rows {
    in_rows<Real> x[4];
    cell from[4];
};

/// `to` = means of r - A x over the children, in a row of `count` fine cells.
template <class Operator, class Real>
WATARI_CLONES void restrict_row(const Operator& given, const four_rows<Real>& rows, const Real* r,
                                Real share, index count, Real* to) {
    const Operator a = given;
    Real column[same_path];
    typename wide_flags<Real>::wide flags[same_path];
    const auto add = [&]<bool Walls>(const auto& own, std::bool_constant<Walls>, unsigned n,
                                     index i, index here) __attribute__((always_inline)) {
        const in_rows<Real> x = rows.x[n];
        const cell c = rows.from[n];
        WATARI_VECTORS
        for (index m = 0; m < here; ++m)
            column[m] +=
                r[c.at + i + m] - own.template apply<Walls>(x, {c.k, c.j, i + m, c.at + i + m});
    };
    for (index i = 0; i < count; i += same_path) {
        const index here = std::min(same_path, count - i);
        for (index m = 0; m < here; ++m) column[m] = 0;
        for (unsigned n = 0; n < 4; ++n) {
            const index at = rows.from[n].at + i;
            if (a.has_walls(at, here))
                add(a.in_row(at, here, flags), std::true_type{}, n, i, here);
            else
                add(a, std::false_type{}, n, i, here);
        }
        for (index m = 0; m < here / 2; ++m)
            to[i / 2 + m] = share * (column[2 * m] + column[2 * m + 1]);
    }
}

/// Two sweeps from zero and the restriction of r - A e: 9.5 bytes a cell in fp32, where two passes
/// have 18.5.
template <class Real>
class first_sweeps {
public:
    first_sweeps(const les::level<Real>& l, const les::level<Real>& coarse)
        : l_(l), coarse_(coarse), a_(l), scaled_{a_, l.r, Real(les::first_weight)} {}

    /// Computes rows first to last of all planes. Both are even, so that the block has all of a
    /// coarse row.
    void operator()(index first, index last) const {
        const les::grid& g = l_.grid;
        const auto begin = static_cast<offset>(first), end = static_cast<offset>(last);
        const auto top = static_cast<offset>(g.size.z);
        const auto planes = planes_of_block<Real>(g, first, last);
        const three_planes<Real>&from = planes[0], &beside = planes[1];
        const auto e = [&](offset k, offset j) {
            const bool own = k < 0 || k == top || (j >= begin && j < end);
            return own ? l_.e + row_around(g, k, j).at : beside(k, j);
        };
        for (offset k = -1; k <= top + 1; ++k)
            for (offset j = begin - 2; j < end + 2; ++j) {
                if (k <= top) fill_around(scaled_, row_around(g, k, j), g.size.x, from(k, j));
                if (k >= 1 && k <= top && j > begin - 2 && j <= end)
                    sweep(from.around(k - 1, j), row_around(g, k - 1, j), e(k - 1, j),
                          j >= begin && j < end);
                if (k >= 3 && k % 2 == 1 && j > begin && j < end && j % 2 == 1)
                    restrict(e, k - 3, j - 1);
            }
    }

private:
    void sweep(const in_rows<Real>& from, const cell& c, Real* to, bool own) const {
        sweep_row(a_, from, l_.r, Real(les::second_weight), c, l_.grid.size.x, to);
        if (own) copy_around(l_.grid, c.k, c.j, only(l_.e));
    }
    template <class Rows>
    void restrict(const Rows& e, offset k, offset j) const {
        four_rows<Real> of;
        for (int n = 0; n < 4; ++n) {
            const offset z = k + n / 2, y = j + n % 2;
            of.x[n] = {e(z, y) - 1, {e(z, y - 1), e(z, y + 1), e(z - 1, y), e(z + 1, y)}, 0};
            of.from[n] = row_around(l_.grid, z, y);
        }
        const index up = of.from[0].k / 2, along = of.from[0].j / 2;
        restrict_row(a_, of, l_.r, Real(1) / Real(8), l_.grid.size.x,
                     coarse_.r + coarse_.grid.at(up, along, 0));
        copy_around(coarse_.grid, up, along, only(coarse_.r));
    }

    les::level<Real> l_, coarse_;
    fine_operator<Real> a_;
    scaled<fine_operator<Real>, Real> scaled_;
};

/// Does two_sweeps() and restrict_residual() in one pass; returns false if the levels do not fit.
template <class Real>
bool sweep_first(const les::level<Real>& l, const les::level<Real>& coarse, stream_t) {
    if (!l.finest() || !l.grid.unbroken() || l.grid.whole() != coarse.grid.whole() ||
        !coarse.all_halved())
        return false;
    for_each_block(l.grid, 2, first_sweeps<Real>(l, coarse));
    return true;
}

/// `to` = the sums over the pieces of a row.
template <bool Walls, class Operator, class Real>
WATARI_CLONES void sum_pieces(const product_of<Operator, Real, in_rows<Real>>& given,
                              const cell& first, index piece, index pieces,
                              typename wide_flags<Real>::wide* flags, double* to) {
    const auto by = [&](const auto& own) __attribute__((always_inline)) {
        const auto& s = given.sweep;
        using body = product_of<std::decay_t<decltype(own)>, Real, in_rows<Real>>;
        cell c = first;
        for (index p = 0; p < pieces; ++p, c.i += piece, c.at += piece)
            to[p] =
                sum_piece<Walls>(body{{own, s.x, s.r, s.to, s.weight, nullptr}, nullptr}, c, piece);
    };
    if constexpr (Walls)
        by(given.sweep.a.in_row(first.at, piece * pieces, flags));
    else
        by(given.sweep.a);
}

/// The correction of e, and the last two sweeps with the partial sums of r e: 13.5 bytes a cell in
/// fp32, where two passes have 26.5.
template <class Real>
class last_sweeps {
public:
    last_sweeps(const les::level<Real>& l, const les::level<Real>& coarse, double* partials)
        : l_(l), a_(l), corrected_(l, coarse), partials_(partials) {}

    /// Computes rows first to last of all planes.
    void operator()(index first, index last) const {
        const les::grid& g = l_.grid;
        const auto begin = static_cast<offset>(first), end = static_cast<offset>(last);
        const auto top = static_cast<offset>(g.size.z);
        const auto planes = planes_of_block<Real>(g, first, last);
        const three_planes<Real>&from = planes[0], &to = planes[1];
        for (offset k = -1; k <= top + 1; ++k)
            for (offset j = begin - 2; j < end + 2; ++j) {
                if (k <= top) correct(from, k, j);
                if (k >= 0 && j > begin - 2 && j <= end) sweep(from, to, k - 1, j);
                if (k >= 2 && j >= begin && j < end) sum(to, k - 2, j);
            }
    }

private:
    void correct(const three_planes<Real>& to, offset k, offset j) const {
        fill_around(corrected_, row_around(l_.grid, k, j), l_.grid.size.x, to(k, j));
    }
    void sweep(const three_planes<Real>& from, const three_planes<Real>& to, offset k,
               offset j) const {
        const index cells = l_.grid.size.x;
        if (k < 0 || k == static_cast<offset>(l_.grid.size.z))
            std::fill_n(to(k, j) - 1, cells + 2, Real(0));
        else
            sweep_row(a_, from.around(k, j), l_.r, Real(les::second_weight),
                      row_around(l_.grid, k, j), cells, to(k, j));
    }
    void sum(const three_planes<Real>& from, offset k, offset j) const {
        const les::grid& g = l_.grid;
        const index piece = les::piece_of(g.size.x), pieces = g.size.x / piece;
        const cell c = row_around(g, k, j);
        double* const sums = partials_ + (c.k * g.size.y + c.j) * pieces;
        const product_of<fine_operator<Real>, Real, in_rows<Real>> body{
            {a_, from.around(k, j), l_.r, l_.scratch, Real(les::first_weight), nullptr}, nullptr};
        auto* const flags = row_scratch<typename wide_flags<Real>::wide>(g.size.x);
        if (a_.has_walls(c.at, g.size.x))
            sum_pieces<true>(body, c, piece, pieces, flags, sums);
        else
            sum_pieces<false>(body, c, piece, pieces, flags, sums);
        copy_around(g, c.k, c.j, only(l_.scratch));
    }

    les::level<Real> l_;
    fine_operator<Real> a_;
    prolonged<Real> corrected_;
    double* partials_;
};

/// Does correct_sweep() and sweep_product() in one pass; returns false if the level does not fit.
template <class Real>
bool sweep_last(const les::level<Real>& l, const les::level<Real>& coarse, double* partials,
                stream_t) {
    if (!l.grid.unbroken()) return false;
    for_each_block(l.grid, 1, last_sweeps<Real>(l, coarse, partials));
    return true;
}

}  // namespace watari::cpu
