/// The OpenMP kernels of the omp- styles. They take pointers that are valid on the GPU. Compilers
/// disagree about what a thread is on a GPU, so each has the loops in its form.
#pragma once

#include "directive.hpp"

#include <omp.h>

#pragma omp declare target
#include "quad.hpp"
#pragma omp end declare target

namespace watari::himeno::directive {

/// Chooses the device and makes libgomp load its code there; false if there is none.
inline bool choose_device(const request& r, answer& out) {
    const int host = omp_get_initial_device();
    out.no_device = r.gpu != on_host && r.gpu >= omp_get_num_devices();
    omp_set_default_device(r.gpu == on_host ? host : r.gpu);
    return !out.no_device;
}

/// Whether a target region runs on the GPU: results do not show it.
inline int asks_where_it_runs() {
    int on_gpu = 0;
#pragma omp target map(tofrom : on_gpu)
    on_gpu = !omp_is_initial_device();
    return on_gpu;
}

}  // namespace watari::himeno::directive

#if defined(__clang__) || defined(__NVCOMPILER)
#include "omp_threads.hpp"
#else
#include "omp_warps.hpp"
#endif

namespace watari::himeno::directive {

/// Copies the planes of axes j and k that lie `depth` inside the grid to `faces`, or back: there
/// they are contiguous. An axis that is not split has none.
inline void move_faces(const request& r, float* p, float* faces, int depth, way to, bool on_gpu) {
    const long is = static_cast<long>(r.i), js = static_cast<long>(r.j),
               ks = static_cast<long>(r.k);
    const bool packs = to == way::pack;
    const long first = depth, last_j = js - 1 - depth, last_k = ks - 1 - depth;
    if (r.split_j > 1)
#pragma omp target teams distribute parallel for simd collapse(2) if (target    \
                                                                      : on_gpu) \
    is_device_ptr(p, faces)
        for (long i = 0; i < is; ++i)
            for (long k = 0; k < ks; ++k) {
                float *low = p + (i * js + first) * ks + k, *high = p + (i * js + last_j) * ks + k;
                float *of_low = faces + i * ks + k, *of_high = of_low + is * ks;
                if (packs)
                    *of_low = *low, *of_high = *high;
                else
                    *low = *of_low, *high = *of_high;
            }
    float* of_k = faces + (r.split_j > 1 ? 2 * is * ks : 0);
    if (r.split_k > 1)
#pragma omp target teams distribute parallel for simd collapse(2) if (target    \
                                                                      : on_gpu) \
    is_device_ptr(p, of_k)
        for (long i = 0; i < is; ++i)
            for (long j = 0; j < js; ++j) {
                float *low = p + (i * js + j) * ks + first, *high = p + (i * js + j) * ks + last_k;
                float *of_low = of_k + i * js + j, *of_high = of_low + is * js;
                if (packs)
                    *of_low = *low, *of_high = *high;
                else
                    *low = *of_low, *high = *of_high;
            }
}

}  // namespace watari::himeno::directive
