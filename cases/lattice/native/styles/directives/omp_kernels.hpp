/// The OpenMP kernels of all omp- styles. They take pointers that are valid on the GPU.
///
/// GCC maps an OpenMP thread to a warp and a simd lane to one of its lanes: without simd 31 of 32
/// lanes idle. Other compilers map a thread to a thread. So sums have two forms. Arguments are
/// scalars, since aggregates would be copied to the GPU at each launch.
#pragma once

#include "bicgstab.hpp"

#if defined(__clang__) || defined(__NVCOMPILER)
#include "omp_threads.hpp"
#define WATARI_CALLED [[gnu::always_inline]]
#else
#include "omp_warps.hpp"
// Functions with scalar arguments: GCC 12 and 13 crash if a lane has its own structs in a loop.
// CMakeLists.txt makes the stack of a lane long enough for these calls.
#define WATARI_CALLED [[gnu::noinline]]
#endif

#include <omp.h>

namespace watari::lattice::directive {

namespace {  // else two styles of a library would share one copy of the kernels

struct openmp : openmp_sums {
    /// Chooses the device and makes the runtime library load its code there; false if there is
    /// none.
    static bool choose_device(const request& r, answer& out) {
        const int host = omp_get_initial_device();
        out.no_device = r.gpu != on_host && r.gpu >= omp_get_num_devices();
        omp_set_default_device(r.gpu == on_host ? host : r.gpu);
        return !out.no_device;
    }

    /// Whether a target region runs on the GPU. A directive program gives the same results if it
    /// runs on the host.
    static int asks_where_it_runs() {
        int on_gpu = 0;
#pragma omp target map(tofrom : on_gpu)
        on_gpu = !omp_is_initial_device();
        return on_gpu;
    }

    /// 2112 bytes a site: links 1152, F^-1 576, a spinor read and one written 384; with the
    /// diagonal 192 more.
    static void hop_of_all(const geometry& where, const hop& h) {
        hop_at_sites(where, h, sites_inside(where.size, {1, 1, 1, 1}));
    }
    static void hop_at_sites(const geometry& where, const hop& h, const runs_of_sites& sites) {
        const unsigned x = where.size.x, y = where.size.y, z = where.size.z, t = where.size.t;
        const unsigned lanes = where.log2_lanes, parity = h.parity;
        const number *links = h.links, *clover = h.clover, *in = h.in, *diagonal = h.diagonal;
        number* out = h.out;
        const double factor = h.factor;
        const unsigned count = sites.count, run = sites.run, between = sites.between;
#pragma omp target teams distribute parallel for simd is_device_ptr(links, clover, in, diagonal, \
                                                                    out)
        for (unsigned n = 0; n < count; ++n)
            hop_site(x, y, z, t, lanes, parity, links, clover, in, diagonal, out, factor,
                     runs_of_sites::number(n, run, between));
    }

    /// The hop of a rank's part at the sites that are in no face, if their numbers form runs; else
    /// at all sites, where those of the faces get wrong values that hop_of_faces overwrites. A
    /// kernel that asks each site whether it is in a face is slower: it has fewer loads in flight.
    static void hop_without_others(const rank_hop& of) {
        hop_at_sites(of.where, of.h, sites_inside(of.where.size, of.split));
    }
    /// Then at those of the faces.
    static void hop_of_faces(const rank_hop& of) {
        if (of.split.x > 1) hop_of_both_faces<0>(of);
        if (of.split.y > 1) hop_of_both_faces<1>(of);
        if (of.split.z > 1) hop_of_both_faces<2>(of);
        if (of.split.t > 1) hop_of_both_faces<3>(of);
    }
    static void wait() {}

    /// As openacc::pack.
    static void pack(const rank_hop& of) {
        const unsigned x = of.where.size.x, y = of.where.size.y, z = of.where.size.z;
        const unsigned t = of.where.size.t, lanes = of.where.log2_lanes, parity = of.h.parity;
        const unsigned sx = of.split.x, sy = of.split.y, sz = of.split.z, st = of.split.t;
        const number *links = of.h.links, *clover = of.h.clover, *in = of.h.in;
        number *out = of.h.out, *sent = of.sent;
        const unsigned faces = of.faces;
#pragma omp target teams distribute parallel for simd is_device_ptr(links, clover, in, out, sent)
        for (unsigned n = 0; n < faces; ++n)
            pack_site(x, y, z, t, sx, sy, sz, st, lanes, parity, links, clover, in, out, n, sent);
    }

    WATARI_CALLED static void pack_site(unsigned x, unsigned y, unsigned z, unsigned t, unsigned sx,
                                        unsigned sy, unsigned sz, unsigned st, unsigned lanes,
                                        unsigned parity, const number* links, const number* clover,
                                        const number* in, number* out, unsigned n, number* sent) {
        const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
        pack_in_faces(arguments(here, parity, links, clover, in, out), {sx, sy, sz, st}, n, sent);
    }
    WATARI_CALLED static void hop_site(unsigned x, unsigned y, unsigned z, unsigned t,
                                       unsigned lanes, unsigned parity, const number* links,
                                       const number* clover, const number* in,
                                       const number* diagonal, number* out, double factor,
                                       unsigned n) {
        const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
        auto a = arguments(here, parity, links, clover, in, out);
        a.diagonal = diagonal;
        a.factor = factor;
        hop_at_site(a, n);
    }
    template <unsigned Direction, bool Alone>
    WATARI_CALLED static void edge_site(unsigned x, unsigned y, unsigned z, unsigned t, unsigned sx,
                                        unsigned sy, unsigned sz, unsigned st, unsigned lanes,
                                        unsigned parity, const number* links, const number* clover,
                                        const number* in, const number* diagonal, number* out,
                                        double factor, const number* arrived, unsigned n) {
        const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
        auto a = arguments(here, parity, links, clover, in, out);
        a.diagonal = diagonal;
        a.factor = factor;
        if constexpr (Alone)
            hop_in_only_face<Direction>(a, {sx, sy, sz, st}, arrived, n);
        else
            hop_in_face<Direction>(a, {sx, sy, sz, st}, arrived, n);
    }

    /// x = 0, r = p = b.
    static void begin(std::size_t n, const number* b, number* x, number* r, number* p) {
#pragma omp target teams distribute parallel for simd is_device_ptr(b, x, r, p)
        for (std::size_t i = 0; i < n; ++i) {
            const double re = b[i].re, im = b[i].im;
            x[i].re = 0, x[i].im = 0;
            r[i].re = re, r[i].im = im;
            p[i].re = re, p[i].im = im;
        }
    }

    /// x += alpha p.
    static void advance(std::size_t n, number* x, const number* p, const number& alpha) {
        const double ar = alpha.re, ai = alpha.im;
#pragma omp target teams distribute parallel for simd is_device_ptr(x, p)
        for (std::size_t i = 0; i < n; ++i) {
            x[i].re += ar * p[i].re - ai * p[i].im;
            x[i].im += ar * p[i].im + ai * p[i].re;
        }
    }

private:
    template <unsigned Direction>
    static void hop_of_both_faces(const rank_hop& of) {
        if (is_divided_along(of.split, Direction))
            hop_of_both_faces_as<Direction, true>(of);
        else
            hop_of_both_faces_as<Direction, false>(of);
    }
    /// `Alone`: the part is divided along one direction.
    template <unsigned Direction, bool Alone>
    static void hop_of_both_faces_as(const rank_hop& of) {
        const unsigned x = of.where.size.x, y = of.where.size.y, z = of.where.size.z;
        const unsigned t = of.where.size.t, lanes = of.where.log2_lanes, parity = of.h.parity;
        const unsigned sx = of.split.x, sy = of.split.y, sz = of.split.z, st = of.split.t;
        const number *links = of.h.links, *clover = of.h.clover, *in = of.h.in;
        const number *diagonal = of.h.diagonal, *arrived = of.arrived;
        number* out = of.h.out;
        const double factor = of.h.factor;
        const auto sites = static_cast<unsigned>(2 * face_sites(of.where.size, Direction));
#pragma omp target teams distribute parallel for simd is_device_ptr(links, clover, in, diagonal, \
                                                                    out, arrived)
        for (unsigned n = 0; n < sites; ++n)
            edge_site<Direction, Alone>(x, y, z, t, sx, sy, sz, st, lanes, parity, links, clover,
                                        in, diagonal, out, factor, arrived, n);
    }
};

}  // namespace

}  // namespace watari::lattice::directive
