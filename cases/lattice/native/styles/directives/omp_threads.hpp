/// Vector operations with sums, for compilers that map an OpenMP thread to a thread of the GPU, as
/// LLVM's and NVIDIA's do. Included by omp_kernels.hpp.
#pragma once

#include "bicgstab.hpp"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

namespace watari::lattice::directive {

struct openmp_sums {
    // nearly 8 teams on each of an H100's and H200's 132 multiprocessors: LLVM has room for the
    // sums of 1024 teams, and further ones wait for these
    static constexpr int teams = 1024, threads = 128;

    /// Numbers that a team takes, so that it takes them at once. By default it takes as many as it
    /// has threads, and LLVM adds up the sums of its threads after each of these.
    static constexpr std::size_t share_of(std::size_t n) {
        constexpr std::size_t all = std::size_t{teams} * threads;
        return std::max<std::size_t>(1, (n + all - 1) / all) * threads;
    }

    /// The sums of one operation, which the compiler adds up.
    class partial_sums {
    public:
        void operator=(std::initializer_list<double> sums) {
            std::copy(sums.begin(), sums.end(), values_);
        }
        void add(unsigned count, double* sums) { std::copy_n(values_, count, sums); }

    private:
        double values_[most_sums];
    };

    /// r -= alpha q; |r|^2.
    static void subtract(std::size_t n, number* r, const number* q, const number& alpha,
                         partial_sums& to) {
        const double ar = alpha.re, ai = alpha.im;
        double sum = 0;
        const std::size_t share = share_of(n);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) dist_schedule(static, share) reduction(+ : sum) map(tofrom : sum) is_device_ptr(r, q)
        for (std::size_t i = 0; i < n; ++i) {
            const double re = r[i].re - (ar * q[i].re - ai * q[i].im);
            const double im = r[i].im - (ar * q[i].im + ai * q[i].re);
            r[i].re = re, r[i].im = im;
            sum += re * re + im * im;
        }
        to = {sum};
    }

    /// x += alpha p + omega r; r -= omega t; p = r + beta (p - omega q); |r|^2.
    static void update(std::size_t n, number* x, number* r, number* p, const number* t,
                       const number* q, const number& alpha, const number& omega,
                       const number& beta, partial_sums& to) {
        const double ar = alpha.re, ai = alpha.im, wr = omega.re, wi = omega.im;
        const double br = beta.re, bi = beta.im;
        double sum = 0;
        const std::size_t share = share_of(n);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) dist_schedule(static, share) reduction(+ : sum) map(tofrom : sum) is_device_ptr(x, r, p, t, q)
        for (std::size_t i = 0; i < n; ++i) {
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
        to = {sum};
    }

    /// |t|^2, <t, r>, <b, r>, <b, t>.
    static void dots(std::size_t n, const number* t, const number* r, const number* b,
                     partial_sums& to) {
        double norm = 0, tr_re = 0, tr_im = 0, br_re = 0, br_im = 0, bt_re = 0, bt_im = 0;
        const std::size_t share = share_of(n);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) dist_schedule(static, share) reduction(+ : norm, tr_re, tr_im, br_re, br_im, bt_re, bt_im) map(tofrom : norm, tr_re, tr_im, br_re, br_im, bt_re, bt_im) is_device_ptr(t, r, b)
        for (std::size_t i = 0; i < n; ++i) {
            norm += t[i].re * t[i].re + t[i].im * t[i].im;
            tr_re += t[i].re * r[i].re + t[i].im * r[i].im;
            tr_im += t[i].re * r[i].im - t[i].im * r[i].re;
            br_re += b[i].re * r[i].re + b[i].im * r[i].im;
            br_im += b[i].re * r[i].im - b[i].im * r[i].re;
            bt_re += b[i].re * t[i].re + b[i].im * t[i].im;
            bt_im += b[i].re * t[i].im - b[i].im * t[i].re;
        }
        to = {norm, tr_re, tr_im, br_re, br_im, bt_re, bt_im};
    }

    /// <u, v>.
    static void dot(std::size_t n, const number* u, const number* v, partial_sums& to) {
        double real = 0, imaginary = 0;
        const std::size_t share = share_of(n);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) dist_schedule(static, share) reduction(+ : real, imaginary) map(tofrom : real, imaginary) is_device_ptr(u, v)
        for (std::size_t i = 0; i < n; ++i) {
            real += u[i].re * v[i].re + u[i].im * v[i].im;
            imaginary += u[i].re * v[i].im - u[i].im * v[i].re;
        }
        to = {real, imaginary};
    }

    /// |v|^2.
    static void norm(std::size_t n, const number* v, partial_sums& to) {
        double sum = 0;
        const std::size_t share = share_of(n);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) dist_schedule(static, share) reduction(+ : sum) map(tofrom : sum) is_device_ptr(v)
        for (std::size_t i = 0; i < n; ++i) {
            sum += v[i].re * v[i].re + v[i].im * v[i].im;
        }
        to = {sum};
    }

    /// |u - v|^2.
    static void distance(std::size_t n, const number* u, const number* v, partial_sums& to) {
        double sum = 0;
        const std::size_t share = share_of(n);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) dist_schedule(static, share) reduction(+ : sum) map(tofrom : sum) is_device_ptr(u, v)
        for (std::size_t i = 0; i < n; ++i) {
            const double re = u[i].re - v[i].re, im = u[i].im - v[i].im;
            sum += re * re + im * im;
        }
        to = {sum};
    }
};

}  // namespace watari::lattice::directive
