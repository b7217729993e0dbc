/// Recompression of a leaf's crosses by a team of threads, as build/factors.hpp defines it: U = Q R
/// and V = P S, the singular values of R S^T by one-sided Jacobi rotations, the smallest rank whose
/// error is allowed.
///
/// Three things differ from the CPU, to have parallel steps. Gram and Schmidt is classical: all
/// products with a vector, then one subtraction. A second pass follows if less than a tenth of the
/// vector is left (1% in bumpy:35; the products of the resulting vectors are 7.5e-12 at most).
/// Rotations go round by round: in a round each column has one partner, and a pair has four lanes
/// (Brent and Luk 1985). They end when no two columns have a cosine above 1e-4. Rotations change no
/// distance, so the part that is left out with a column is the error, whether or not columns are
/// orthogonal. (All 1551 leaves of bumpy:35 have the same ranks with 1e-15 and with 1e-2; 1e-15
/// takes 5.7 sweeps.)
///
/// Flops for k crosses: 2 k^2 (rows + columns), 9 k^3 for each of 4 to 5 sweeps, and 2 k rank (rows
/// + columns). Bytes: k^2 (rows + columns) elements, from L2 as far as they fit. All steps wait
/// more than they compute, so each has several loads or shuffles in flight.
#pragma once

#include "watari/hmatrix/build/cross.cuh"

namespace watari::gpu::hmatrix_build {

template <unsigned Threads>
class recompression {
public:
    /// run() makes the columns of U and V of `of` orthonormal.
    __device__ recompression(const team<Threads>& by, const cross_slabs& of)
        : own(by), crosses(of), k_(of.count) {}

    /// Returns false if the pool has no room.
    __device__ bool run(const hmatrix::pool_view& work) {
        const std::size_t square = std::size_t{k_} * k_;
        const bool near = 2 * square <= team<Threads>::room;
        r_ = own.take_doubles(work, (near ? 2 : 4) * square + 2 * std::size_t{k_} + 1);
        if (!r_) return false;
        s_ = r_ + square;
        along_ = s_ + square;
        order_ = reinterpret_cast<std::uint32_t*>(along_ + k_);
        w_ = near ? own.memory : along_ + 2 * std::size_t{k_} + 1;
        j_ = w_ + square;
        orthonormalise<false>(r_);
        orthonormalise<true>(s_);
        multiply();
        rotate();
        sort();
        return true;
    }

    /// The smallest rank, 1 or more where there is a cross, whose error has a norm of at most
    /// `tolerance`.
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

    /// Adds up Count sums at once, each over a group of Lanes lanes.
    template <unsigned Count, unsigned Lanes>
    __device__ static void add_up(double (&sums)[Count]) {
        for (unsigned half = Lanes / 2; half > 0; half /= 2)
            for (unsigned n = 0; n < Count; ++n) sums[n] += __shfl_xor_sync(every, sums[n], half);
    }
    __device__ double norm(const double* a, std::uint32_t n) const {
        double sum = 0;
        for (std::uint32_t i = own.rank; i < n; i += Threads) sum += a[i] * a[i];
        return std::sqrt(own.sum(sum));
    }

    /// Makes the vectors orthonormal; a vector that depends on those before becomes 0. r is upper
    /// triangular, column by column.
    template <bool OfV>
    __device__ void orthonormalise(double* r) {
        constexpr double again = 0.1;
        const std::uint32_t n = OfV ? crosses.columns : crosses.rows;
        for (std::uint32_t c = 0; c < k_; ++c) {
            double *const vector = OfV ? crosses.v(c) : crosses.u(c), *const to = r + c * k_;
            const double before = norm(vector, n);
            double left = before;
            for (int pass = 0; pass < 2; ++pass) {
                for (std::uint32_t first = own.warp(); first < c; first += dots * own.warps)
                    project<OfV>(vector, n, first, c, pass == 0 ? nullptr : to, to);
                own.sync();
                double square = 0;
                for (std::uint32_t i = own.rank; i < n; i += Threads) {
                    const double value = crosses.subtracted<OfV>(
                        vector[i], c, i, [this](std::uint32_t first) { return along_ + first; }, 1);
                    vector[i] = value;
                    square += value * value;
                }
                own.sync();
                left = std::sqrt(own.sum(square));
                if (left > again * before) break;
            }
            const bool independent = left > 1e-15 * before;
            const double scale = independent ? 1 / left : 0;
            if (own.rank == 0) to[c] = independent ? left : 0;
            for (std::uint32_t i = own.rank; i < n; i += Threads) vector[i] *= scale;
            own.sync();
        }
    }

    static constexpr unsigned dots = 4;  ///< of a warp at once

    /// Computes along_[b], the products of a vector with up to `dots` vectors b < c, by a warp.
    /// to_b = along_[b], plus before_b if `before` is given.
    template <bool OfV>
    __device__ void project(const double* vector, std::uint32_t n, std::uint32_t first,
                            std::uint32_t c, const double* before, double* to) {
        const double* other[dots];
        double sums[dots]{};
        for (unsigned u = 0; u < dots; ++u) {
            const std::uint32_t b = first + u * own.warps;
            other[u] = OfV ? crosses.v(b < c ? b : first) : crosses.u(b < c ? b : first);
        }
        for (std::uint32_t i = own.lane(); i < n; i += warp_lanes) {
            const double value = vector[i];
            for (unsigned u = 0; u < dots; ++u) sums[u] += other[u][i] * value;
        }
        add_up<dots, warp_lanes>(sums);
        for (unsigned u = 0; u < dots; ++u) {
            const std::uint32_t b = first + u * own.warps;
            if (own.lane() != u || b >= c) continue;
            along_[b] = sums[u];
            to[b] = before ? before[b] + sums[u] : sums[u];
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

    /// Makes the columns of W orthogonal, and applies the same rotations to J.
    __device__ void rotate() {
        constexpr int most_sweeps = 40;
        const std::uint32_t players = k_ + k_ % 2;  // with an odd number one column rests
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool rotated = false;
            for (std::uint32_t round = 0; round + 1 < players; ++round) {
                for (std::uint32_t base = 0; base < players / 2; base += Threads / pair_lanes) {
                    const std::uint32_t t = base + own.rank / pair_lanes;
                    const std::uint32_t a = (round + t) % (players - 1);
                    const std::uint32_t b =
                        t == 0 ? players - 1 : (round + players - 1 - t) % (players - 1);
                    const bool has = t < players / 2 && a < k_ && b < k_;
                    rotated |= rotate_pair(has, a < b ? a : b, a < b ? b : a);
                }
                own.sync();
            }
            if (own.sum(rotated) == 0) return;
        }
    }

    static constexpr unsigned pair_lanes = 4;
    static constexpr double small = 1e-4;  ///< as a cosine

    /// Rotates columns p and q; returns whether it did. All lanes of a warp call it, also those
    /// without a pair.
    __device__ bool rotate_pair(bool has, std::uint32_t p, std::uint32_t q) {
        double *const wp = w_ + p * k_, *const wq = w_ + q * k_;
        const std::uint32_t first = own.rank % pair_lanes;
        double sums[3]{};
        for (std::uint32_t i = first; has && i < k_; i += pair_lanes) {
            const double x = wp[i], y = wq[i];
            sums[0] += x * x, sums[1] += y * y, sums[2] += x * y;
        }
        add_up<3, pair_lanes>(sums);
        const auto [a, b, c] = sums;
        if (!has || c * c <= small * small * a * b || c == 0) return false;
        const double t = tangent((b - a) / (2 * c)), cosine = inverse_root(1 + t * t);
        const double sine = cosine * t;
        turn(wp, wq, cosine, sine);
        turn(j_ + p * k_, j_ + q * k_, cosine, sine);
        return true;
    }
    /// The smaller root of t^2 + 2 zeta t = 1, to the digits of a float: the columns are then
    /// orthogonal but for about 1e-7.
    __device__ static double tangent(double zeta) {
        const float z = std::fabs(static_cast<float>(zeta));
        const float t = z > 1e4f ? 0.5f / z : 1 / (z + std::sqrt(1 + z * z));
        return zeta < 0 ? -t : t;
    }
    /// 1 / sqrt(x) for x from 1 to 2 to the last digits, by two steps of Newton. On a GPU a root
    /// and a quotient take several times as long.
    __device__ static double inverse_root(double x) {
        double y = 1 / std::sqrt(static_cast<float>(x));
        for (int step = 0; step < 2; ++step) y *= 1.5 - 0.5 * x * y * y;
        return y;
    }
    __device__ void turn(double* first, double* second, double cosine, double sine) const {
        for (std::uint32_t i = own.rank % pair_lanes; i < k_; i += pair_lanes) {
            const double x = first[i], y = second[i];
            first[i] = cosine * x - sine * y;
            second[i] = sine * x + cosine * y;
        }
    }

    /// Writes the squares of the singular values to along_, and their order, the largest first, to
    /// order_.
    __device__ void sort() {
        for (std::uint32_t c = own.rank; c < k_; c += Threads) {
            double square = 0;
            for (std::uint32_t i = 0; i < k_; ++i) square += w_[c * k_ + i] * w_[c * k_ + i];
            along_[c] = square;
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
