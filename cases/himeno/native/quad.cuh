/// Four points per thread along k: loads and stores of 16 bytes, and the sum of a block.
#pragma once

#include "stencil.hpp"

#include <cstdint>

namespace watari::gpu {

struct quad {
    float value[4];
};

/// Four points of a row and their neighbours on both sides.
struct wide_quad {
    float value[6];
};

/// Four points from k on: whether each is in the row, and whether it is interior.
struct span {
    unsigned k, row;
    __device__ bool inside(unsigned q) const { return k + q < row; }
    __device__ bool interior(unsigned q) const { return k + q > 0 && k + q + 1 < row; }
};

/// Reads data that are read once, with the hint to evict them from the caches first.
template <bool Aligned>
__device__ quad load_once(const float* at, span s) {
    quad result{};
    if constexpr (Aligned) {
        const float4 v = __ldcs(reinterpret_cast<const float4*>(at));
        result = {{v.x, v.y, v.z, v.w}};
    } else {
#pragma unroll
        for (unsigned q = 0; q < 4; ++q)
            if (s.inside(q)) result.value[q] = __ldcs(at + q);
    }
    return result;
}

/// Reads p, which neighbours read again.
template <bool Aligned>
__device__ quad load(const float* at, span s) {
    quad result{};
    if constexpr (Aligned) {
        const float4 v = __ldg(reinterpret_cast<const float4*>(at));
        result = {{v.x, v.y, v.z, v.w}};
    } else {
#pragma unroll
        for (unsigned q = 0; q < 4; ++q)
            if (s.inside(q)) result.value[q] = __ldg(at + q);
    }
    return result;
}

/// As `load`, with one more point on each side.
template <bool Aligned>
__device__ wide_quad load_wide(const float* at, span s) {
    const quad own = load<Aligned>(at, s);
    return {{s.k > 0 ? __ldg(at - 1) : 0, own.value[0], own.value[1], own.value[2], own.value[3],
             s.inside(4) ? __ldg(at + 4) : 0}};
}

/// Writes four points. A whole quad includes p's values at the boundary, which wrk2 has already.
template <bool Aligned>
__device__ void store(float* at, const quad& v, span s) {
    if constexpr (Aligned) {
        __stcs(reinterpret_cast<float4*>(at),
               make_float4(v.value[0], v.value[1], v.value[2], v.value[3]));
    } else {
#pragma unroll
        for (unsigned q = 0; q < 4; ++q)
            if (s.interior(q)) __stcs(at + q, v.value[q]);
    }
}

/// The 12 arrays that are read once, at four points.
struct quad_inputs {
    quad a[4], b[3], c[3], wrk1, bnd;
    __device__ inputs at(unsigned q) const {
        return {{a[0].value[q], a[1].value[q], a[2].value[q], a[3].value[q]},
                {b[0].value[q], b[1].value[q], b[2].value[q]},
                {c[0].value[q], c[1].value[q], c[2].value[q]},
                wrk1.value[q],
                bnd.value[q]};
    }
};

template <bool Aligned>
__device__ quad_inputs load_inputs(const himeno::fields& f, std::size_t n, span s) {
    quad_inputs in;
#pragma unroll
    for (unsigned m = 0; m < 4; ++m) in.a[m] = load_once<Aligned>(f.a[m] + n, s);
#pragma unroll
    for (unsigned m = 0; m < 3; ++m) {
        in.b[m] = load_once<Aligned>(f.b[m] + n, s);
        in.c[m] = load_once<Aligned>(f.c[m] + n, s);
    }
    in.wrk1 = load_once<Aligned>(f.wrk1 + n, s);
    in.bnd = load_once<Aligned>(f.bnd + n, s);
    return in;
}

/// p around four points: rows[di + 1][dj + 1], each with one more point on each side.
struct quad_neighbours {
    wide_quad rows[3][3];
};

/// Writes wrk2 at four points; returns the sum of ss*ss over the interior ones.
template <bool Aligned>
__device__ double advance(const quad_inputs& in, const quad_neighbours& p, float* wrk2, span s) {
    quad result;
    double gosa = 0;
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
        float around[3][3][3];
#pragma unroll
        for (unsigned m = 0; m < 27; ++m)
            around[m / 9][m / 3 % 3][m % 3] = p.rows[m / 9][m / 3 % 3].value[q + m % 3];
        const float ss = s.interior(q) ? correction(in.at(q), around) : 0;
        result.value[q] = around[1][1][1] + himeno::omega * ss;
        gosa += static_cast<double>(ss * ss);
    }
    store<Aligned>(wrk2, result, s);
    return gosa;
}

/// Sum over the threads of a block in a fixed order; only the first thread has the total.
__device__ inline double block_sum(double own) {
    __shared__ double warps[32];
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (unsigned half = 16; half > 0; half /= 2) own += __shfl_down_sync(~0u, own, half);
    if (thread % 32 == 0) warps[thread / 32] = own;
    __syncthreads();
    if (thread == 0)
        for (unsigned w = 1; w < blockDim.x * blockDim.y / 32; ++w) own += warps[w];
    return own;
}

/// Whether all arrays and rows begin at multiples of 16 bytes.
inline bool rows_aligned(const himeno::fields& f) {
    auto bits = reinterpret_cast<std::uintptr_t>(f.p) | f.size.k * sizeof(float);
    for (const float* array : {f.wrk2, f.wrk1, f.bnd, f.a[0], f.a[1], f.a[2], f.a[3], f.b[0],
                               f.b[1], f.b[2], f.c[0], f.c[1], f.c[2]})
        bits |= reinterpret_cast<std::uintptr_t>(array);
    return bits % 16 == 0;
}

}  // namespace watari::gpu
