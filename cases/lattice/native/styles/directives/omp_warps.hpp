/// Vector operations with sums, for GCC: a warp for each of the partial sums. Included by
/// omp_kernels.hpp.
#pragma once

#include "bicgstab.hpp"

#include <omp.h>

namespace watari::lattice::directive {

namespace {  // as omp_kernels.hpp

struct openmp_sums {
    /// One part per warp. The CPU adds them in order, so a sum has the same bits in each run.
    class partial_sums {
    public:
        partial_sums() : on_gpu_(static_cast<double*>(omp_target_alloc(sizeof(on_cpu_), gpu_))) {}
        partial_sums(const partial_sums&) = delete;
        ~partial_sums() { omp_target_free(on_gpu_, gpu_); }
        double* on_gpu() { return on_gpu_; }
        void add(unsigned count, double* sums) {
            omp_target_memcpy(on_cpu_, on_gpu_, count * warps * sizeof(double), 0, 0,
                              omp_get_initial_device(), gpu_);
            for (unsigned s = 0; s < count; ++s) sums[s] = 0;
            for (unsigned w = 0; w < warps; ++w)  // sums side by side: an addition has a latency
                for (unsigned s = 0; s < count; ++s) sums[s] += on_cpu_[s * warps + w];
        }

    private:
        int gpu_ = omp_get_default_device();
        double* on_gpu_;
        double on_cpu_[most_sums * warps];
    };

    /// r -= alpha q; |r|^2.
    static void subtract(std::size_t n, number* r, const number* q, const number& alpha,
                         partial_sums& to) {
        const double ar = alpha.re, ai = alpha.im;
        double* const sums = to.on_gpu();
#pragma omp target teams distribute parallel for is_device_ptr(r, q, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
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

    /// x += alpha p + omega r; r -= omega t; p = r + beta (p - omega q); |r|^2.
    static void update(std::size_t n, number* x, number* r, number* p, const number* t,
                       const number* q, const number& alpha, const number& omega,
                       const number& beta, partial_sums& to) {
        const double ar = alpha.re, ai = alpha.im, wr = omega.re, wi = omega.im;
        const double br = beta.re, bi = beta.im;
        double* const sums = to.on_gpu();
#pragma omp target teams distribute parallel for is_device_ptr(x, r, p, t, q, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
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
#pragma omp target teams distribute parallel for is_device_ptr(t, r, b, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double norm = 0, tr_re = 0, tr_im = 0, br_re = 0, br_im = 0, bt_re = 0, bt_im = 0;
#pragma omp simd reduction(+ : norm, tr_re, tr_im, br_re, br_im, bt_re, bt_im)
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
#pragma omp target teams distribute parallel for is_device_ptr(u, v, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double real = 0, imaginary = 0;
#pragma omp simd reduction(+ : real, imaginary)
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
#pragma omp target teams distribute parallel for is_device_ptr(v, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
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
#pragma omp target teams distribute parallel for is_device_ptr(u, v, sums)
        for (unsigned w = 0; w < warps; ++w) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (std::size_t i = 32 * w + lane; i < n; i += 32 * warps) {
                    const double re = u[i].re - v[i].re, im = u[i].im - v[i].im;
                    sum += re * re + im * im;
                }
            sums[w] = sum;
        }
    }
};

}  // namespace

}  // namespace watari::lattice::directive
