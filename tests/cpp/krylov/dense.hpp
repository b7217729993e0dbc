/// Small dense systems for the solvers' tests, on each processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "processors.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

namespace watari::krylov {

/// y_s = A x_s for a matrix of `length` rows, row by row.
template <class T>
struct dense_kernels {
    void (*multiply)(T* y, const T* matrix, const T* x, std::size_t length, std::size_t systems,
                     stream_t);
    /// z_i = r_i / A_ii
    void (*divide)(T* z, const T* matrix, const T* r, std::size_t length, std::size_t systems,
                   stream_t);
    /// y = A x, and partial sums in pieces, as linear_operator::apply_and_sum has them.
    void (*multiply_and_sum)(T* y, const T* matrix, const T* x, const T* left, const T* other,
                             double* partials, std::size_t length, std::size_t systems,
                             std::size_t piece, stream_t);
    static const dense_kernels cpu, gpu;
};

/// A workspace for a problem.
template <class T>
workspace room(const problem<T>& given, std::size_t bytes) {
    return {given.who, shared_kind(given.who), bytes};
}

template <class T>
T random_scalar(std::mt19937& random) {
    std::normal_distribution<double> normal;
    if constexpr (is_complex<T>) {
        const double re = normal(random);
        return T(complex<double>{re, normal(random)});
    } else {
        return static_cast<T>(normal(random));
    }
}

/// A, b and x.
template <class T>
class dense_system {
public:
    dense_system(processor who, std::size_t length, std::size_t systems = 1)
        : who_(who),
          length_(length),
          systems_(systems),
          matrix_(shared_kind(who), length * length),
          b_(shared_kind(who), length * systems),
          x_(shared_kind(who), length * systems) {
        std::fill_n(matrix_.data(), length * length, T{});
        std::fill_n(b_.data(), length * systems, T{});
        std::fill_n(x_.data(), length * systems, T{});
    }

    T& at(std::size_t i, std::size_t j) { return matrix_.data()[i * length_ + j]; }
    T* matrix() { return matrix_.data(); }
    T* b(std::size_t system = 0) { return b_.data() + system * length_; }
    T* x(std::size_t system = 0) { return x_.data() + system * length_; }
    std::size_t length() const { return length_; }
    std::size_t systems() const { return systems_; }

    /// Fills A and b with random numbers, A's scaled by `others`, and adds `diagonal` to A's
    /// diagonal.
    void fill_random(unsigned seed, double diagonal, double others = 1) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < length_; ++i)
            for (std::size_t j = 0; j < length_; ++j)
                at(i, j) = T(wide<T>(others) * widen(random_scalar<T>(random)) +
                             wide<T>(i == j ? diagonal : 0));
        fill_b(random);
    }

    /// Takes the matrix of a system in another precision.
    template <class Other>
    void copy_matrix(dense_system<Other>& from) {
        for (std::size_t i = 0; i < length_ * length_; ++i) matrix()[i] = T(from.matrix()[i]);
    }

    /// Hermitian and positive definite: G G^+ / length + shift, G random.
    void fill_positive(unsigned seed, double shift) {
        std::mt19937 random(seed);
        std::vector<T> g(length_ * length_);
        for (T& value : g) value = random_scalar<T>(random);
        for (std::size_t i = 0; i < length_; ++i)
            for (std::size_t j = 0; j < length_; ++j) {
                wide<T> sum = i == j ? shift : 0;
                for (std::size_t k = 0; k < length_; ++k)
                    sum += widen(g[i * length_ + k]) * conjugate(widen(g[j * length_ + k])) /
                           wide<T>(double(length_));
                at(i, j) = T(sum);
            }
        fill_b(random);
    }

    /// Fills b alone with random numbers.
    void fill_b(unsigned seed) {
        std::mt19937 random(seed);
        fill_b(random);
    }
    void fill_b(std::mt19937& random) {
        for (std::size_t i = 0; i < length_ * systems_; ++i)
            b_.data()[i] = random_scalar<T>(random);
    }

    krylov::problem<T> problem() {
        const auto apply = [this](T* y, const T* x, std::size_t systems, stream_t stream) {
            kernels().multiply(y, matrix(), x, length_, systems, stream);
        };
        return {.who = who_,
                .length = length_,
                .systems = systems_,
                .a = {.apply = apply},
                .b = b(),
                .x = x()};
    }
    apply_function<T> diagonal() {
        return [this](T* z, const T* r, std::size_t systems, stream_t stream) {
            kernels().divide(z, matrix(), r, length_, systems, stream);
        };
    }
    const dense_kernels<T>& kernels() const { return watari::kernels_on<dense_kernels<T>>(who_); }

    /// |b - A x| / |b|, by plain loops.
    double relative_residual(std::size_t system = 0) {
        double left = 0, all = 0;
        for (std::size_t i = 0; i < length_; ++i) {
            wide<T> sum = widen(b(system)[i]);
            all += squared_size(sum);
            for (std::size_t j = 0; j < length_; ++j) sum -= widen(at(i, j)) * widen(x(system)[j]);
            left += squared_size(sum);
        }
        return std::sqrt(left / all);
    }
    bool x_is_finite() const {
        return std::all_of(x_.data(), x_.data() + x_.size(), [](const T& value) {
            return std::isfinite(squared_size(widen(value)));
        });
    }
    std::vector<T> solution(std::size_t system = 0) { return {x(system), x(system) + length_}; }

private:
    processor who_;
    std::size_t length_, systems_;
    memory::buffer<T> matrix_, b_, x_;
};

}  // namespace watari::krylov
