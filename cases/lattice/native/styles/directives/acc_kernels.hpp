/// The OpenACC kernels of all acc- styles. They take pointers that are valid on the GPU: from
/// host_data use_device, or managed pointers. Each kernel is one loop over sites or numbers, in
/// the queue 1; the host waits where it needs a result.
///
/// With static:1 the gangs take adjacent parts of memory in turn; by default each gang has one
/// contiguous part.
#pragma once

#include "acc_arguments.hpp"
#include "bicgstab.hpp"

#include <openacc.h>

namespace watari::lattice::directive {

namespace {  // as acc_arguments.hpp

struct openacc {
    /// The partial sums of one pass on the GPU, one per warp. They are added up in a fixed
    /// order, on the GPU to as many as the CPU adds, so a sum has the same bits in each run. GCC's
    /// own reduction makes all threads of a gang, then all gangs, wait to add to one number.
    class partial_sums {
    public:
        partial_sums()
            : on_gpu_(
                  static_cast<double*>(acc_malloc(most_sums * (warps + kept) * sizeof(double)))) {}
        partial_sums(const partial_sums&) = delete;
        ~partial_sums() { acc_free(on_gpu_); }
        double* on_gpu() { return on_gpu_; }
        void add(unsigned count, double* sums) {
            pass(vector_arguments{.n = count * kept, .sums = on_gpu_});
#pragma acc parallel loop gang vector_length(32) async(1)
            for (std::size_t k = 0; k < passed().n; ++k) {
                const double* const of = passed().sums + k * (warps / kept);
                double sum = 0;
#pragma acc loop vector reduction(+ : sum)
                for (unsigned w = 0; w < warps / kept; ++w) sum += of[w];
                passed().sums[most_sums * warps + k] = sum;
            }
            acc_memcpy_from_device_async(on_cpu_, on_gpu_ + most_sums * warps,
                                         count * kept * sizeof(double), 1);
            wait();
            for (unsigned s = 0; s < count; ++s) {
                sums[s] = 0;
                for (unsigned k = 0; k < kept; ++k) sums[s] += on_cpu_[s * kept + k];
            }
        }

    private:
        static constexpr unsigned kept = 32;
        static_assert(warps % kept == 0);
        double* on_gpu_;
        double on_cpu_[most_sums * kept];
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

    /// Until the launches are done.
    static void wait() {
#pragma acc wait(1)
    }
    /// CUDA's stream of the queue; null before the first launch and on the CPU.
    static void* stream() { return acc_get_cuda_stream(1); }

    /// 2112 bytes a site: links 1152, F^-1 576, a spinor read and one written 384; with the
    /// diagonal 192 more.
    static void hop_of_all(const geometry& where, const hop& h) {
        pass(rank_hop{.where = where, .h = h});
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1)
        for (unsigned n = 0; n < half(); ++n) hop_at_site(site_arguments(), n);
    }

    /// Packs the half spinors of all faces for the neighbours beyond. Bytes per site along x, y or
    /// z: 192 read (336 for the neighbour above), 96 written.
    static void pack(const rank_hop& of) {
        pass(of);
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1)
        for (unsigned n = 0; n < passed_hop().faces; ++n)
            pack_in_faces(site_arguments(), split(), n, passed_hop().sent);
    }

    /// The hop of a rank's part: at the sites all of whose neighbours are in it.
    static void hop_without_others(const rank_hop& of) {
        pass(of);
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1)
        for (unsigned n = 0; n < half(); ++n)
            hop_inside(site_arguments(), read_again(passed_hop().where.size),
                       read_again(passed_hop().split), n);
    }
    /// Then at those of the faces, which read the half spinors that neighbours have sent.
    static void hop_of_faces(const rank_hop& of) {
        if (of.split.x > 1) hop_of_both_faces<0>();
        if (of.split.y > 1) hop_of_both_faces<1>();
        if (of.split.z > 1) hop_of_both_faces<2>();
        if (of.split.t > 1) hop_of_both_faces<3>();
    }

    // Below, a region's locals have the names of the parameters, which it must not use itself.

    /// x = 0, r = p = b.
    static void begin(std::size_t n, const number* b, number* x, number* r, number* p) {
        pass(vector_arguments{.n = n, .x = x, .r = r, .p = p, .b = b});
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1)
        for (std::size_t i = 0; i < passed().n; ++i) {
            const double re = passed().b[i].re, im = passed().b[i].im;
            passed().x[i].re = 0, passed().x[i].im = 0;
            passed().r[i].re = re, passed().r[i].im = im;
            passed().p[i].re = re, passed().p[i].im = im;
        }
    }

    /// r -= alpha q; |r|^2.
    static void subtract(std::size_t n, number* r, const number* q, const number& alpha,
                         partial_sums& to) {
        pass(vector_arguments{.n = n, .r = r, .q = q, .alpha = alpha, .sums = to.on_gpu()});
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) async(1)
        for (unsigned w = 0; w < warps; ++w) {
            const std::size_t n = passed().n;
            number* const r = passed().r;
            const number* const q = passed().q;
            const double ar = passed().alpha.re, ai = passed().alpha.im;
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    const double re = r[i].re - (ar * q[i].re - ai * q[i].im);
                    const double im = r[i].im - (ar * q[i].im + ai * q[i].re);
                    r[i].re = re, r[i].im = im;
                    sum += re * re + im * im;
                }
            passed().sums[w] = sum;
        }
    }

    /// x += alpha p.
    static void advance(std::size_t n, number* x, const number* p, const number& alpha) {
        pass(vector_arguments{.n = n, .x = x, .q = p, .alpha = alpha});
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1)
        for (std::size_t i = 0; i < passed().n; ++i) {
            number* const x = passed().x;
            const number* const p = passed().q;
            const double ar = passed().alpha.re, ai = passed().alpha.im;
            x[i].re += ar * p[i].re - ai * p[i].im;
            x[i].im += ar * p[i].im + ai * p[i].re;
        }
    }

    /// x += alpha p + omega r; r -= omega t; p = r + beta (p - omega q); |r|^2.
    static void update(std::size_t n, number* x, number* r, number* p, const number* t,
                       const number* q, const number& alpha, const number& omega,
                       const number& beta, partial_sums& to) {
        pass(vector_arguments{.n = n,
                              .x = x,
                              .r = r,
                              .p = p,
                              .q = q,
                              .t = t,
                              .alpha = alpha,
                              .omega = omega,
                              .beta = beta,
                              .sums = to.on_gpu()});
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) async(1)
        for (unsigned w = 0; w < warps; ++w) {
            const std::size_t n = passed().n;
            number *const x = passed().x, *const r = passed().r, *const p = passed().p;
            const number *const q = passed().q, *const t = passed().t;
            const double ar = passed().alpha.re, ai = passed().alpha.im;
            const double wr = passed().omega.re, wi = passed().omega.im;
            const double br = passed().beta.re, bi = passed().beta.im;
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
            passed().sums[w] = sum;
        }
    }

    /// |t|^2, <t, r>, <b, r>, <b, t>.
    static void dots(std::size_t n, const number* t, const number* r, const number* b,
                     partial_sums& to) {
        pass(vector_arguments{.n = n, .q = r, .t = t, .b = b, .sums = to.on_gpu()});
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) async(1)
        for (unsigned w = 0; w < warps; ++w) {
            const std::size_t n = passed().n;
            const number *const t = passed().t, *const r = passed().q, *const b = passed().b;
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
            double* const all = passed().sums;
            all[w] = norm;
            all[warps + w] = tr_re, all[2 * warps + w] = tr_im;
            all[3 * warps + w] = br_re, all[4 * warps + w] = br_im;
            all[5 * warps + w] = bt_re, all[6 * warps + w] = bt_im;
        }
    }

    /// <u, v>.
    static void dot(std::size_t n, const number* u, const number* v, partial_sums& to) {
        pass(vector_arguments{.n = n, .q = u, .t = v, .sums = to.on_gpu()});
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) async(1)
        for (unsigned w = 0; w < warps; ++w) {
            const std::size_t n = passed().n;
            const number *const u = passed().q, *const v = passed().t;
            double real = 0, imaginary = 0;
#pragma acc loop vector reduction(+ : real, imaginary)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    real += u[i].re * v[i].re + u[i].im * v[i].im;
                    imaginary += u[i].re * v[i].im - u[i].im * v[i].re;
                }
            passed().sums[w] = real;
            passed().sums[warps + w] = imaginary;
        }
    }

    /// |v|^2.
    static void norm(std::size_t n, const number* v, partial_sums& to) {
        pass(vector_arguments{.n = n, .q = v, .sums = to.on_gpu()});
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) async(1)
        for (unsigned w = 0; w < warps; ++w) {
            const std::size_t n = passed().n;
            const number* const v = passed().q;
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    sum += v[i].re * v[i].re + v[i].im * v[i].im;
                }
            passed().sums[w] = sum;
        }
    }

    /// |u - v|^2.
    static void distance(std::size_t n, const number* u, const number* v, partial_sums& to) {
        pass(vector_arguments{.n = n, .q = u, .t = v, .sums = to.on_gpu()});
#pragma acc parallel loop gang worker num_gangs(warps / 8) num_workers(8) vector_length(32) async(1)
        for (unsigned w = 0; w < warps; ++w) {
            const std::size_t n = passed().n;
            const number *const u = passed().q, *const v = passed().t;
            double sum = 0;
#pragma acc loop vector reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    const double re = u[i].re - v[i].re, im = u[i].im - v[i].im;
                    sum += re * re + im * im;
                }
            passed().sums[w] = sum;
        }
    }

private:
    template <unsigned Direction>
    static void hop_of_both_faces() {
#pragma acc parallel loop gang(static : 1) vector vector_length(128) async(1)
        for (unsigned n = 0; n < both_faces<Direction>(); ++n)
            hop_in_face<Direction>(site_arguments(), split(), passed_hop().arrived, n);
    }

    // Loop bounds; inlined, as all that a region calls.
    WATARI_ALWAYS static unsigned half() {
        return static_cast<unsigned>(passed_hop().where.size.half());
    }
    template <unsigned Direction>
    WATARI_ALWAYS static unsigned both_faces() {
        return static_cast<unsigned>(2 * face_sites(passed_hop().where.size, Direction));
    }
};

}  // namespace

}  // namespace watari::lattice::directive
