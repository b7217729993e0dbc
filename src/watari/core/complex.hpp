/// Complex numbers for both backends, and functions that real and complex scalars share.
///
/// A product is (ac - bd, ad + bc), a quotient follows Smith (1962, Algorithm 116: no overflow in
/// between). Both use only + - * /, so a kernel without fused products gives the same bits on every
/// processor. The product of std::complex depends on the compiler. The layout is that of
/// std::complex, NumPy and CUDA; addresses are multiples of an element, as GPUs need.
#pragma once

#include <type_traits>

namespace watari {

template <class Real>
struct alignas(2 * sizeof(Real)) complex {
    Real re{}, im{};

    constexpr complex() = default;
    constexpr complex(Real real, Real imaginary = 0) : re(real), im(imaginary) {}
    template <class Other>
    constexpr explicit complex(const complex<Other>& z)
        : re(static_cast<Real>(z.re)), im(static_cast<Real>(z.im)) {}

    constexpr complex& operator+=(const complex& z) { return *this = *this + z; }
    constexpr complex& operator-=(const complex& z) { return *this = *this - z; }
    constexpr complex operator-() const { return {-re, -im}; }

    friend constexpr complex operator+(const complex& a, const complex& b) {
        return {a.re + b.re, a.im + b.im};
    }
    friend constexpr complex operator-(const complex& a, const complex& b) {
        return {a.re - b.re, a.im - b.im};
    }
    friend constexpr complex operator*(const complex& a, const complex& b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend constexpr complex operator/(const complex& a, const complex& b) {
        const bool wide = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
        const Real ratio = wide ? b.im / b.re : b.re / b.im;
        const Real below = wide ? b.re + b.im * ratio : b.re * ratio + b.im;
        if (wide) return {(a.re + a.im * ratio) / below, (a.im - a.re * ratio) / below};
        return {(a.re * ratio + a.im) / below, (a.im * ratio - a.re) / below};
    }
    friend constexpr bool operator==(const complex&, const complex&) = default;
};

template <class Scalar>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<complex<Real>> = true;

/// The type in which products are summed: double, or complex<double>.
template <class Scalar>
using wide = std::conditional_t<is_complex<Scalar>, complex<double>, double>;

constexpr double widen(double a) { return a; }
template <class Real>
constexpr complex<double> widen(const complex<Real>& a) {
    return complex<double>(a);
}

constexpr double conjugate(double a) { return a; }
constexpr complex<double> conjugate(const complex<double>& a) { return {a.re, -a.im}; }

constexpr double real_part(double a) { return a; }
constexpr double real_part(const complex<double>& a) { return a.re; }

constexpr double squared_size(double a) { return a * a; }
constexpr double squared_size(const complex<double>& a) { return a.re * a.re + a.im * a.im; }

}  // namespace watari
