/// Recompression of a leaf's crosses by a team of threads, as build/factors.hpp defines it: U = Q R
/// and V = P S, the singular values of R S^T by one-sided Jacobi rotations, the smallest rank whose
/// error is allowed.
///
/// Two things differ from the CPU, for their parallel steps. Gram and Schmidt is classical, twice:
/// all products with a vector, then one subtraction. Rotations go round by round, in which each
/// column has one partner, a warp a pair (Brent and Luk 1985).
///
/// Flops for k crosses: 4 k^2 (rows + columns), 9 k^3 a sweep, of which there are 6 to 10, and
/// 2 k rank (rows + columns). Bytes: 2 k^2 (rows + columns) elements, from L2 as far as they fit.
#pragma once

#include "watari/hmatrix/build/cross.cuh"

namespace watari::gpu::hmatrix_build {

template <unsigned Threads>
class recompression {
public:
    /// The columns of U and V of `of` become orthonormal by run().
    __device__ recompression(const team<Threads>& by, const cross_slabs& of)
        : own(by), crosses(of), k_(of.count) {}

    /// False where the pool has no room.
    __device__ bool run(const hmatrix::pool_view& work) {
        const std::size_t square = std::size_t{k_} * k_;
        r_ = own.take_doubles(work, 4 * square + 2 * std::size_t{k_} + 1);
        if (!r_) return false;
        s_ = r_ + square;
        w_ = s_ + square;
        j_ = w_ + square;
        along_ = j_ + square;
        order_ = reinterpret_cast<std::uint32_t*>(along_ + k_);
        orthonormalise<false>(r_);
        orthonormalise<true>(s_);
        multiply();
        rotate();
        sort();
        return true;
    }

    /// The smallest rank, 1 or more where there is a cross, within a norm of the error.
    __device__ std::uint32_t rank(double tolerance) const {
        std::uint32_t rank = k_;
        for (double tail = 0; rank > 1; --rank) {
            tail += along_[order_[rank - 1]];
            if (tail > tolerance * tolerance) break;
        }
        return rank;
    }

    /// Element i of row c of V, or of column c of U, of the result.
    __device__ double v(std::uint32_t c, std::uint32_t i) const { return combined<true>(j_, c, i); }
    __device__ double u(std::uint32_t c, std::uint32_t i) const {
        return combined<false>(w_, c, i);
    }

private:
    template <bool OfV>
    __device__ double combined(const double* by, std::uint32_t c, std::uint32_t i) const {
        const double* const factors = by + std::size_t{order_[c]} * k_;
        return -crosses.subtracted<OfV>(
            0, k_, i, [=](std::uint32_t first) { return factors + first; }, 1);
    }

    /// a . b by a warp.
    __device__ double dot(const double* a, const double* b, std::uint32_t n) const {
        double sum = 0;
        for (std::uint32_t i = own.lane(); i < n; i += warp_lanes) sum += a[i] * b[i];
        return own.sum_of_warp(sum);
    }
    __device__ double norm(const double* a, std::uint32_t n) const {
        double sum = 0;
        for (std::uint32_t i = own.rank; i < n; i += Threads) sum += a[i] * a[i];
        return std::sqrt(own.sum(sum));
    }

    /// Vectors become orthonormal, or 0 where they depend on those before; r is upper triangular,
    /// column by column.
    template <bool OfV>
    __device__ void orthonormalise(double* r) {
        const std::uint32_t n = OfV ? crosses.columns : crosses.rows;
        for (std::uint32_t c = 0; c < k_; ++c) {
            double *const vector = OfV ? crosses.v(c) : crosses.u(c), *const to = r + c * k_;
            const double before = norm(vector, n);
            for (int pass = 0; pass < 2; ++pass) {
                for (std::uint32_t b = own.warp(); b < c; b += own.warps) {
                    const double along = dot(OfV ? crosses.v(b) : crosses.u(b), vector, n);
                    if (own.lane() == 0) {
                        along_[b] = along;
                        to[b] = pass == 0 ? along : to[b] + along;
                    }
                }
                own.sync();
                for (std::uint32_t i = own.rank; i < n; i += Threads)
                    vector[i] = crosses.subtracted<OfV>(
                        vector[i], c, i, [this](std::uint32_t first) { return along_ + first; }, 1);
                own.sync();
            }
            const double left = norm(vector, n);
            const bool independent = left > 1e-15 * before;
            if (own.rank == 0) to[c] = independent ? left : 0;
            for (std::uint32_t i = own.rank; i < n; i += Threads)
                vector[i] = independent ? vector[i] / left : 0;
            own.sync();
        }
    }

    /// W = R S^T, J = 1, column by column.
    __device__ void multiply() {
        for (std::uint32_t e = own.rank; e < k_ * k_; e += Threads) {
            const std::uint32_t a = e % k_, b = e / k_;
            double sum = 0;
            for (std::uint32_t c = a > b ? a : b; c < k_; ++c)  // both are upper triangular
                sum += r_[c * k_ + a] * s_[c * k_ + b];
            w_[e] = sum;
            j_[e] = a == b;
        }
        own.sync();
    }

    /// Columns of W become orthogonal; J takes the same rotations.
    __device__ void rotate() {
        constexpr int most_sweeps = 40;
        const std::uint32_t players = k_ + k_ % 2;  // with an odd number one rests
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool rotated = false;
            for (std::uint32_t round = 0; round + 1 < players; ++round) {
                for (std::uint32_t t = own.warp(); t < players / 2; t += own.warps) {
                    const std::uint32_t a = (round + t) % (players - 1);
                    const std::uint32_t b =
                        t == 0 ? players - 1 : (round + players - 1 - t) % (players - 1);
                    if (a < k_ && b < k_) rotated |= rotate_pair(a < b ? a : b, a < b ? b : a);
                }
                own.sync();
            }
            if (own.sum(rotated) == 0) return;
        }
    }

    __device__ bool rotate_pair(std::uint32_t p, std::uint32_t q) {
        double *const wp = w_ + p * k_, *const wq = w_ + q * k_;
        const double a = dot(wp, wp, k_), b = dot(wq, wq, k_), c = dot(wp, wq, k_);
        if (std::fabs(c) <= 1e-15 * std::sqrt(a * b) || c == 0) return false;
        const double zeta = (b - a) / (2 * c);
        const double t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
        turn(wp, wq, cosine, sine);
        turn(j_ + p * k_, j_ + q * k_, cosine, sine);
        return true;
    }
    __device__ void turn(double* first, double* second, double cosine, double sine) const {
        for (std::uint32_t i = own.lane(); i < k_; i += warp_lanes) {
            const double x = first[i], y = second[i];
            first[i] = cosine * x - sine * y;
            second[i] = sine * x + cosine * y;
        }
    }

    /// along_: squares of the singular values; order_: the largest first.
    __device__ void sort() {
        for (std::uint32_t c = own.warp(); c < k_; c += own.warps) {
            const double square = dot(w_ + c * k_, w_ + c * k_, k_);
            if (own.lane() == 0) along_[c] = square;
        }
        own.sync();
        for (std::uint32_t c = own.rank; c < k_; c += Threads) {
            std::uint32_t before = 0;
            for (std::uint32_t b = 0; b < k_; ++b)
                before += along_[b] > along_[c] || (along_[b] == along_[c] && b < c);
            order_[before] = c;
        }
        own.sync();
    }

    const team<Threads>& own;
    const cross_slabs& crosses;
    std::uint32_t k_;
    double *r_ = nullptr, *s_ = nullptr, *w_ = nullptr, *j_ = nullptr, *along_ = nullptr;
    std::uint32_t* order_ = nullptr;
};

}  // namespace watari::gpu::hmatrix_build
