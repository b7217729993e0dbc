/// The V-cycle of the coarsest levels by one block of a GPU, whose shared memory has their arrays:
/// a launch for each step would take longer than its work. For vcycle.cpp.
///
/// A thread has single cells, and a barrier follows each step. A level has the vectors x and y:
///
///     down:     x = a sweep from zero, y = a sweep from x, x = r - A y; below, r = means of x
///     coarsest: x = a sweep from zero, then sweeps to y and back to x; the last is y
///     up:       y += the correction, x = a sweep from y, y = a sweep from x
///
/// Arrays have no halos: x and y are periodic, and beyond ground and lid all values are 0.
#pragma once

#include "operator.hpp"
#include "vcycle.hpp"

#include <cstdint>
#include <span>

namespace watari::gpu {

inline constexpr unsigned small_threads = 1024;
inline constexpr std::size_t small_arrays = 7;  ///< x, y, r, three faces and 1 / diagonal

/// Returns the first of the coarsest levels whose arrays fit into `bytes` together.
template <class Real>
std::size_t first_within(std::span<const les::level<Real>> levels, std::size_t bytes) {
    std::size_t first = levels.size(), cells = 0;
    while (first > 1 && levels.size() - first < les::most_small && levels[first - 1].grid.whole()) {
        cells += levels[first - 1].grid.size.cells();
        if (small_arrays * cells * sizeof(Real) > bytes) break;
        --first;
    }
    return first;
}
template <class Real>
std::size_t first_small(std::span<const les::level<Real>> levels) {
    return first_within(levels, device::current_limits().shared_bytes);
}

/// Computes n / by, for n and by whose product is below 2^32.
struct quotient {
    std::uint64_t factor;

    explicit quotient(std::size_t by) : factor(((std::uint64_t{1} << 32) + by - 1) / by) {}
    __device__ __forceinline__ unsigned of(unsigned n) const {
        return static_cast<unsigned>(n * factor >> 32);
    }
};

/// A level: its number of cells, and the places of its arrays in shared and in global memory.
template <class Real>
struct small_level {
    unsigned x, plane, cells, begin;
    quotient per_x, per_plane;
    unsigned halved[3];
    const Real *face[3], *inverse;  ///< in global memory
    les::grid grid;

    small_level(const les::level<Real>& l, unsigned first)
        : x(static_cast<unsigned>(l.grid.size.x)),
          plane(static_cast<unsigned>(l.grid.size.x * l.grid.size.y)),
          cells(static_cast<unsigned>(l.grid.size.cells())),
          begin(first),
          per_x(x),
          per_plane(plane),
          halved{l.halved[0], l.halved[1], l.halved[2]},
          face{l.face[0], l.face[1], l.face[2]},
          inverse(l.inverse),
          grid(l.grid) {}
    small_level() : small_level({.grid = {{1, 1, 1}}}, 0) {}
};

/// A cell: the n-th of its level, at (k, j, i).
struct small_cell {
    unsigned n, k, j, i;
};
template <class Real>
__device__ __forceinline__ small_cell cell_of(const small_level<Real>& l, unsigned n) {
    const unsigned k = l.per_plane.of(n), row = l.per_x.of(n - k * l.plane);
    return {n, k, row, n - k * l.plane - row * l.x};
}

/// A number with those of its neighbours.
template <class Real>
struct with_neighbours {
    Real own, left, right, low, high, below, above;

    __device__ __forceinline__ Real operator()(const cell&, int z, int y, int x, offset) const {
        return z != 0   ? z < 0 ? below : above
               : y != 0 ? y < 0 ? low : high
               : x < 0  ? left
               : x > 0  ? right
                        : own;
    }
};

/// The arrays of one level in shared memory.
template <class Real>
struct small_arrays_of {
    Real *x, *y, *r, *inverse, *face[3];

    __device__ __forceinline__ small_arrays_of(const small_level<Real>& l, unsigned all) {
        Real* const memory = reinterpret_cast<Real*>(block_memory()) + l.begin;
        x = memory, y = x + all, r = y + all, inverse = r + all;
        for (unsigned a = 0; a < 3; ++a) face[a] = inverse + (a + 1) * all;
    }
    /// r - A v in a cell.
    __device__ __forceinline__ Real rest(const small_level<Real>& l, const Real* v,
                                         const small_cell& c) const {
        const unsigned n = c.n, last = l.plane - l.x, row = c.j * l.x;
        const unsigned left = c.i > 0 ? n - 1 : n + l.x - 1,
                       right = c.i + 1 < l.x ? n + 1 : n - c.i;
        const unsigned low = row > 0 ? n - l.x : n + last, high = row < last ? n + l.x : n - last;
        const bool bottom = c.k == 0, top = n + l.plane >= l.cells;
        const unsigned below = bottom ? n : n - l.plane, above = top ? n : n + l.plane;
        const with_neighbours<Real> values{v[n],
                                           v[left],
                                           v[right],
                                           v[low],
                                           v[high],
                                           bottom ? Real(0) : v[below],
                                           top ? Real(0) : v[above]};
        const coarse_cell<Real> faces{
            {face[0][n], face[1][n], face[2][n]},
            {face[0][right], face[1][high], top ? Real(0) : face[2][above]},
            0,
            0,
            0};
        return r[n] - faces.template apply<true>(values, cell{});
    }
    __device__ __forceinline__ Real swept(const small_level<Real>& l, const Real* v,
                                          const small_cell& c, Real weight) const {
        return v[c.n] + weight * (inverse[c.n] * rest(l, v, c));
    }
    /// Returns the mean of x over the children of a cell of the next coarser level.
    __device__ __forceinline__ Real mean(const small_level<Real>& l,
                                         const small_level<Real>& coarse,
                                         const small_cell& c) const {
        const unsigned(&h)[3] = coarse.halved;
        const Real* const first = x + (c.k << h[2]) * l.plane + (c.j << h[1]) * l.x + (c.i << h[0]);
        Real sum = 0;
        for (unsigned i = 0; i <= h[0]; ++i) {
            Real column = 0;
            for (unsigned k = 0; k <= h[2]; ++k)
                for (unsigned j = 0; j <= h[1]; ++j) column += first[k * l.plane + j * l.x + i];
            sum += column;
        }
        return Real(1) / Real((1 + h[0]) * (1 + h[1]) * (1 + h[2])) * sum;
    }
};

template <class Real>
struct small_cycle {
    using level = small_level<Real>;
    using arrays = small_arrays_of<Real>;
    level levels[les::most_small];
    unsigned count, all;  ///< levels, and cells of all levels
    const Real* r;
    Real* e;

    /// Calls work(cell) for each cell of a level, then waits at a barrier.
    template <class Work>
    __device__ __forceinline__ void each(const level& l, const Work& work) const {
        for (unsigned n = threadIdx.x; n < l.cells; n += small_threads) work(cell_of(l, n));
        __syncthreads();
    }
    __device__ __forceinline__ arrays of(const level& l) const { return {l, all}; }
    __device__ __forceinline__ static index in_memory(const level& l, const small_cell& c) {
        return static_cast<index>(l.grid.at(c.k, c.j, c.i));
    }
    __device__ __forceinline__ void load() const {
#pragma unroll 2
        for (unsigned n = threadIdx.x; n < all; n += small_threads) {
            unsigned which = 0;
            while (n >= levels[which].begin + levels[which].cells) ++which;
            const level& l = levels[which];
            const index at = in_memory(l, cell_of(l, n - l.begin));
            const arrays to = of(levels[0]);
            to.inverse[n] = __ldg(l.inverse + at);
            for (unsigned a = 0; a < 3; ++a) to.face[a][n] = __ldg(l.face[a] + at);
            if (which == 0) to.r[n] = __ldg(r + at);
        }
        __syncthreads();
    }
    __device__ __forceinline__ void begin(unsigned which, const small_cell& c) const {
        const arrays to = of(levels[which]);
        const Real weight = Real(which + 1 < count ? les::first_weight : les::bottom_weight);
        to.x[c.n] = weight * (to.inverse[c.n] * to.r[c.n]);
    }
    __device__ __forceinline__ void sweep(const level& l, const Real* from, Real* to,
                                          Real weight) const {
        each(l, [&](const small_cell& c) { to[c.n] = of(l).swept(l, from, c, weight); });
    }
    __device__ __forceinline__ void down(unsigned which) const {
        const level &l = levels[which], &coarse = levels[which + 1];
        const arrays own = of(l), next = of(coarse);
        sweep(l, own.x, own.y, Real(les::second_weight));
        each(l, [&](const small_cell& c) { own.x[c.n] = own.rest(l, own.y, c); });
        each(coarse, [&](const small_cell& c) {
            next.r[c.n] = own.mean(l, coarse, c);
            begin(which + 1, c);
        });
    }
    __device__ __forceinline__ void solve(const level& l) const {
        const arrays own = of(l);
        for (unsigned n = 1; n < les::bottom_sweeps; ++n)
            sweep(l, n % 2 ? own.x : own.y, n % 2 ? own.y : own.x, Real(les::bottom_weight));
    }
    __device__ __forceinline__ void up(const level& l, const level& coarse) const {
        const arrays own = of(l), next = of(coarse);
        const unsigned(&h)[3] = coarse.halved;
        each(l, [&](const small_cell& c) {
            own.y[c.n] +=
                next.y[(c.k >> h[2]) * coarse.plane + (c.j >> h[1]) * coarse.x + (c.i >> h[0])];
        });
        sweep(l, own.y, own.x, Real(les::second_weight));
        sweep(l, own.x, own.y, Real(les::first_weight));
    }
    /// Writes e of the first level, with its halo.
    __device__ __forceinline__ void store() const {
        const level& l = levels[0];
        const auto size_x = static_cast<offset>(l.x), size_y = static_cast<offset>(l.plane / l.x);
        each(l, [&](const small_cell& c) {
            const auto i = static_cast<offset>(c.i), j = static_cast<offset>(c.j);
            const offset along_x = i == 0 ? size_x : i + 1 == size_x ? -size_x : 0;
            const offset rows = j == 0 ? size_y : j + 1 == size_y ? -size_y : 0;
            const offset along_y = rows * static_cast<offset>(l.grid.row());
            const Real value = of(l).y[c.n];
            Real* const to = e + in_memory(l, c);
            *to = value;
            if (along_x != 0) to[along_x] = value;
            if (along_y != 0) to[along_y] = value;
            if (along_x != 0 && along_y != 0) to[along_x + along_y] = value;
        });
    }
    __device__ __forceinline__ void operator()() const {
        load();
        each(levels[0], [&](const small_cell& c) { begin(0, c); });
        for (unsigned n = 0; n + 1 < count; ++n) down(n);
        solve(levels[count - 1]);
        for (unsigned n = count - 1; n-- > 0;) up(levels[n], levels[n + 1]);
        store();
    }
};

template <class Real>
void small_levels(std::span<const les::level<Real>> levels, stream_t stream) {
    small_cycle<Real> cycle{{}, 0, 0, levels[0].r, levels[0].e};
    for (const les::level<Real>& l : levels) {
        cycle.levels[cycle.count++] = {l, cycle.all};
        cycle.all += static_cast<unsigned>(l.grid.size.cells());
    }
    launch<small_threads, 1>(
        1, dim3(small_threads), [=] __device__() { cycle(); }, stream,
        small_arrays * cycle.all * sizeof(Real));
}

}  // namespace watari::gpu
