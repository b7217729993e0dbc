/// The square root of a GPU, for momentum.hpp.
#pragma once

#include "watari/core/backend.hpp"

#include <cmath>

namespace watari::gpu {

/// Returns the same bits as sqrtf, by its steps for large x but without its branch for other x:
/// loads before and after it overlap. Small x is scaled by a power of 4.
WATARI_INLINE float square_root(float x) {
    const bool small = x < 0x1p-60f;
    const float scaled = small ? x * 0x1p64f : x;
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(scaled));
    const float first = __fmul_rn(scaled, inverse), half = __fmul_rn(inverse, 0.5f);
    const float root = __fmaf_rn(__fmaf_rn(-first, first, scaled), half, first);
    return x > 0 && x <= 0x1.fffffep127f ? (small ? root * 0x1p-32f : root) : x;
}
WATARI_INLINE double square_root(double x) { return sqrt(x); }

}  // namespace watari::gpu
