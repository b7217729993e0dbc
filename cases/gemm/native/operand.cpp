#include "operand.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"

#include <cmath>

namespace watari::gemm {

namespace {

/// splitmix64 of Steele, Lea and Flood (OOPSLA 2014).
std::uint64_t hash(std::uint64_t seed, std::uint64_t vector, std::uint64_t index) {
    std::uint64_t x = seed * 0xc2b2ae3d27d4eb4fu + ((vector << 56) + index) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Returns `count` integers: 1, 2 or 3 with either sign.
std::vector<float> small_integers(std::size_t count, std::uint64_t seed, std::uint64_t vector) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = hash(seed, vector, i);
        const auto size = static_cast<float>(1 + (bits >> 1) % 3);
        values[i] = bits % 2 == 0 ? size : -size;
    }
    return values;
}

template <class Element>
void fill(const float* down, const float* along, const region& where, Element* to,
          std::size_t leading) {
    cpu::for_each_point(
        {where.rows, 1, where.columns},
        [=](std::size_t i, std::size_t, std::size_t j) {
            to[i * leading + j] = static_cast<Element>(down[i] * along[j]);
        },
        nullptr);
}

struct expectation {
    const float *f, *e, *u, *v;  ///< from the region's first row and column on
    double of_product, of_c0;    ///< alpha sum(g h); beta
    double tolerance;
};

template <class Element>
std::size_t wrong(const expectation& right, const region& where, const Element* c,
                  std::size_t leading) {
    std::vector<double> in_row(where.rows);
    const auto [f, e, u, v, by_product, by_c0, off_by] = right;
    const auto of_product = static_cast<Element>(by_product), of_c0 = static_cast<Element>(by_c0);
    const auto tolerance = static_cast<Element>(off_by);
    cpu::sum_rows(
        {where.rows, 1, where.columns},
        [=](std::size_t i, std::size_t, std::size_t j) {
            const Element made = of_product * (f[i] * e[j]), kept = of_c0 * (u[i] * v[j]);
            const Element off = std::abs(made + kept - c[i * leading + j]);
            return off <= tolerance * (std::abs(made) + std::abs(kept)) ? 0.0 : 1.0;
        },
        in_row.data(), nullptr);
    double total = 0;
    for (const double count : in_row) total += count;
    return static_cast<std::size_t>(total);
}

}  // namespace

operands::operands(shape size, precision type, std::uint64_t seed)
    : size_(size),
      type_(type),
      f_(small_integers(size.m, seed, 1)),
      g_(small_integers(size.k, seed, 2)),
      h_(small_integers(size.k, seed, 3)),
      e_(small_integers(size.n, seed, 4)),
      u_(small_integers(size.m, seed, 5)),
      v_(small_integers(size.n, seed, 6)) {
    for (std::size_t l = 0; l < size.k; ++l) {
        h_[l] = std::copysign(h_[l], g_[l]);
        sum_ += static_cast<double>(g_[l] * h_[l]);
    }
}

void operands::fill_rows(matrix which, const region& where, void* to, std::size_t leading) const {
    const auto& down = which == matrix::a ? f_ : which == matrix::b ? h_ : u_;
    const auto& along = which == matrix::a ? g_ : which == matrix::b ? e_ : v_;
    const float *first = down.data() + where.row, *second = along.data() + where.column;
    if (type_ == precision::single_precision)
        fill(first, second, where, static_cast<float*>(to), leading);
    else
        fill(first, second, where, static_cast<double*>(to), leading);
}

double operands::tolerance(double alpha, double beta) const {
    const bool single_precision = type_ == precision::single_precision;
    const double largest = 9 * (std::abs(alpha) * sum_ + std::abs(beta));
    const bool integral = alpha == std::trunc(alpha) && beta == std::trunc(beta);
    if (integral && largest < (single_precision ? 0x1p24 : 0x1p53)) return 0;
    // a BLAS scales and adds at least 128 products at once; the expected value is rounded, too
    const double roundings = static_cast<double>(size_.k) / 64 + 8;
    return roundings * (single_precision ? 0x1p-24 : 0x1p-53);
}

std::size_t operands::wrong_elements(double alpha, double beta, const region& where, const void* c,
                                     std::size_t leading) const {
    const expectation right{.f = f_.data() + where.row,
                            .e = e_.data() + where.column,
                            .u = u_.data() + where.row,
                            .v = v_.data() + where.column,
                            .of_product = alpha * sum_,
                            .of_c0 = beta,
                            .tolerance = tolerance(alpha, beta)};
    if (type_ == precision::single_precision)
        return wrong(right, where, static_cast<const float*>(c), leading);
    return wrong(right, where, static_cast<const double*>(c), leading);
}

}  // namespace watari::gemm
