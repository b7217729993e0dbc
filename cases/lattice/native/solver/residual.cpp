#include "residual.hpp"

#include "record.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <cmath>

namespace watari::lattice {

namespace {

/// Vectors in CPU memory.
template <class Real>
std::vector<complex<Real>> on_cpu(const parameters& p, const complex<Real>* from) {
    return memory::read_back(p.processor, from, p.rhs * p.size.half() * spinor);
}

}  // namespace

template <class Real>
std::vector<double> plain_residuals(const parameters& p, const operands<Real>& of,
                                    const complex<Real>* b, const complex<Real>* x,
                                    complex<Real>* y) {
    parameters plain = p;
    plain.kernel = kernel::shared;
    plain.overlap = false;
    const matrix_operator<Real> matrix(plain, of);
    matrix.as_operator().apply(y, x, p.rhs, nullptr);
    const auto right = on_cpu(p, b), made = on_cpu(p, y);
    const std::size_t length = right.size() / p.rhs;
    std::vector<double> residuals;
    for (std::size_t s = 0; s < p.rhs; ++s) {
        double difference = 0, norm = 0;
        for (std::size_t i = s * length; i < (s + 1) * length; ++i) {
            const complex<double> one = widen(right[i]);
            difference += squared_size(one - widen(made[i]));
            norm += squared_size(one);
        }
        residuals.push_back(std::sqrt(over_ranks(p, difference) / over_ranks(p, norm)));
    }
    return residuals;
}

template std::vector<double> plain_residuals(const parameters&, const operands<float>&,
                                             const complex<float>*, const complex<float>*,
                                             complex<float>*);
template std::vector<double> plain_residuals(const parameters&, const operands<double>&,
                                             const complex<double>*, const complex<double>*,
                                             complex<double>*);

}  // namespace watari::lattice
