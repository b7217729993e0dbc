/// Adaptive cross approximation of a leaf by a team of threads: the algorithm of build/cross.hpp,
/// step by step, with its pivots, its stop and its reference row and column.
///
/// Crosses lie in slabs; each new slab doubles their room. A slab has rows of V, then columns of U.
///
/// Bytes of a leaf: each cross once for each later one, k^2 (rows + columns) / 2 elements, most of
/// them from L2. Entries read a few arrays of panels, from L1 and L2. Flops: k^2 (rows + columns),
/// and those of (k + 1) (rows + columns) entries.
#pragma once

#include "watari/hmatrix/build/team.cuh"

namespace watari::gpu::hmatrix_build {

constexpr std::uint32_t first_slab = 16;  ///< crosses of the first slab, a multiple of 4

/// Crosses of a leaf: vectors of `rows` and of `columns` elements.
struct cross_slabs {
    static constexpr unsigned most = 24;
    double* data[most];
    std::uint32_t rows, columns;
    std::uint32_t room = 0, count = 0;

    __device__ static std::uint32_t first(unsigned slab) {
        return slab == 0 ? 0 : first_slab << (slab - 1);
    }
    __device__ static std::uint32_t size(unsigned slab) {
        return slab == 0 ? first_slab : first(slab);
    }
    __device__ static unsigned slab_of(std::uint32_t r) {
        unsigned slab = 0;
        while (r >= first_slab << slab) ++slab;
        return slab;
    }
    __device__ double* v(std::uint32_t r) const {
        const unsigned slab = slab_of(r);
        return data[slab] + std::size_t{r - first(slab)} * columns;
    }
    __device__ double* u(std::uint32_t r) const {
        const unsigned slab = slab_of(r);
        return data[slab] + std::size_t{size(slab)} * columns + std::size_t{r - first(slab)} * rows;
    }

    /// value - the sum over r < n of a_r v_r[at], or of a_r u_r[at], by fours. factors(r) is the
    /// address of a_r; the next ones of its slab are `stride` elements apart.
    template <bool OfV, class Factors>
    __device__ double subtracted(double value, std::uint32_t n, std::size_t at,
                                 const Factors& factors, std::size_t stride) const {
        for (unsigned slab = 0; slab < most && first(slab) < n; ++slab) {
            const std::uint32_t base = first(slab), left = n - base;
            const std::uint32_t here = left < size(slab) ? left : size(slab);
            const std::size_t step = OfV ? columns : rows;
            const double *const a = factors(base), *const b = (OfV ? v(base) : u(base)) + at;
            const auto term = [=](std::uint32_t r) { return a[r * stride] * b[r * step]; };
            std::uint32_t r = 0;
            for (; r + 4 <= here; r += 4)
                value -= (term(r) + term(r + 1)) + (term(r + 2) + term(r + 3));
            for (; r < here; ++r) value -= term(r);
        }
        return value;
    }
};

enum class ending { found, rank_too_high, no_room };

template <unsigned Threads>
class approximation {
public:
    cross_slabs crosses;
    std::uint64_t entries = 0;
    std::uint32_t went_on = 0;

    /// `tolerance` is in the Frobenius norm, `most` the highest rank.
    __device__ approximation(const team<Threads>& by, const hmatrix::leaves_view& view,
                             const hmatrix::block& leaf, double tolerance, std::uint32_t most)
        : crosses{{}, leaf.rows, leaf.columns},
          own(by),
          g(view),
          of(leaf),
          allowed_(tolerance * tolerance),
          most_(most) {}

    __device__ ending run() {
        if (!take_vectors()) return ending::no_room;
        std::uint32_t i = 0;
        while (i != none) {
            largest best;
            residual<true>(i, row_, [&](std::uint32_t k, double value) {
                if (!used_column_[k]) best.take(std::fabs(value), k);
            });
            mark(used_row_, i);
            const std::uint32_t j = own.largest(best);
            if (j == none) break;
            const double pivot = row_[j];
            if (pivot == 0) {
                i = own.largest(of.rows, used_row_, [](std::uint32_t) { return 0.0; });
                continue;
            }
            if (crosses.count == most_) return ending::rank_too_high;
            if (!take_cross()) return ending::no_room;
            largest next;
            if (!add(j, pivot, next))
                i = own.largest(next);
            else if (i = reference(); i != none)
                ++went_on;
        }
        return ending::found;
    }

private:
    using largest = typename team<Threads>::candidate;

    __device__ bool take_vectors() {
        const std::uint64_t edges = std::uint64_t{of.rows} + of.columns;
        row_ = own.take_doubles(g.work, edges + (edges + 7) / 8);
        if (!row_) return false;
        column_ = row_ + of.columns;
        used_row_ = reinterpret_cast<unsigned char*>(column_ + of.rows);
        used_column_ = used_row_ + of.rows;
        for (std::uint64_t k = own.rank; k < edges; k += Threads) used_row_[k] = 0;
        own.sync();
        return true;
    }
    __device__ bool take_cross() {
        if (crosses.count < crosses.room) return true;
        const unsigned slab = cross_slabs::slab_of(crosses.count);
        const std::uint32_t size = cross_slabs::size(slab);
        crosses.data[slab] = own.take_doubles(g.work, size * (std::uint64_t{of.rows} + of.columns));
        crosses.room += size;
        return crosses.data[slab] != nullptr;
    }

    __device__ void mark(unsigned char* used, std::uint32_t at) const {
        if (own.rank == 0) used[at] = 1;
        own.sync();
    }
    __device__ std::uint32_t least_of(const double* values, const unsigned char* used,
                                      std::uint32_t count) const {
        return own.largest(count, used, [=](std::uint32_t k) { return -std::fabs(values[k]); });
    }

    /// to_k = the residual of entry (i, k), or (k, i). The thread that computes to_k calls each(k,
    /// to_k).
    template <bool Row, class Each>
    __device__ void residual(std::uint32_t i, double* to, const Each& each) {
        const std::uint32_t count = Row ? of.columns : of.rows;
        for (std::uint32_t base = 0; base < count; base += Threads) {
            const std::uint32_t k = base + own.rank;
            const double value = Row ? entry(g.entries, of.row + i, of.column + k, k < count)
                                     : entry(g.entries, of.row + k, of.column + i, k < count);
            if (k >= count) continue;
            const double left = crosses.subtracted<Row>(
                value, crosses.count, k,
                [&](std::uint32_t r) { return (Row ? crosses.u(r) : crosses.v(r)) + i; },
                Row ? of.rows : of.columns);
            to[k] = left;
            each(k, left);
        }
        entries += count;
        own.sync();
    }

    /// Adds the cross of row_ and column j; returns whether it is small enough to stop. `next`: the
    /// column's largest element in a row that is not used.
    __device__ bool add(std::uint32_t j, double pivot, largest& next) {
        double *const u = crosses.u(crosses.count), *const v = crosses.v(crosses.count);
        double uu = 0, vv = 0;
        residual<false>(j, u, [&](std::uint32_t k, double value) {
            uu += value * value;
            if (!used_row_[k]) next.take(std::fabs(value), k);
        });
        mark(used_column_, j);
        for (std::uint32_t k = own.rank; k < of.columns; k += Threads) {
            const double value = row_[k] / pivot;
            v[k] = value;
            vv += value * value;
        }
        own.sync();
        const double square = own.sum(uu) * own.sum(vv);
        if (square > largest_square_) largest_square_ = square;
        ++crosses.count;
        return square <= allowed();
    }

    /// The square of the norm at which to stop: the tolerance, or rounding of the largest cross.
    __device__ double allowed() const {
        const double rounding = 1e-15 * 1e-15 * largest_square_;
        return allowed_ > rounding ? allowed_ : rounding;
    }

    /// Checks the reference row and column. Returns the row from which to continue if one of them
    /// is too large, else none.
    __device__ std::uint32_t reference() {
        const std::uint32_t last = crosses.count - 1;
        const std::uint32_t i = least_of(crosses.u(last), used_row_, of.rows);
        const std::uint32_t j = least_of(crosses.v(last), used_column_, of.columns);
        if (i == none || j == none) return none;
        double square = 0;
        residual<true>(i, row_, [&](std::uint32_t, double value) { square += value * value; });
        if (own.sum(square) * of.rows > allowed()) return i;
        square = 0;
        largest next;
        residual<false>(j, column_, [&](std::uint32_t k, double value) {
            square += value * value;
            if (!used_row_[k]) next.take(std::fabs(value), k);
        });
        return own.sum(square) * of.columns > allowed() ? own.largest(next) : none;
    }

    const team<Threads>& own;
    const hmatrix::leaves_view& g;
    const hmatrix::block of;
    double allowed_;  ///< the square of a norm
    std::uint32_t most_;
    double largest_square_ = 0;  ///< of a cross
    double *row_ = nullptr, *column_ = nullptr;
    unsigned char *used_row_ = nullptr, *used_column_ = nullptr;
};

}  // namespace watari::gpu::hmatrix_build
