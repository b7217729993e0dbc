/// The first sweep from zero, in a pack of four cells and in two cells at an end of a row. For
/// planes_gpu.hpp.
#pragma once

#include "pack_stars_gpu.hpp"

#include <cstdint>

namespace watari::gpu {

/// Two cells beside each other.
template <class T>
struct pair_of {
    T of[2];
};
__device__ __forceinline__ pair_of<float> read_pair(const float* from) {
    const float2 v = *reinterpret_cast<const float2*>(from);
    return {{v.x, v.y}};
}

/// x0 = weight r / diagonal: a sweep from zero.
struct begun {
    fine_operator<float> a;
    const float* r;
    float weight;
    offset plane;

    struct ahead {
        pack<float> r;
        pack<std::uint8_t> codes;
    };
    struct pair_ahead {
        pair_of<float> r;
        std::uint8_t codes[2];
    };
    __device__ __forceinline__ ahead load(offset at, offset k) const {
        const offset own = at + k * plane;
        return {read_pack(r + own), read_pack(a.diagonals() + own)};
    }
    __device__ __forceinline__ pack<float> value(const ahead& v, float free) const {
        pack<float> to;
        const bool inner = v.codes.mask() == ~0u;
#pragma unroll
        for (unsigned n = 0; n < pack_cells; ++n) {
            float inverse = free;
            if (!inner) inverse = a.template inverse_by<true>(v.codes[n]);
            to.of[n] = weight * (inverse * v.r[n]);
        }
        return to;
    }
    __device__ __forceinline__ pair_ahead load_pair(offset at, offset k) const {
        const offset own = at + k * plane;
        const std::uint8_t* const codes = a.diagonals() + own;
        return {read_pair(r + own), {codes[0], codes[1]}};
    }
    __device__ __forceinline__ pair_of<float> value(const pair_ahead& v) const {
        pair_of<float> to;
        for (unsigned n = 0; n < 2; ++n)
            to.of[n] = weight * (a.template inverse_by<true>(v.codes[n]) * v.r.of[n]);
        return to;
    }
};

}  // namespace watari::gpu
