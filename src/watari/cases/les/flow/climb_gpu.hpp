/// The loop of a stage by columns of two cells; see climb.hpp.
#pragma once

#include "watari/cases/les/flow/climb.hpp"

#include <type_traits>

namespace watari::gpu {

inline constexpr unsigned climb_cells = 2 * row_lanes;

/// A pair of numbers, and its copies in the halo.
struct pair_writer {
    index along_x, back_x, along_y;  ///< to the copy of the first, of the last, of the row; or 0

    template <class Real>
    __device__ __forceinline__ static void put(Real* to, const Real (&v)[2]) {
        struct alignas(2 * sizeof(Real)) both {
            Real a, b;
        };
        *reinterpret_cast<both*>(to) = {v[0], v[1]};
    }
    template <class Real>
    __device__ __forceinline__ void operator()(Real* to, const Real (&v)[2]) const {
        put(to, v);
        if (along_x != 0) to[along_x] = v[0];
        if (back_x != 0) to[back_x] = v[1];
        if (along_y == 0) return;
        put(to + along_y, v);
        if (along_x != 0) to[along_y + along_x] = v[0];
        if (back_x != 0) to[along_y + back_x] = v[1];
    }
};

/// The cells of a row that have walls beside them, of those of a warp: for which of them another
/// lane computes than in the middle of the air. So they take one turn and not two, since seldom
/// more than 32 of 64 cells have walls.
struct wall_cells {
    std::uint8_t (&list)[climb_cells];

    /// Takes up this lane's two, if they are; returns how many there are.
    __device__ __forceinline__ unsigned gather(unsigned lane, bool first, bool second) const {
        const unsigned firsts = __ballot_sync(~0u, first), seconds = __ballot_sync(~0u, second);
        const unsigned before = (1u << lane) - 1, count = static_cast<unsigned>(__popc(firsts));
        if (first) list[__popc(firsts & before)] = static_cast<std::uint8_t>(2 * lane);
        if (second)
            list[count + static_cast<unsigned>(__popc(seconds & before))] =
                static_cast<std::uint8_t>(2 * lane + 1);
        __syncwarp();
        return count + static_cast<unsigned>(__popc(seconds));
    }
};

/// A number, and its copies in the halo.
struct number_writer {
    index along_x, along_y;  ///< to the copies, or 0

    template <class Real>
    __device__ __forceinline__ void operator()(Real* to, Real v) const {
        *to = v;
        if (along_x != 0) to[along_x] = v;
        if (along_y != 0) to[along_y] = v;
        if (along_x != 0 && along_y != 0) to[along_y + along_x] = v;
    }
};

/// body is advance_one: next = now + b q after q = a q + step F(now). Done for rows of whole pairs
/// in a grid that goes around, else false.
template <les::stage Which, class Real, class Body>
bool climb_all(const les::grid& g, const Body& body, stream_t stream) {
    using les::stage;
    if (!g.around || g.size.x % 2 != 0) return false;
    const tiling tall{climb_cells, 16}, low{climb_cells, 4};
    const dim3 n = tall.of(g);
    for_each_tile<2>(
        g, n.x * n.y * n.z >= 4 * 264 ? tall : low,
        [=] __device__(const tile& t, unsigned lane) {
            __shared__ std::uint8_t lists[warps_of_a_block][climb_cells];
            const wall_cells walls{lists[threadIdx.y]};
            const auto& f = body.f;
            const index given = t.i + 2 * static_cast<index>(lane), last = t.i + t.cells;
            const bool mine = given < last;
            const index i = mine ? given : last - 2;
            const index x = static_cast<index>(g.size.x), y = static_cast<index>(g.size.y);
            const index along_y = static_cast<index>(g.row()),
                        along_z = static_cast<index>(g.plane());
            const index rows = (t.j == 0 ? y : t.j + 1 == y ? -y : 0) * along_y;
            const pair_writer write{i == 0 ? x : 0, i + 2 == x ? 1 - x : 0, rows};
            const auto writer_at = [=](index i) {
                return number_writer{i == 0 ? x : i + 1 == x ? -x : 0, rows};
            };
            index row = static_cast<index>(g.at(t.k, t.j, t.i));
            climb<Real> here;
            here.begin(f, row + i - t.i - along_z, along_y);
            typename climb<Real>::above up;
            here.look_up(up, f, row + i - t.i, along_y);
            here.go_up(up);
#pragma unroll 1
            for (index k = t.k; k < t.k + t.planes; ++k, row += along_z) {
                const index at = row + i - t.i;
                const unsigned flags = *reinterpret_cast<const std::uint16_t*>(body.flags + at);
                Real tendency[4][2], q[4][2], next[4][2];
                if constexpr (Which != stage::first)
                    for (unsigned c = 0; c < 4; ++c)
                        for (unsigned m = 0; m < 2; ++m) q[c][m] = f.q[c][at + m];
                here.look_up(up, f, at + along_z, along_y);
                here.tendencies(tendency, up, f, at, along_y);
                bool solid[2], beside_wall[2];
                for (unsigned m = 0; m < 2; ++m) {
                    const unsigned own = flags >> (8 * m) & les::flag::all;
                    solid[m] = !(own & les::flag::fluid);
                    beside_wall[m] = mine && !solid[m] && own != les::flag::all;
                    const Real now[4] = {here.u[m], here.v[m], here.w[m], here.theta[m]};
                    for (unsigned c = 0; c < 4; ++c) {
                        Real more = body.by.step * tendency[c][m];
                        if constexpr (Which != stage::first) more = body.by.a * q[c][m] + more;
                        q[c][m] = solid[m] ? Real(0) : more;
                        next[c][m] = now[c] + body.by.b * q[c][m];
                    }
                }
                here.go_up(up);
                const auto to = [&](unsigned c) { return c == 3 ? f.next.theta : f.next.velocity[c]; };
                if (mine && !beside_wall[0] && !beside_wall[1]) {
                    for (unsigned c = 0; c < 4; ++c) {
                        if constexpr (Which != stage::last) pair_writer::put(f.q[c] + at, q[c]);
                        write(to(c) + at, next[c]);
                    }
                } else if (mine && beside_wall[0] != beside_wall[1]) {
                    const unsigned m = beside_wall[0];
                    const index own = static_cast<index>(m);
                    const number_writer alone = writer_at(i + own);
                    for (unsigned c = 0; c < 4; ++c) {
                        if constexpr (Which != stage::last)
                            f.q[c][at + own] = m ? q[c][1] : q[c][0];
                        alone(to(c) + at + own, m ? next[c][1] : next[c][0]);
                    }
                }
                const unsigned count = walls.gather(lane, beside_wall[0], beside_wall[1]);
                if (count == 0) continue;
                const Body there = in_plane(body, static_cast<std::size_t>(k));
#pragma unroll 1
                for (unsigned n = lane; n < count; n += row_lanes) {
                    const index beyond = walls.list[n];
                    const cell own{k, t.j, t.i + beyond, row + beyond};
                    const auto result = there.template value<true>(own);
                    const number_writer alone = writer_at(own.i);
#pragma unroll
                    for (unsigned c = 0; c < 4; ++c) {
                        if constexpr (Which != stage::last) f.q[c][own.at] = result.q[c];
                        alone(to(c) + own.at, result.next[c]);
                    }
                }
                __syncwarp();  // the list is read before the next plane's is written
            }
        },
        stream);
    return true;
}

}  // namespace watari::gpu
