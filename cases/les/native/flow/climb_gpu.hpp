/// The loop of a stage by columns of two cells; see climb.hpp.
#pragma once

#include "climb.hpp"

#include <type_traits>

namespace watari::gpu {

inline constexpr unsigned climb_cells = 2 * row_lanes;

/// Writes a pair of numbers, and its copies in the halo.
struct pair_writer {
    index along_x, back_x, along_y;  ///< to the copy of the first, the last, the row; or 0

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

/// The list of those cells in a warp's row that have walls beside them. All lanes share the list:
/// seldom more than 32 of 64 cells have walls, so the list takes one turn, where two cells per lane
/// take two.
struct wall_cells {
    std::uint8_t (&list)[climb_cells];

    /// Adds this lane's first and second cell if they have walls; returns the length of the list.
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

/// Writes a number, and its copies in the halo.
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

/// A stage in two adjacent cells, for body advance_one: next = now + b q after q = a q + step
/// F(now).
template <les::stage Which, class Real>
struct stage_column {
    climb<Real> here;
    Real q[4][2], next[4][2];

    __device__ __forceinline__ static cell_beside_walls look(unsigned flag) {
        return cell_beside_walls::of(flag);
    }

    template <class Body>
    __device__ __forceinline__ static Real* to(const Body& body, unsigned c) {
        return c == 3 ? body.f.next.theta : body.f.next.velocity[c];
    }
    template <class Body>
    __device__ __forceinline__ void begin(const Body& body, index at, index along_y,
                                          index along_z) {
        here.begin(body.f, at - along_z, along_y);
        typename climb<Real>::above up;
        here.look_up(up, body.f, at, along_y);
        here.go_up(up);
    }
    template <class Body>
    __device__ __forceinline__ void compute(const Body& body, index at, index along_y,
                                            index along_z, const bool (&solid)[2]) {
        typename climb<Real>::above up;
        Real tendency[4][2];
        if constexpr (Which != les::stage::first)
            for (unsigned c = 0; c < 4; ++c)
                for (unsigned m = 0; m < 2; ++m) q[c][m] = body.f.q[c][at + m];
        here.look_up(up, body.f, at + along_z, along_y);
        here.tendencies(tendency, up, body.f, at, along_y);
        if constexpr (Body::moist::value)
            for (unsigned m = 0; m < 2; ++m)
                tendency[2][m] += moist_lift(body.f, at + static_cast<index>(m));
        for (unsigned m = 0; m < 2; ++m) {
            const Real now[4] = {here.u[m], here.v[m], here.w[m], here.theta[m]};
            for (unsigned c = 0; c < 4; ++c) {
                Real more = body.by.step * tendency[c][m];
                if constexpr (Which != les::stage::first) more = body.by.a * q[c][m] + more;
                q[c][m] = solid[m] ? Real(0) : more;
                next[c][m] = now[c] + body.by.b * q[c][m];
            }
        }
        here.go_up(up);
    }
    template <class Body>
    __device__ __forceinline__ void put(const Body& body, index at,
                                        const pair_writer& write) const {
        for (unsigned c = 0; c < 4; ++c) {
            if constexpr (Which != les::stage::last) pair_writer::put(body.f.q[c] + at, q[c]);
            write(to(body, c) + at, next[c]);
        }
    }
    template <class Body>
    __device__ __forceinline__ void put_one(const Body& body, index at, unsigned m,
                                            const number_writer& write) const {
        for (unsigned c = 0; c < 4; ++c) {
            if constexpr (Which != les::stage::last) body.f.q[c][at] = m ? q[c][1] : q[c][0];
            write(to(body, c) + at, m ? next[c][1] : next[c][0]);
        }
    }
    template <class Body, class Result>
    __device__ __forceinline__ static void put_result(const Body& body, index at, const Result& now,
                                                      const number_writer& write) {
#pragma unroll
        for (unsigned c = 0; c < 4; ++c) {
            if constexpr (Which != les::stage::last) body.f.q[c][at] = now.q[c];
            write(to(body, c) + at, now.next[c]);
        }
    }
};

/// The viscosity in two adjacent cells, for body viscosity_of.
template <class Real>
struct viscosity_column {
    strain_climb<Real> here;
    Real nu[2];

    __device__ __forceinline__ static cell_beside_walls look(unsigned flag) {
        return cell_beside_walls::of(flag);
    }

    template <class Body>
    __device__ __forceinline__ void begin(const Body& body, index at, index along_y,
                                          index along_z) {
        here.begin(body.f, at, along_y, along_z);
    }
    template <class Body>
    __device__ __forceinline__ void compute(const Body& body, index at, index along_y,
                                            index along_z, const bool (&solid)[2]) {
        const auto& f = body.f;
        const Real length2[2] = {f.length2[at], f.length2[at + 1]};
        Real squares[2];
        here.go_up(squares, f, at, along_y, along_z);
        for (unsigned m = 0; m < 2; ++m) {
            const Real of_air = f.air.nu + length2[m] * square_root(squares[m]);
            nu[m] = solid[m] ? Real(0) : of_air;
        }
    }
    template <class Body>
    __device__ __forceinline__ void put(const Body& body, index at,
                                        const pair_writer& write) const {
        write(body.f.nu + at, nu);
    }
    template <class Body>
    __device__ __forceinline__ void put_one(const Body& body, index at, unsigned m,
                                            const number_writer& write) const {
        write(body.f.nu + at, m ? nu[1] : nu[0]);
    }
    template <class Body>
    __device__ __forceinline__ static void put_result(const Body& body, index at, Real nu,
                                                      const number_writer& write) {
        write(body.f.nu + at, nu);
    }
};

/// Computes a body, by Column in cells without walls beside them. Returns false, and computes
/// nothing, if rows are not whole pairs.
template <class Column, unsigned Blocks, class Body>
bool climb_all(const les::grid& g, const Body& body, stream_t stream) {
    if (g.size.x % 2 != 0) return false;
    const tiling tall{climb_cells, 16}, low{climb_cells, 4};
    const dim3 n = tall.of(g);
    for_each_tile<Blocks>(
        g, n.x * n.y * n.z >= 4 * 132 * Blocks ? tall : low,
        [=] __device__(const tile& t, unsigned lane) {
            __shared__ std::uint8_t lists[warps_of_a_block][climb_cells];
            const wall_cells walls{lists[threadIdx.y]};
            const index given = t.i + 2 * static_cast<index>(lane), last = t.i + t.cells;
            const bool mine = given < last;
            const index i = mine ? given : last - 2;
            const index x = static_cast<index>(g.size.x), y = static_cast<index>(g.size.y);
            const index along_y = static_cast<index>(g.row()),
                        along_z = static_cast<index>(g.plane());
            const index rows = (!g.around_y ? 0 : t.j == 0 ? y : t.j + 1 == y ? -y : 0) * along_y;
            const auto writer_at = [=](index i) {
                return number_writer{!g.around_x ? 0 : i == 0 ? x : i + 1 == x ? -x : 0, rows};
            };
            index row = static_cast<index>(g.at(t.k, t.j, t.i));
            Column here;
            here.begin(body, row + i - t.i, along_y, along_z);
#pragma unroll 1
            for (index k = t.k; k < t.k + t.planes; ++k, row += along_z) {
                const index at = row + i - t.i;
                const unsigned flags = *reinterpret_cast<const std::uint16_t*>(body.flags + at);
                bool solid[2], beside_wall[2];
                for (unsigned m = 0; m < 2; ++m) {
                    const auto own = Column::look(flags >> (8 * m) & 0xff);
                    solid[m] = own.solid;
                    beside_wall[m] = mine && own.beside_wall;
                }
                here.compute(body, at, along_y, along_z, solid);
                if (mine && !beside_wall[0] && !beside_wall[1]) {
                    here.put(body, at,
                             pair_writer{g.around_x && i == 0 ? x : 0,
                                         g.around_x && i + 2 == x ? 1 - x : 0, rows});
                } else if (mine && beside_wall[0] != beside_wall[1]) {
                    const unsigned m = beside_wall[0];
                    const index own = static_cast<index>(m);
                    here.put_one(body, at + own, m, writer_at(i + own));
                }
                const unsigned count = walls.gather(lane, beside_wall[0], beside_wall[1]);
                if (count == 0) continue;
                const Body there = in_plane(body, static_cast<std::size_t>(k));
#pragma unroll 1
                for (unsigned n = lane; n < count; n += row_lanes) {
                    const index beyond = walls.list[n];
                    const cell own{k, t.j, t.i + beyond, row + beyond};
                    Column::put_result(body, own.at, there.template value<true>(own),
                                       writer_at(own.i));
                }
                __syncwarp();  // read the list before the next plane overwrites it
            }
        },
        stream);
    return true;
}

template <les::stage Which, class Real, class Body>
bool climb_stage(const les::grid& g, const Body& body, stream_t stream) {
    return climb_all<stage_column<Which, Real>, 2>(g, body, stream);
}
template <class Real, class Body>
bool climb_viscosity(const les::grid& g, const Body& body, stream_t stream) {
    return climb_all<viscosity_column<Real>, 3>(g, body, stream);
}

}  // namespace watari::gpu
