/// The operator in a pack of four cells beside each other, whose neighbours are in registers. For
/// planes_gpu.hpp.
#pragma once

#include "../grid/pack_reads_gpu.hpp"
#include "sweeps.hpp"

#include <cstdint>

namespace watari::gpu {

/// pack_star: a pack with its neighbours. in_pack: this pack as a vector for one of its cells.
struct pack_star {
    const pack<float>&below, &own, &above, &low, &high;
    float left, right;
};
struct in_pack {
    const pack_star& of;
    unsigned n;

    __device__ __forceinline__ float operator()(const cell&, int z, int y, int x,
                                                offset = 0) const {
        if (z != 0) return z < 0 ? of.below[n] : of.above[n];
        if (y != 0) return y < 0 ? of.low[n] : of.high[n];
        if (x < 0) return n == 0 ? of.left : of.own[(n + 3) % 4];
        if (x > 0) return n == 3 ? of.right : of.own[(n + 1) % 4];
        return of.own[n];
    }
};
/// One cell with its neighbours.
struct in_cell {
    float own, left, right, low, high, below, above;

    __device__ __forceinline__ float operator()(const cell&, int z, int y, int x,
                                                offset = 0) const {
        return z != 0   ? z < 0 ? below : above
               : y != 0 ? y < 0 ? low : high
               : x < 0  ? left
               : x > 0  ? right
                        : own;
    }
};

/// The operator in a cell, from the code of its faces.
__device__ __forceinline__ auto cell_of(const fine_operator<float>& a, std::uint8_t code) {
    return fine_operator<float, one_flag>{{code}, a.table, a.per_d2, a.row, a.plane};
}
/// 1 / diagonal where all faces are open.
__device__ __forceinline__ float free_of(const fine_operator<float>& a) {
    return a.template inverse_by<false>(0);
}

/// rest_of: r - A x in a pack. sweep_of: a sweep of a pack.
template <bool Walls>
__device__ __forceinline__ pack<float> rest_of(const fine_operator<float>& a, const pack_star& x,
                                               const pack<std::uint8_t>& codes,
                                               const pack<float>& r) {
    pack<float> rest;
#pragma unroll
    for (unsigned n = 0; n < pack_cells; ++n)
        rest.of[n] = r[n] - cell_of(a, codes[n]).template apply<Walls>(in_pack{x, n}, cell{});
    return rest;
}
__device__ __forceinline__ pack<float> rest_of(const fine_operator<float>& a, const pack_star& x,
                                               const pack<std::uint8_t>& codes,
                                               const pack<float>& r) {
    if (codes.mask() == ~0u) return rest_of<false>(a, x, codes, r);
    return rest_of<true>(a, x, codes, r);
}
__device__ __forceinline__ pack<float> sweep_of(const fine_operator<float>& a, const pack_star& x,
                                                const pack<std::uint8_t>& codes,
                                                const pack<float>& r, float weight, float free) {
    pack<float> to;
    const auto sweep = [&]<bool Walls>(std::bool_constant<Walls>) {
        const pack<float> rest = rest_of<Walls>(a, x, codes, r);
#pragma unroll
        for (unsigned n = 0; n < pack_cells; ++n) {
            const float inverse = Walls ? a.template inverse_by<true>(codes[n]) : free;
            to.of[n] = x.own[n] + weight * (inverse * rest[n]);
        }
    };
    if (codes.mask() == ~0u)
        sweep(std::false_type{});
    else
        sweep(std::true_type{});
    return to;
}

}  // namespace watari::gpu
