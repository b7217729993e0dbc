/// The OpenACC kernels, once for all acc- styles. They take pointers that are valid on the GPU:
/// from host_data use_device, or managed ones.
///
/// Each warp takes a whole row: gangs and workers share the rows, the lanes run along k. A
/// collapse of all three loops costs two divisions a point.
#pragma once

#include "watari/himeno/styles/directive.hpp"

#include <openacc.h>

namespace watari::himeno::directive {

inline float residual(long x, long plane, long row, long points, const float* p, const float* a,
                      const float* b, const float* c, const float* wrk1, const float* bnd);
#pragma acc routine(residual) seq

}  // namespace watari::himeno::directive

#include "watari/himeno/styles/point.hpp"

namespace watari::himeno::directive {

/// Chooses the device and makes libgomp load its code there; false if there is none.
inline bool choose_device(const request& r, answer& out) {
    if (r.gpu == on_host) {
        acc_set_device_type(acc_device_host);
        return true;
    }
    out.no_device = r.gpu >= acc_get_num_devices(acc_device_nvidia);
    if (out.no_device) return false;
    acc_set_device_num(r.gpu, acc_device_nvidia);  // starts it too: acc_init would be refused
    return true;
}

/// Does a parallel region run on the GPU? A directive program that runs on the host looks alike.
inline int asks_where_it_runs() {
    int on_gpu = 0;
#pragma acc parallel copy(on_gpu)
    on_gpu = acc_on_device(acc_device_not_host);
    return on_gpu;
}

/// wrk2 from p; returns gosa. 56 bytes a point.
inline double step(const request& r, const float* p, float* wrk2, const float* a, const float* b,
                   const float* c, const float* wrk1, const float* bnd) {
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j), ks = static_cast<int>(r.k);
    const long row = ks, plane = row * js, points = plane * is;
    double gosa = 0;
#pragma acc parallel loop gang worker collapse(2) reduction(+ : gosa) \
    deviceptr(p, wrk2, a, b, c, wrk1, bnd)
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma acc loop vector reduction(+ : gosa)
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
#pragma acc parallel loop gang worker collapse(2) deviceptr(p, wrk2)
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma acc loop vector
            for (int k = 1; k < ks - 1; ++k)
                p[i * plane + j * row + k] = wrk2[i * plane + j * row + k];
        }
}

}  // namespace watari::himeno::directive
