/// Steps of a V-cycle that a GPU does in one pass: see planes_gpu.hpp. For vcycle.cpp.
#pragma once

#include "watari/cases/les/pressure/planes_gpu.hpp"
#include "watari/cases/les/variants.hpp"

#include <type_traits>

namespace watari::gpu {

/// Where a lane of a pass writes: plane 0 of its row, with the copies in the halo.
struct row_writer {
    pack_writer at;
    offset plane;

    __device__ __forceinline__ void begin(const les::grid& g, offset j, offset i) {
        const auto x = static_cast<offset>(g.size.x), y = static_cast<offset>(g.size.y);
        const offset rows = j == 0 ? y : j + 1 == y ? -y : 0;
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

/// Partial sums of pieces of a row, by the tree of sum_packs(): halves are added onto halves once
/// for four planes, by four lanes for each.
struct piece_sums {
    static constexpr unsigned room = row_lanes + 4, planes = 4;
    double products[own_rows][pack_cells * room], lanes[own_rows][planes * room];

    __device__ __forceinline__ void add(unsigned row, unsigned lane, unsigned plane,
                                        const double (&each)[pack_cells]) {
        double* const own = products[row];
#pragma unroll
        for (unsigned n = 0; n < pack_cells; ++n) own[n * room + lane] = each[n];
        __syncwarp();
        double sum = 0;
#pragma unroll
        for (unsigned n = 0; n < pack_cells; ++n)
            sum += own[lane % 4 * room + lane / 4 + n * (row_lanes / 4)];
        lanes[row][plane * room + lane] = sum;
        __syncwarp();
    }
    /// put(plane, sum) by one lane for each.
    template <class Put>
    __device__ __forceinline__ void add_up(unsigned row, unsigned lane, unsigned count,
                                           const Put& put) const {
        const unsigned plane = lane / 4;
        double sum = 0;
        if (plane < count) {
            const double* const s = lanes[row] + plane * room + lane % 4;
            sum = ((s[0] + s[16]) + (s[8] + s[24])) + ((s[4] + s[20]) + (s[12] + s[28]));
        }
        sum += __shfl_down_sync(~0u, sum, 2);
        sum += __shfl_down_sync(~0u, sum, 1);
        if (lane % 4 == 0 && plane < count) put(plane, sum);
        __syncwarp();
    }
};

/// A sweep from x1, with the partial sums of r times it, if there is room for them.
template <bool Sums>
struct swept_again {
    les::grid grid;
    float weight;
    float* to;
    double* partials;

    struct lane {
        row_writer write;
        piece_sums* sums;
        unsigned row, number, count;
        std::size_t piece;  ///< of the first plane that is not added up yet
    };
    __device__ __forceinline__ void begin(lane& l, const pass_tile& t, unsigned row,
                                          unsigned number) const {
        const offset j = t.j - 1 + static_cast<offset>(row);
        if (row >= 1 && row <= own_rows)
            l.write.begin(grid, j, t.i + pack_cells * static_cast<offset>(number));
        if constexpr (Sums) {
            __shared__ piece_sums sums;
            l.sums = &sums;
            l.row = row - 1, l.number = number, l.count = 0;
            const std::size_t pieces = grid.size.x / pass_cells;
            l.piece = (static_cast<std::size_t>(t.k) * grid.size.y + static_cast<std::size_t>(j)) *
                          pieces +
                      static_cast<std::size_t>(t.i) / pass_cells;
        }
    }
    __device__ __forceinline__ void swept(lane&, const pack<float>&, offset) const {}
    template <class Operator, class Code>
    __device__ __forceinline__ void plane(lane& l, const Operator& a, const pack_star& x,
                                          const pack<Code>& codes, const pack<float>& r, float free,
                                          offset k) const {
        const pack<float> e = sweep_of(a, x, codes, r, weight, free);
        l.write(to, e, k);
        if constexpr (Sums) {
            double each[pack_cells];
#pragma unroll
            for (unsigned n = 0; n < pack_cells; ++n) each[n] = double(r[n]) * double(e[n]);
            l.sums->add(l.row, l.number, l.count, each);
            if (++l.count == piece_sums::planes) end(l);
        }
    }
    __device__ __forceinline__ void end(lane& l) const {
        if constexpr (Sums) {
            const std::size_t plane = grid.size.y * (grid.size.x / pass_cells);
            l.sums->add_up(l.row, l.number, l.count,
                           [&](unsigned n, double sum) { partials[l.piece + n * plane] = sum; });
            l.piece += l.count * plane;
            l.count = 0;
        }
    }
};

/// x1 itself, and the mean of r - A x1 over the children of each coarse cell: a row of these is
/// that of two warps, of which the second leaves its part to the first.
struct swept_and_restricted {
    static constexpr unsigned odd = own_rows / 2 * row_lanes;
    les::grid grid, coarse;
    float *e, *to;

    struct lane {
        row_writer write;
        pack<float>* others;  ///< of the second row: even planes, then odd ones
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
        const offset rows = along == 0 ? y : along + 1 == y ? -y : 0;
        l.coarse_at = static_cast<offset>(coarse.at(static_cast<std::size_t>(t.k / 2),
                                                    static_cast<std::size_t>(along),
                                                    static_cast<std::size_t>(first)));
        l.along_x = first == 0 ? x : 0, l.back_x = first + 2 == x ? 1 - x : 0;
        l.along_y = rows * static_cast<offset>(coarse.row());
    }
    __device__ __forceinline__ void swept(lane& l, const pack<float>& x1, offset k) const {
        l.write(e, x1, k);
    }
    template <class Operator, class Code>
    __device__ __forceinline__ void plane(lane& l, const Operator& a, const pack_star& x,
                                          const pack<Code>& codes, const pack<float>& r, float,
                                          offset k) const {
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

/// Whether a pass fits a level, and the one below it.
template <class Real>
bool fits_pass(const les::level<Real>& l, const les::level<Real>& coarse) {
    const les::extents& size = l.grid.size;
    return sizeof(Real) == 4 && l.grid.around && coarse.grid.around && coarse.all_halved() &&
           size.x % pass_cells == 0 && size.y % own_rows == 0 && size.y > begun_rows;
}

/// Planes of a block: all of a column, if there are two blocks for each place on the GPU.
inline std::size_t pass_planes(const les::extents& size) {
    const std::size_t columns = size.x / pass_cells * (size.y / own_rows), enough = 240;
    std::size_t parts = les::tries(les::short_columns) ? 2 : 1;
    while (columns * parts < enough && size.z / parts > 8 && size.z / parts % 4 == 0) parts *= 2;
    return size.z / parts;
}

template <unsigned Turns, class Begin, class Finish>
void run_by(const les::grid& g, const Begin& begin, const Finish& finish, float weight,
            stream_t stream) {
    const pass<Begin, Finish, Turns> all{g, begin, finish, weight};
    const auto along = static_cast<unsigned>(g.size.x / pass_cells),
               across = static_cast<unsigned>(g.size.y / own_rows);
    const std::size_t planes = pass_planes(g.size);
    launch_next<pass_warps * row_lanes, 2>(
        dim3(along * across * static_cast<unsigned>(g.size.z / planes)),
        dim3(row_lanes, pass_warps),
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

template <class Begin, class Finish>
void run_pass(const les::grid& g, const Begin& begin, const Finish& finish, float weight,
              stream_t stream) {
    les::tries(les::unrolled) ? run_by<3>(g, begin, finish, weight, stream)
                              : run_by<1>(g, begin, finish, weight, stream);
}

/// Calls work(operator) of a level whose faces are codes, if it is one.
template <class Real, class Work>
bool with_codes(const les::level<Real>& l, bool finest, bool second, const Work& work) {
    if (l.finest() && finest) return work(fine_operator<Real>(l)), true;
    if (l.open != nullptr && second) return work(counted_operator<Real>(l)), true;
    return false;
}

/// Whether it was done.
template <class Real>
bool sweep_last(const les::level<Real>& l, const les::level<Real>& coarse, double* partials,
                stream_t stream) {
    if constexpr (!std::is_same_v<Real, float>) {
        return false;
    } else {
        if (!fits_pass(l, coarse)) return false;
        const bool second = les::tries(les::fuse_second_last) && partials == nullptr;
        return with_codes(
            l, les::tries(les::fuse_last), second, [&]<class Operator>(const Operator& a) {
                constexpr bool sums = std::is_same_v<Operator, fine_operator<float>>;
                run_pass(l.grid,
                         corrected<Operator>{a, prolonged<float>(l, coarse), l.r,
                                             static_cast<offset>(l.grid.plane())},
                         swept_again<sums>{l.grid, float(les::first_weight), l.scratch, partials},
                         float(les::second_weight), stream);
            });
    }
}

template <class Real>
bool sweep_first(const les::level<Real>& l, const les::level<Real>& coarse, stream_t stream) {
    if constexpr (!std::is_same_v<Real, float>) {
        return false;
    } else {
        if (!fits_pass(l, coarse)) return false;
        return with_codes(l, les::tries(les::fuse_first), les::tries(les::fuse_second_first),
                          [&]<class Operator>(const Operator& a) {
                              run_pass(l.grid,
                                       begun<Operator>{a, l.r, float(les::first_weight),
                                                       static_cast<offset>(l.grid.plane())},
                                       swept_and_restricted{l.grid, coarse.grid, l.e, coarse.r},
                                       float(les::second_weight), stream);
                          });
    }
}

}  // namespace watari::gpu
