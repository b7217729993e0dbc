/// The OpenACC kernels of all acc- styles. They take pointers that are valid on the GPU: from
/// host_data use_device, managed memory, or system memory.
///
/// One loop over all quads, divided evenly among gangs, warps and lanes.
#pragma once

#include "directive.hpp"

#include <openacc.h>

namespace watari::himeno::directive {

inline float residual(long x, long plane, long row, long points, const float* p, const float* a,
                      const float* b, const float* c, const float* wrk1, const float* bnd);
#pragma acc routine(residual) seq
inline double advance(long x, long k, long ks, long plane, long row, long points, const float* p,
                      float* wrk2, const float* a, const float* b, const float* c,
                      const float* wrk1, const float* bnd, bool early);
#pragma acc routine(advance) seq

}  // namespace watari::himeno::directive

#include "quad.hpp"

namespace watari::himeno::directive {

/// Chooses the device and makes libgomp load its code there; false if there is none.
inline bool choose_device(const request& r, answer& out) {
    if (r.gpu == on_host) {
        acc_set_device_type(acc_device_host);
        return true;
    }
    out.no_device = r.gpu >= acc_get_num_devices(acc_device_nvidia);
    if (out.no_device) return false;
    acc_set_device_num(r.gpu, acc_device_nvidia);  // also starts it: acc_init would be refused
    return true;
}

/// Whether a parallel region runs on the GPU: results do not show it.
inline int asks_where_it_runs() {
    int on_gpu = 0;
#pragma acc parallel copy(on_gpu)
    on_gpu = acc_on_device(acc_device_not_host);
    return on_gpu;
}

// 4 gangs on each of an H200's 132 multiprocessors, 5 warps each: the most that its registers
// allow. With static:1 neighbouring gangs advance through memory together, and share planes of p in
// the L2 cache. cases/himeno/EVIDENCE.md names the program that determined these numbers. They are
// variables: with constants the kernel takes 108 registers per thread instead of 96.
inline int many_gangs = 528, many_warps = 5;

/// Computes wrk2 from p; returns gosa. 56 bytes per point.
inline double step(const request& r, const float* p, float* wrk2, const float* a, const float* b,
                   const float* c, const float* wrk1, const float* bnd) {
    const shape s(r, in_quads(r, {p, wrk2, a, b, c, wrk1, bnd}));
    // an aggregate would be copied to the GPU and back each time
    const long row = s.row, plane = s.plane, points = s.points;
    const unsigned line = s.line, layer = s.layer, pieces = s.pieces;
    const int gangs = many_gangs, warps = many_warps;
    double gosa = 0;
    if (s.quads) {
#pragma acc parallel loop gang(static : 1) worker vector num_gangs(gangs) num_workers(warps) \
    reduction(+ : gosa) deviceptr(p, wrk2, a, b, c, wrk1, bnd)
        for (unsigned n = 0; n < pieces; ++n) {
            const unsigned i = n / layer + 1, j = n % layer / line + 1, piece = n % layer % line;
            gosa += advance(i * plane + j * row + 4 * piece, 4 * piece, row, plane, row, points, p,
                            wrk2, a, b, c, wrk1, bnd, true);
        }
        return gosa;
    }
#pragma acc parallel loop gang(static : 1) worker vector num_gangs(gangs) num_workers(warps) \
    reduction(+ : gosa) deviceptr(p, wrk2, a, b, c, wrk1, bnd)
    for (unsigned n = 0; n < pieces; ++n) {
        const unsigned i = n / layer + 1, j = n % layer / line + 1, k = n % line + 1;
        const long x = i * plane + j * row + k;
        const float ss = residual(x, plane, row, points, p, a, b, c, wrk1, bnd);
        gosa += static_cast<double>(ss * ss);
        wrk2[x] = p[x] + 0.8f * ss;
    }
    return gosa;
}

/// p = wrk2 in the interior. 8 bytes per point.
inline void update(const request& r, float* p, const float* wrk2) {
    const shape s(r, in_quads(r, {p, wrk2}));
    const long row = s.row, plane = s.plane;
    const unsigned line = s.line, layer = s.layer, pieces = s.pieces;
    const bool quads = s.quads;
#pragma acc parallel loop gang(static : 1) worker vector num_gangs(528) num_workers(8) \
    deviceptr(p, wrk2)
    for (unsigned n = 0; n < pieces; ++n) {
        const unsigned i = n / layer + 1, j = n % layer / line + 1, piece = n % line;
        const long x = i * plane + j * row;
        if (quads)
            store(p + x + 4 * piece, load(wrk2 + x + 4 * piece));
        else
            p[x + 1 + piece] = wrk2[x + 1 + piece];
    }
}

/// Copies the planes of axes j and k that lie `depth` inside the grid to `faces`, or back: there
/// they are contiguous. An axis that is not split has none.
inline void move_faces(const request& r, float* p, float* faces, int depth, way to, bool on_gpu) {
    const long is = static_cast<long>(r.i), js = static_cast<long>(r.j),
               ks = static_cast<long>(r.k);
    const bool packs = to == way::pack;
    const long first = depth, last_j = js - 1 - depth, last_k = ks - 1 - depth;
    if (r.split_j > 1)
#pragma acc parallel loop collapse(2) if (on_gpu) deviceptr(p, faces)
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
#pragma acc parallel loop collapse(2) if (on_gpu) deviceptr(p, of_k)
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
