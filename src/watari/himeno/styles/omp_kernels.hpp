/// The OpenMP kernels of the style omp-target. They take pointers that are valid on the GPU.
///
/// GCC makes an OpenMP thread a warp and a simd lane its lane: without simd 31 of 32 lanes idle.
#pragma once

#include "watari/himeno/styles/directive.hpp"

#include <omp.h>

#pragma omp declare target
#include "watari/himeno/styles/point.hpp"
#pragma omp end declare target

namespace watari::himeno::directive {

/// Chooses the device and makes libgomp load its code there; false if there is none.
inline bool choose_device(const request& r, answer& out) {
    const int host = omp_get_initial_device();
    out.no_device = r.gpu != on_host && r.gpu >= omp_get_num_devices();
    omp_set_default_device(r.gpu == on_host ? host : r.gpu);
    return !out.no_device;
}

/// Does a target region run on the GPU? A directive program that runs on the host looks alike.
inline int asks_where_it_runs() {
    int on_gpu = 0;
#pragma omp target map(tofrom : on_gpu)
    on_gpu = !omp_is_initial_device();
    return on_gpu;
}

/// wrk2 from p; returns gosa. 56 bytes a point.
inline double step(const request& r, const float* p, float* wrk2, const float* a, const float* b,
                   const float* c, const float* wrk1, const float* bnd) {
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j), ks = static_cast<int>(r.k);
    const long row = ks, plane = row * js, points = plane * is;
    double gosa = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : gosa) \
    map(tofrom : gosa) is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int k = 1; k < ks - 1; ++k) {
                const long x = i * plane + j * row + k;
                const float ss = residual(x, plane, row, points, p, a, b, c, wrk1, bnd);
                gosa += static_cast<double>(ss) * ss;
                wrk2[x] = p[x] + 0.8f * ss;
            }
        }
    return gosa;
}

/// p = wrk2 in the interior. 8 bytes a point.
inline void update(const request& r, float* p, const float* wrk2) {
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j), ks = static_cast<int>(r.k);
    const long row = ks, plane = row * js;
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(p, wrk2)
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd
            for (int k = 1; k < ks - 1; ++k)
                p[i * plane + j * row + k] = wrk2[i * plane + j * row + k];
        }
}

}  // namespace watari::himeno::directive
