/// Steps of a V-cycle on the finest level that a GPU does in one pass; see planes_gpu.hpp. For
/// vcycle.cpp. If ranks exchange halos between the steps, each step is a separate pass.
#pragma once

#include "planes_gpu.hpp"

#include <type_traits>

namespace watari::gpu {

/// The place where a lane of a pass writes: its cells in plane 0 of its row, with the copies in the
/// halo.
struct row_writer {
    pack_writer at;
    offset plane;

    __device__ __forceinline__ void begin(const les::grid& g, offset j, offset i) {
        const auto x = static_cast<offset>(g.size.x), y = static_cast<offset>(g.size.y);
        const offset rows = !g.around_y ? 0 : j == 0 ? y : j + 1 == y ? -y : 0;
        at.at =
            static_cast<index>(g.at(0, static_cast<std::size_t>(j), static_cast<std::size_t>(i)));
        at.along_x = static_cast<index>(i == 0 ? x : 0);
        at.back_x = static_cast<index>(
            i + static_cast<offset>(pack_cells) == x ? static_cast<offset>(pack_cells) - 1 - x : 0);
        at.along_y = static_cast<index>(rows * static_cast<offset>(g.row()));
        plane = static_cast<offset>(g.plane());
    }
    __device__ __forceinline__ void operator()(float* to, const pack<float>& v, offset k) const {
        pack_writer here = at;
        here.at += static_cast<index>(k * plane);
        here(to, v);
    }
};

/// The `Finish` of a pass: stores x1, and the mean of r - A x1 over the children of each coarse
/// cell. Two warps share a row of coarse cells; the second leaves its numbers to the first.
struct swept_and_restricted {
    static constexpr unsigned odd = own_rows / 2 * row_lanes;
    les::grid grid, coarse;
    float *e, *to;

    struct lane {
        row_writer write;
        pack<float>* others;  ///< of the second row: even planes, then odd planes
        pack<float> column;
        bool second, begun;
        offset coarse_at, along_x, back_x, along_y;
    };
    __device__ __forceinline__ void begin(lane& l, const pass_tile& t, unsigned row,
                                          unsigned number) const {
        if (row < 1 || row > own_rows) return;
        __shared__ pack<float> others[2][own_rows / 2][row_lanes];
        const offset j = t.j - 1 + static_cast<offset>(row),
                     i = t.i + pack_cells * static_cast<offset>(number);
        l.write.begin(grid, j, i);
        l.others = &others[0][(row - 1) / 2][number];
        l.second = row % 2 == 0;
        l.begun = false;
        l.column = {};
        const auto x = static_cast<offset>(coarse.size.x), y = static_cast<offset>(coarse.size.y);
        const offset first = i / 2, along = j / 2;
        const offset rows = !coarse.around_y ? 0 : along == 0 ? y : along + 1 == y ? -y : 0;
        l.coarse_at = static_cast<offset>(coarse.at(static_cast<std::size_t>(t.k / 2),
                                                    static_cast<std::size_t>(along),
                                                    static_cast<std::size_t>(first)));
        l.along_x = first == 0 ? x : 0, l.back_x = first + 2 == x ? 1 - x : 0;
        l.along_y = rows * static_cast<offset>(coarse.row());
    }
    __device__ __forceinline__ void swept(lane& l, const pack<float>& x1, offset k) const {
        l.write(e, x1, k);
    }
    __device__ __forceinline__ void plane(lane& l, const fine_operator<float>& a,
                                          const pack_star& x, const pack<std::uint8_t>& codes,
                                          const pack<float>& r, offset k) const {
        const pack<float> rest = rest_of(a, x, codes, r);
        if (l.second) {
            l.others[(k & 1) * odd] = rest;
            return;
        }
        if (l.begun) take_other(l, (k & 1) ^ 1);
        if (k % 2 == 0) {
            if (l.begun) put(l);
            l.column = {};
        }
        l.begun = true;
        add(l, rest);
    }
    __device__ __forceinline__ void end(lane& l) const {
        if (l.second) return;
        take_other(l, 1);
        put(l);
    }

private:
    __device__ __forceinline__ static void add(lane& l, const pack<float>& more) {
#pragma unroll
        for (unsigned n = 0; n < pack_cells; ++n) l.column.of[n] += more[n];
    }
    __device__ __forceinline__ static void take_other(lane& l, unsigned parity) {
        add(l, l.others[parity * odd]);
    }
    __device__ __forceinline__ void put(lane& l) const {
        float2 v;
        const auto mean = [&](unsigned n) {
            float sum = 0;
            sum += l.column[n];
            sum += l.column[n + 1];
            return float(1) / float(8) * sum;
        };
        v.x = mean(0), v.y = mean(2);
        const auto write = [&](float* own) {
            *reinterpret_cast<float2*>(own) = v;
            if (l.along_x != 0) own[l.along_x] = v.x;
            if (l.back_x != 0) own[l.back_x] = v.y;
        };
        write(to + l.coarse_at);
        if (l.along_y != 0) write(to + l.coarse_at + l.along_y);
        l.coarse_at += static_cast<offset>(coarse.plane());
    }
};

/// Whether a pass fits a level and the next coarser level.
inline bool fits_pass(const les::level<float>& l, const les::level<float>& coarse) {
    const les::extents& size = l.grid.size;
    return l.finest() && l.grid.unbroken() && l.grid.whole() == coarse.grid.whole() &&
           coarse.all_halved() && size.x % pass_cells == 0 && size.y % own_rows == 0 &&
           size.y > begun_rows;
}

/// Returns the planes of a block: the whole column, if the GPU then has about two blocks for each
/// multiprocessor.
inline std::size_t pass_planes(const les::extents& size) {
    const std::size_t columns = size.x / pass_cells * (size.y / own_rows), enough = 240;
    std::size_t parts = 1;
    while (columns * parts < enough && size.z / parts > 8 && size.z / parts % 4 == 0) parts *= 2;
    return size.z / parts;
}

template <class Finish>
void run_pass(const pass<Finish>& all, stream_t stream) {
    const les::extents& size = all.grid.size;
    const auto along = static_cast<unsigned>(size.x / pass_cells),
               across = static_cast<unsigned>(size.y / own_rows);
    const std::size_t planes = pass_planes(size);
    launch<pass_warps * row_lanes, 2>(
        along * across * static_cast<unsigned>(size.z / planes), dim3(row_lanes, pass_warps),
        [=] __device__() {
            const unsigned column = blockIdx.x % (along * across);
            all(pass_tile{static_cast<offset>(blockIdx.x / (along * across) * planes),
                          static_cast<offset>(planes),
                          static_cast<offset>(column / along * own_rows),
                          static_cast<offset>(column % along * pass_cells)},
                threadIdx.y, threadIdx.x);
        },
        stream);
}

/// Does two_sweeps() and restrict_residual() in one pass; returns false if the levels do not fit.
template <class Real>
bool sweep_first(const les::level<Real>& l, const les::level<Real>& coarse, stream_t stream) {
    if constexpr (std::is_same_v<Real, float>) {
        if (!fits_pass(l, coarse)) return false;
        run_pass(pass<swept_and_restricted>{l.grid,
                                            {fine_operator<float>(l), l.r, float(les::first_weight),
                                             static_cast<offset>(l.grid.plane())},
                                            {l.grid, coarse.grid, l.e, coarse.r},
                                            float(les::second_weight)},
                 stream);
        return true;
    } else {
        return false;
    }
}

/// Returns false: a GPU takes longer for the last two sweeps in one pass than in two.
template <class Real>
bool sweep_last(const les::level<Real>&, const les::level<Real>&, double*, stream_t) {
    return false;
}

}  // namespace watari::gpu
