/// The V-cycle of the coarsest levels by a cluster of blocks of a GPU, whose shared memory has
/// their arrays: a launch for each step would take longer than its work. For vcycle.cpp.
///
/// A thread has single cells, and a barrier follows each step. A level has the vectors x and y:
///
///     down:     x = a sweep from zero, y = a sweep from x, x = r - A y; below, r = means of x
///     coarsest: x = a sweep from zero, then sweeps to y and back to x; the last is y
///     up:       y += the correction, x = a sweep from y, y = a sweep from x
///
/// Each block has some rows of a level, and reads the rows beside them in the memory of the next
/// blocks. The smallest levels are the first block's alone. A GPU without clusters has one block,
/// and fewer levels. Cells lie without halos: x and y go around, and beyond ground and lid all is
/// 0.
#pragma once

#include "watari/cases/les/pressure/operator.hpp"
#include "watari/cases/les/pressure/vcycle.hpp"

#include <cstdint>
#include <span>

namespace watari::gpu {

inline constexpr unsigned small_threads = 1024;
inline constexpr std::size_t small_arrays = 7;     ///< x, y, r, three faces and 1 / diagonal
inline constexpr std::size_t least_parted = 2048;  ///< cells of a level that several blocks have

/// n / by, of n and by whose product is below 2^32.
struct quotient {
    std::uint64_t factor;

    explicit quotient(std::size_t by) : factor(((std::uint64_t{1} << 32) + by - 1) / by) {}
    __device__ __forceinline__ unsigned of(unsigned n) const {
        return static_cast<unsigned>(n * factor >> 32);
    }
};

/// A block's part of a level: how many cells it has, where its arrays begin beside those of other
/// levels, and in memory.
template <class Real>
struct small_level {
    unsigned x = 1, rows = 1, plane = 1, cells = 1, begin = 0;
    unsigned parts = 1;  ///< blocks that have one
    quotient per_x{1}, per_rows{1}, per_plane{1};
    unsigned halved[3]{};
    const Real *face[3]{}, *inverse{};  ///< in memory
    les::grid grid{};

    small_level() = default;
    small_level(const les::level<Real>& l, unsigned first, unsigned blocks)
        : x(static_cast<unsigned>(l.grid.size.x)),
          rows(static_cast<unsigned>(l.grid.size.y) / blocks),
          plane(x * rows),
          cells(plane * static_cast<unsigned>(l.grid.size.z)),
          begin(first),
          parts(blocks),
          per_x(x),
          per_rows(rows),
          per_plane(plane),
          halved{l.halved[0], l.halved[1], l.halved[2]},
          face{l.face[0], l.face[1], l.face[2]},
          inverse(l.inverse),
          grid(l.grid) {}
};

/// A cell by itself: n-th of a block's part, of its row j of plane k.
struct small_cell {
    unsigned n, k, j, i;
};
template <class Real>
__device__ __forceinline__ small_cell cell_of(const small_level<Real>& l, unsigned n) {
    const unsigned k = l.per_plane.of(n), row = l.per_x.of(n - k * l.plane);
    return {n, k, row, n - k * l.plane - row * l.x};
}

/// A number with its neighbours' ones.
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

/// An array of one level in this block and in those with the rows before and after.
template <class Real>
struct small_rows {
    const Real *own, *before, *after;

    __device__ __forceinline__ small_rows(const Real* array, const small_level<Real>& l)
        : own(array), before(array), after(array) {
        if (l.parts == 1) return;
        const unsigned block = blockIdx.x;
        before = in_block(array, block > 0 ? block - 1 : l.parts - 1);
        after = in_block(array, block + 1 < l.parts ? block + 1 : 0);
    }
    __device__ __forceinline__ Real low(const small_level<Real>& l, const small_cell& c) const {
        return c.j > 0 ? own[c.n - l.x] : before[c.n + (l.plane - l.x)];
    }
    __device__ __forceinline__ Real high(const small_level<Real>& l, const small_cell& c) const {
        return c.j + 1 < l.rows ? own[c.n + l.x] : after[c.n - (l.plane - l.x)];
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
        const unsigned n = c.n;
        const unsigned left = c.i > 0 ? n - 1 : n + l.x - 1,
                       right = c.i + 1 < l.x ? n + 1 : n - c.i;
        const bool bottom = c.k == 0, top = n + l.plane >= l.cells;
        const unsigned below = bottom ? n : n - l.plane, above = top ? n : n + l.plane;
        const small_rows<Real> along_y(v, l), faces_y(face[1], l);
        const with_neighbours<Real> values{v[n],
                                           v[left],
                                           v[right],
                                           along_y.low(l, c),
                                           along_y.high(l, c),
                                           bottom ? Real(0) : v[below],
                                           top ? Real(0) : v[above]};
        const coarse_cell<Real> faces{
            {face[0][n], face[1][n], face[2][n]},
            {face[0][right], faces_y.high(l, c), top ? Real(0) : face[2][above]},
            0,
            0,
            0};
        return r[n] - faces.template apply<true>(values, cell{});
    }
    __device__ __forceinline__ Real swept(const small_level<Real>& l, const Real* v,
                                          const small_cell& c, Real weight) const {
        return v[c.n] + weight * (inverse[c.n] * rest(l, v, c));
    }
    /// Row j of the children of coarse cells: in this block, or where the first one alone has
    /// these, in any.
    __device__ __forceinline__ const Real* row_of(const small_level<Real>& l, unsigned j,
                                                  bool apart) const {
        const unsigned block = apart ? l.per_rows.of(j) : 0;
        return (apart ? in_block(x, block) : x) + (j - block * l.rows) * l.x;
    }
    /// The mean of x in the children of a cell of the level below.
    __device__ __forceinline__ Real mean(const small_level<Real>& l,
                                         const small_level<Real>& coarse,
                                         const small_cell& c) const {
        const unsigned(&h)[3] = coarse.halved;
        const bool apart = l.parts != coarse.parts;
        const unsigned first = (c.k << h[2]) * l.plane + (c.i << h[0]), j = c.j << h[1];
        const Real *const low = row_of(l, j, apart) + first, *const high =
                                                                 row_of(l, j + h[1], apart) + first;
        Real sum = 0;
        for (unsigned i = 0; i <= h[0]; ++i) {
            Real column = 0;
            for (unsigned k = 0; k <= h[2]; ++k) {
                column += low[k * l.plane + i];
                if (h[1]) column += high[k * l.plane + i];
            }
            sum += column;
        }
        return Real(1) / Real((1 + h[0]) * (1 + h[1]) * (1 + h[2])) * sum;
    }
    /// y of the parent of a cell of the level above.
    __device__ __forceinline__ Real parent(const small_level<Real>& l,
                                           const small_level<Real>& fine,
                                           const small_cell& c) const {
        const unsigned(&h)[3] = l.halved;
        const bool apart = l.parts != fine.parts;  // then the first block has it
        const unsigned row = (apart ? blockIdx.x * fine.rows + c.j : c.j) >> h[1];
        const Real* const there = apart ? in_block(y, 0) : y;
        return there[(c.k >> h[2]) * l.plane + row * l.x + (c.i >> h[0])];
    }
};

template <class Real>
struct small_cycle {
    using level = small_level<Real>;
    using arrays = small_arrays_of<Real>;
    level levels[les::most_small];
    unsigned count, all;  ///< levels, and their cells together
    const Real* r;
    Real* e;

    /// work(cell) for each of a level, then a barrier of the blocks that have it.
    template <class Work>
    __device__ __forceinline__ void each(const level& l, const Work& work) const {
        if (l.parts == 1 && blockIdx.x > 0) return;
        for (unsigned n = threadIdx.x; n < l.cells; n += small_threads) work(cell_of(l, n));
        l.parts == 1 ? __syncthreads() : sync_cluster();
    }
    __device__ __forceinline__ arrays of(const level& l) const { return {l, all}; }
    __device__ __forceinline__ static unsigned row_of(const level& l, const small_cell& c) {
        return (l.parts == 1 ? 0 : blockIdx.x * l.rows) + c.j;
    }
    __device__ __forceinline__ static index in_memory(const level& l, const small_cell& c) {
        return static_cast<index>(l.grid.at(c.k, row_of(l, c), c.i));
    }
    __device__ __forceinline__ void load() const {
#pragma unroll 2
        for (unsigned n = threadIdx.x; n < all; n += small_threads) {
            unsigned which = 0;
            while (n >= levels[which].begin + levels[which].cells) ++which;
            const level& l = levels[which];
            if (l.parts == 1 && blockIdx.x > 0) break;
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
        if (l.parts != coarse.parts) sync_cluster();  // the first block was alone
        each(l, [&](const small_cell& c) { own.y[c.n] += next.parent(coarse, l, c); });
        sweep(l, own.y, own.x, Real(les::second_weight));
        sweep(l, own.x, own.y, Real(les::first_weight));
    }
    /// e of the first level, with its halo.
    __device__ __forceinline__ void store() const {
        const level& l = levels[0];
        const auto size_x = static_cast<offset>(l.x),
                   size_y = static_cast<offset>(l.rows * l.parts);
        each(l, [&](const small_cell& c) {
            const auto i = static_cast<offset>(c.i), j = static_cast<offset>(row_of(l, c));
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

/// Those levels by so many blocks.
template <class Real>
small_cycle<Real> cycle_of(std::span<const les::level<Real>> levels, unsigned blocks) {
    small_cycle<Real> cycle{{}, 0, 0, levels[0].r, levels[0].e};
    unsigned parts = blocks, rows = 2;  // of the level before
    for (const les::level<Real>& l : levels) {
        const les::extents& size = l.grid.size;
        const bool apart =
            size.cells() < least_parted || size.y % parts != 0 || (l.halved[1] && rows % 2 != 0);
        if (apart) parts = 1;
        const small_level<Real> own(l, cycle.all, parts);
        rows = own.rows;
        cycle.all += own.cells;
        cycle.levels[cycle.count++] = own;
    }
    return cycle;
}

/// The first of the levels whose arrays fit into so many bytes of each block.
template <class Real>
std::size_t first_within(std::span<const les::level<Real>> levels, unsigned blocks,
                         std::size_t bytes) {
    std::size_t first = levels.size();
    while (first > 1 && levels.size() - first < les::most_small && levels[first - 1].grid.whole() &&
           small_arrays * cycle_of(levels.subspan(first - 1), blocks).all * sizeof(Real) <= bytes)
        --first;
    return first;
}
/// How many blocks the levels have: found once, since it takes time.
template <class Real>
unsigned blocks_of_small() {
    static const unsigned blocks =
        cluster_blocks<small_threads, small_cycle<Real>>(device::current_limits().shared_bytes);
    return blocks;
}
template <class Real>
std::size_t first_small(std::span<const les::level<Real>> levels) {
    return first_within(levels, blocks_of_small<Real>(), device::current_limits().shared_bytes);
}

template <class Real>
void small_levels(std::span<const les::level<Real>> levels, unsigned blocks, stream_t stream) {
    const small_cycle<Real> cycle = cycle_of(levels, blocks);
    launch_cluster<small_threads>(cycle.levels[0].parts, cycle, stream,
                                  small_arrays * cycle.all * sizeof(Real));
}
template <class Real>
void small_levels(std::span<const les::level<Real>> levels, stream_t stream) {
    small_levels(levels, blocks_of_small<Real>(), stream);
}

}  // namespace watari::gpu
