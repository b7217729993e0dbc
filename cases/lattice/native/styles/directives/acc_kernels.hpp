/// The OpenACC kernels of all acc- styles. They take pointers that are valid on the GPU: from
/// host_data use_device, or managed pointers. Each kernel is one loop over sites or numbers.
/// Arguments are scalars, since aggregates would be copied to the GPU at each launch.
///
/// With static:1 the gangs take adjacent parts of memory in turn; by default each gang has one
/// contiguous part.
#pragma once

#include "bicgstab.hpp"

#include <openacc.h>

namespace watari::lattice::directive {

struct openacc {
    /// The partial sums of one pass on the GPU, one per warp. The CPU adds them in order, so a sum
    /// has the same bits in each run. GCC's own reduction makes all threads of a gang, then all
    /// gangs, wait for each other to add to one number.
    class partial_sums {
    public:
        partial_sums() : on_gpu_(static_cast<double*>(acc_malloc(sizeof(on_cpu_)))) {}
        partial_sums(const partial_sums&) = delete;
        ~partial_sums() { acc_free(on_gpu_); }
        double* on_gpu() { return on_gpu_; }
        void add(unsigned count, double* sums) {
            acc_memcpy_from_device(on_cpu_, on_gpu_, count * warps * sizeof(double));
            for (unsigned s = 0; s < count; ++s) sums[s] = 0;
            for (unsigned w = 0; w < warps; ++w)  // sums side by side: an addition has a latency
                for (unsigned s = 0; s < count; ++s) sums[s] += on_cpu_[s * warps + w];
        }

    private:
        double* on_gpu_;
        double on_cpu_[most_sums * warps];
    };

    /// Chooses the device and makes libgomp load its code there; false if there is none.
    static bool choose_device(const request& r, answer& out) {
        if (r.gpu == on_host) {
            acc_set_device_type(acc_device_host);
            return true;
        }
        out.no_device = r.gpu >= acc_get_num_devices(acc_device_nvidia);
        if (out.no_device) return false;
        acc_set_device_num(r.gpu, acc_device_nvidia);  // also starts it; acc_init would be refused
        return true;
    }

    /// Whether a parallel region runs on the GPU. A directive program gives the same results if it
    /// runs on the host.
    static int asks_where_it_runs() {
        int on_gpu = 0;
#pragma acc parallel copy(on_gpu)
        on_gpu = acc_on_device(acc_device_not_host);
        return on_gpu;
    }

    /// 2112 bytes a site: links 1152, F^-1 576, a spinor read and one written 384; with the
    /// diagonal 192 more.
    static void hop_of_all(const geometry& where, const hop& h) {
        const unsigned x = where.size.x, y = where.size.y, z = where.size.z, t = where.size.t;
        const unsigned lanes = where.log2_lanes, parity = h.parity;
        const number *links = h.links, *clover = h.clover, *in = h.in, *diagonal = h.diagonal;
        number* out = h.out;
        const double factor = h.factor;
        const auto half = static_cast<unsigned>(where.size.half());
#pragma acc parallel loop gang(static : 1) vector vector_length(128) \
    deviceptr(links, clover, in, diagonal, out)
        for (unsigned n = 0; n < half; ++n) {
            const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
            auto a = arguments(here, parity, links, clover, in, out);
            a.diagonal = diagonal;
            a.factor = factor;
            hop_at_site(a, n);
        }
    }

    /// The same for a rank's part, at the sites all of whose neighbours are in it. It and
    /// hop_of_faces() return at once, so the library prepares the next launch meanwhile.
    static void hop_of_inner(const geometry& where, const extents& split, const hop& h) {
        const unsigned x = where.size.x, y = where.size.y, z = where.size.z, t = where.size.t;
        const unsigned sx = split.x, sy = split.y, sz = split.z, st = split.t;
        const unsigned lanes = where.log2_lanes, parity = h.parity;
        const number *links = h.links, *clover = h.clover, *in = h.in, *diagonal = h.diagonal;
        number* out = h.out;
        const double factor = h.factor;
        const auto half = static_cast<unsigned>(where.size.half());
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1) \
    deviceptr(links, clover, in, diagonal, out)
        for (unsigned n = 0; n < half; ++n) {
            const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
            auto a = arguments(here, parity, links, clover, in, out);
            a.diagonal = diagonal;
            a.factor = factor;
            hop_inside(a, {sx, sy, sz, st}, n);
        }
    }

    /// The same at the sites of two faces, which read the half spinors that neighbours have sent.
    template <unsigned Direction>
    static void hop_of_faces(const geometry& where, const extents& split, const hop& h,
                             const number* arrived) {
        const unsigned x = where.size.x, y = where.size.y, z = where.size.z, t = where.size.t;
        const unsigned sx = split.x, sy = split.y, sz = split.z, st = split.t;
        const unsigned lanes = where.log2_lanes, parity = h.parity;
        const number *links = h.links, *clover = h.clover, *in = h.in, *diagonal = h.diagonal;
        number* out = h.out;
        const double factor = h.factor;
        const auto sites = static_cast<unsigned>(2 * face_sites(where.size, Direction));
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1) \
    deviceptr(links, clover, in, diagonal, out, arrived)
        for (unsigned n = 0; n < sites; ++n) {
            const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
            auto a = arguments(here, parity, links, clover, in, out);
            a.diagonal = diagonal;
            a.factor = factor;
            hop_in_face<Direction>(a, {sx, sy, sz, st}, arrived, n);
        }
    }
    static void end_hop() {
#pragma acc wait(1)
    }

    /// Packs the half spinors of all faces for the neighbours beyond. Bytes per site along x, y or
    /// z: 192 read (336 for the neighbour above), 96 written.
    static void pack(const geometry& where, const extents& split, const hop& h, number* sent) {
        const unsigned x = where.size.x, y = where.size.y, z = where.size.z, t = where.size.t;
        const unsigned sx = split.x, sy = split.y, sz = split.z, st = split.t;
        const unsigned lanes = where.log2_lanes, parity = h.parity;
        const number *links = h.links, *clover = h.clover, *in = h.in;
        number* out = h.out;
        const unsigned all = sites_of_faces(where.size, split);
#pragma acc parallel loop gang(static : 1) vector vector_length(128) \
    deviceptr(links, clover, in, out, sent)
        for (unsigned n = 0; n < all; ++n) {
            const geometry here{.size = {x, y, z, t}, .log2_lanes = lanes};
            pack_in_faces(arguments(here, parity, links, clover, in, out), {sx, sy, sz, st}, n,
                          sent);
        }
    }

    /// x = 0, r = p = b.
    static void begin(std::size_t n, const number* b, number* x, number* r, number* p) {
#pragma acc parallel loop gang(static : 1) vector vector_length(128) deviceptr(b, x, r, p)
        for (std::size_t i = 0; i < n; ++i) {
            const double re = b[i].re, im = b[i].im;
            x[i].re = 0, x[i].im = 0;
            r[i].re = re, r[i].im = im;
            p[i].re = re, p[i].im = im;
        }
    }

    /// r -= alpha q; |r|^2.
    static void subtract(std::size_t n, number* r, const number* q, const number& alpha,
                         partial_sums& to) {
        const double ar = alpha.re, ai = alpha.im;
        double* const sums = to.on_gpu();
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) \
    deviceptr(r, q, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    const double re = r[i].re - (ar * q[i].re - ai * q[i].im);
                    const double im = r[i].im - (ar * q[i].im + ai * q[i].re);
                    r[i].re = re, r[i].im = im;
                    sum += re * re + im * im;
                }
            sums[w] = sum;
        }
    }

    /// x += alpha p.
    static void advance(std::size_t n, number* x, const number* p, const number& alpha) {
        const double ar = alpha.re, ai = alpha.im;
#pragma acc parallel loop gang(static : 1) vector vector_length(128) deviceptr(x, p)
        for (std::size_t i = 0; i < n; ++i) {
            x[i].re += ar * p[i].re - ai * p[i].im;
            x[i].im += ar * p[i].im + ai * p[i].re;
        }
    }

    /// x += alpha p + omega r; r -= omega t; p = r + beta (p - omega q); |r|^2.
    static void update(std::size_t n, number* x, number* r, number* p, const number* t,
                       const number* q, const number& alpha, const number& omega,
                       const number& beta, partial_sums& to) {
        const double ar = alpha.re, ai = alpha.im, wr = omega.re, wi = omega.im;
        const double br = beta.re, bi = beta.im;
        double* const sums = to.on_gpu();
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) \
    deviceptr(x, r, p, t, q, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    const double re = r[i].re, im = r[i].im;
                    x[i].re += ar * p[i].re - ai * p[i].im + (wr * re - wi * im);
                    x[i].im += ar * p[i].im + ai * p[i].re + (wr * im + wi * re);
                    const double next_re = re - (wr * t[i].re - wi * t[i].im);
                    const double next_im = im - (wr * t[i].im + wi * t[i].re);
                    const double old_re = p[i].re - (wr * q[i].re - wi * q[i].im);
                    const double old_im = p[i].im - (wr * q[i].im + wi * q[i].re);
                    r[i].re = next_re, r[i].im = next_im;
                    p[i].re = next_re + (br * old_re - bi * old_im);
                    p[i].im = next_im + (br * old_im + bi * old_re);
                    sum += next_re * next_re + next_im * next_im;
                }
            sums[w] = sum;
        }
    }

    /// |t|^2, <t, r>, <b, r>, <b, t>.
    static void dots(std::size_t n, const number* t, const number* r, const number* b,
                     partial_sums& to) {
        double* const sums = to.on_gpu();
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) \
    deviceptr(t, r, b, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double norm = 0, tr_re = 0, tr_im = 0, br_re = 0, br_im = 0, bt_re = 0, bt_im = 0;
#pragma acc loop vector reduction(+ : norm, tr_re, tr_im, br_re, br_im, bt_re, bt_im)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    norm += t[i].re * t[i].re + t[i].im * t[i].im;
                    tr_re += t[i].re * r[i].re + t[i].im * r[i].im;
                    tr_im += t[i].re * r[i].im - t[i].im * r[i].re;
                    br_re += b[i].re * r[i].re + b[i].im * r[i].im;
                    br_im += b[i].re * r[i].im - b[i].im * r[i].re;
                    bt_re += b[i].re * t[i].re + b[i].im * t[i].im;
                    bt_im += b[i].re * t[i].im - b[i].im * t[i].re;
                }
            sums[w] = norm;
            sums[warps + w] = tr_re, sums[2 * warps + w] = tr_im;
            sums[3 * warps + w] = br_re, sums[4 * warps + w] = br_im;
            sums[5 * warps + w] = bt_re, sums[6 * warps + w] = bt_im;
        }
    }

    /// <u, v>.
    static void dot(std::size_t n, const number* u, const number* v, partial_sums& to) {
        double* const sums = to.on_gpu();
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) \
    deviceptr(u, v, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double real = 0, imaginary = 0;
#pragma acc loop vector reduction(+ : real, imaginary)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    real += u[i].re * v[i].re + u[i].im * v[i].im;
                    imaginary += u[i].re * v[i].im - u[i].im * v[i].re;
                }
            sums[w] = real;
            sums[warps + w] = imaginary;
        }
    }

    /// |v|^2.
    static void norm(std::size_t n, const number* v, partial_sums& to) {
        double* const sums = to.on_gpu();
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) \
    deviceptr(v, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    sum += v[i].re * v[i].re + v[i].im * v[i].im;
                }
            sums[w] = sum;
        }
    }

    /// |u - v|^2.
    static void distance(std::size_t n, const number* u, const number* v, partial_sums& to) {
        double* const sums = to.on_gpu();
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) \
    deviceptr(u, v, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    const double re = u[i].re - v[i].re, im = u[i].im - v[i].im;
                    sum += re * re + im * im;
                }
            sums[w] = sum;
        }
    }
};

}  // namespace watari::lattice::directive
