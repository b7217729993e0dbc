/// Recompression of a leaf's crosses by a team of threads, as build/factors.hpp defines it: U = Q R
/// and V = P S, the singular values of R S^T by one-sided Jacobi rotations, the smallest rank whose
/// error is allowed.
///
/// Three things differ from the CPU, for their parallel steps. Gram and Schmidt is classical: all
/// products with a vector, then one subtraction; once more where that left less than a tenth of the
/// vector (of 1% in bumpy:35; products of what results are 7.5e-12 at most). Rotations go round by
/// round, in which each column has one partner, four lanes a pair (Brent and Luk 1985). They end
/// when no two columns have a cosine above 1e-4. Rotations change no distance, so what is left out
/// with a column is the error, whether or not columns are orthogonal. (Of 1551 leaves of bumpy:35
/// all have the same ranks with 1e-15 and with 1e-2, and 5.7 sweeps with 1e-15.)
///
/// Flops for k crosses: 2 k^2 (rows + columns), 9 k^3 a sweep, of which there are 4 to 5, and
/// 2 k rank (rows + columns). Bytes: k^2 (rows + columns) elements, from L2 as far as they fit.
/// All steps wait more than they compute: each has several loads or shuffles on their way.
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

    /// Sums over groups of lanes, several at once.
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

    /// Vectors become orthonormal, or 0 where they depend on those before; r is upper triangular,
    /// column by column.
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
            if (own.rank == 0) to[c] = independent ? left : 0;
            for (std::uint32_t i = own.rank; i < n; i += Threads)
                vector[i] = independent ? vector[i] / left : 0;
            own.sync();
        }
    }

    static constexpr unsigned dots = 4;  ///< of a warp at once

    /// along_[b], the products of a vector with some vectors b < c, of a warp; to_b = them, or
    /// more.
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

    /// Columns of W become orthogonal; J takes the same rotations.
    __device__ void rotate() {
        constexpr int most_sweeps = 40;
        const std::uint32_t players = k_ + k_ % 2;  // with an odd number one rests
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

    /// All lanes of a warp come, those without a pair too.
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
        if (!has || std::fabs(c) <= 1e-4 * std::sqrt(a * b) || c == 0) return false;
        const double zeta = (b - a) / (2 * c);
        const double t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
        turn(wp, wq, cosine, sine);
        turn(j_ + p * k_, j_ + q * k_, cosine, sine);
        return true;
    }
    __device__ void turn(double* first, double* second, double cosine, double sine) const {
        for (std::uint32_t i = own.rank % pair_lanes; i < k_; i += pair_lanes) {
            const double x = first[i], y = second[i];
            first[i] = cosine * x - sine * y;
            second[i] = sine * x + cosine * y;
        }
    }

    /// along_: squares of the singular values; order_: the largest first.
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
