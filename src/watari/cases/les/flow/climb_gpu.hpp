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

/// body is advance_one: next = now + b q after q = a q + step F(now). Not done (false) but in fp32
/// for rows of whole pairs in a grid that goes around.
template <les::stage Which, class Real, class Body>
bool climb_all(const les::grid& g, const Body& body, stream_t stream) {
    using les::stage;
    if constexpr (sizeof(Real) != 4) return false;
    if (!g.around || g.size.x % 2 != 0) return false;
    const tiling tall{climb_cells, 16}, low{climb_cells, 4};
    const dim3 n = tall.of(g);
    for_each_tile<2>(
        g, n.x * n.y * n.z >= 4 * 264 ? tall : low,
        [=] __device__(const tile& t, unsigned lane) {
            const auto& f = body.f;
            const index i = t.i + 2 * static_cast<index>(lane);
            if (i >= t.i + t.cells) return;
            const index x = static_cast<index>(g.size.x), y = static_cast<index>(g.size.y);
            const index along_y = static_cast<index>(g.row()),
                        along_z = static_cast<index>(g.plane());
            const index rows = t.j == 0 ? y : t.j + 1 == y ? -y : 0;
            const pair_writer write{i == 0 ? x : 0, i + 2 == x ? 1 - x : 0, rows * along_y};
            index at = static_cast<index>(g.at(t.k, t.j, i));
            climb<Real> here;
            here.begin(f, at - along_z, along_y);
            typename climb<Real>::above up;
            here.look_up(up, f, at, along_y);
            here.go_up(up);
#pragma unroll 1
            for (index k = t.k; k < t.k + t.planes; ++k, at += along_z) {
                const auto flags = *reinterpret_cast<const std::uint16_t*>(body.flags + at);
                Real tendency[4][2], q[4][2], next[4][2];
                if constexpr (Which != stage::first)
                    for (unsigned c = 0; c < 4; ++c)
                        for (unsigned m = 0; m < 2; ++m) q[c][m] = f.q[c][at + m];
                here.look_up(up, f, at + along_z, along_y);
                here.tendencies(tendency, up, f, at, along_y);
                for (unsigned m = 0; m < 2; ++m) {
                    const Real now[4] = {here.u[m], here.v[m], here.w[m], here.theta[m]};
                    for (unsigned c = 0; c < 4; ++c) {
                        Real more = body.by.step * tendency[c][m];
                        if constexpr (Which != stage::first) more = body.by.a * q[c][m] + more;
                        q[c][m] = more;
                        next[c][m] = now[c] + body.by.b * more;
                    }
                }
                here.go_up(up);
                if (flags == 0xffff) {
                    for (unsigned c = 0; c < 4; ++c) {
                        if constexpr (Which != stage::last) pair_writer::put(f.q[c] + at, q[c]);
                        write((c == 3 ? f.next.theta : f.next.velocity[c]) + at, next[c]);
                    }
                } else {
                    const Body walls = in_plane(body, static_cast<std::size_t>(k));
#pragma unroll 1
                    for (index m = 0; m < 2; ++m) {
                        const cell own{k, t.j, i + m, at + m};
                        const auto result = walls.template value<true>(own);
                        walls.put(own, result);
#pragma unroll
                        for (unsigned c = 0; c < 4; ++c) {
                            Real* const to = (c == 3 ? f.next.theta : f.next.velocity[c]) + at + m;
                            const index aside = m == 0 ? write.along_x
                                                : write.back_x == 0 ? 0
                                                                    : write.back_x - 1;
                            if (aside != 0) to[aside] = result.next[c];
                            if (write.along_y != 0) to[write.along_y] = result.next[c];
                            if (aside != 0 && write.along_y != 0)
                                to[write.along_y + aside] = result.next[c];
                        }
                    }
                }
            }
        },
        stream);
    return true;
}

}  // namespace watari::gpu
