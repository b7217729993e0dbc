/// D_ee as an operator of krylov/: two hops, each fused with F^-1.
///
/// Bytes of an application per even site, in double with links of 18: 2 x 2112, and 192 for the
/// diagonal term. If it also computes the sums of BiCGStab, it reads 192 more for r~, and on ranks
/// the vectors of each piece with an edge again.
#pragma once

#include "../problem/fields.hpp"
#include "../ranks/exchange.hpp"
#include "watari/krylov/kernels/state.hpp"
#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

#include <memory>

namespace watari::lattice {

/// The arrays of the operator, in one precision.
template <class Real>
struct operands {
    const complex<Real>*links, *clover;
    complex<Real>* odd;  ///< the vector between the two hops
};

template <class Real>
class matrix_operator {
public:
    matrix_operator(const parameters& p, const operands<Real>& of)
        : run_(&kernels_on<kernels<Real>>(p.processor)),
          which_(p.kernel),
          sums_(p.kernel == kernel::tuned && (!p.part || p.part->split.t == 1)),
          odd_(of.odd) {
        if (p.part) exchange_ = std::make_shared<exchange<Real>>(p);
        const std::size_t half = p.size.half();
        first_ = {.where = geometry_of(p),
                  .parity = 1,
                  .link_elements = p.links / 2,
                  .links = of.links,
                  .clover = of.clover + half * packed,
                  .systems = p.rhs};
        second_ = first_;
        second_.parity = 0;
        second_.clover = of.clover;
        second_.factor = static_cast<Real>(kappa * kappa);
        static_assert(few_sums == krylov::dots_width<complex<Real>> &&
                      all_sums == krylov::dots_width<complex<Real>, true>);
    }

    /// Computes F_oo^-1 M_oe x, the hop whose rate the benchmark reports.
    void hop(const complex<Real>* x, stream_t stream) const {
        hop_arguments<Real> a = first_;
        a.in = x;
        a.out = odd_;
        enqueue(a, stream);
    }

    krylov::linear_operator<complex<Real>> as_operator() const {
        krylov::linear_operator<complex<Real>> result;
        result.apply = [this](complex<Real>* y, const complex<Real>* x, std::size_t,
                              stream_t stream) { apply(y, x, {}, stream); };
        if (sums_)
            result.apply_and_sum = [this](complex<Real>* y, const complex<Real>* x,
                                          const complex<Real>* left, const complex<Real>* other,
                                          double* partials, std::size_t, stream_t stream) {
                apply(y, x, {left, other, partials}, stream);
            };
        return result;
    }

private:
    struct sums {
        const complex<Real>*left = nullptr, *other = nullptr;
        double* partials = nullptr;
    };

    void enqueue(const hop_arguments<Real>& a, stream_t stream) const {
        const auto inner = [&] {
            which_ == kernel::tuned ? run_->tuned_hop(a, stream) : run_->hop(a, stream);
        };
        exchange_ ? (*exchange_)(a, inner, stream) : inner();
    }
    void apply(complex<Real>* y, const complex<Real>* x, const sums& of, stream_t stream) const {
        hop(x, stream);
        hop_arguments<Real> a = second_;
        a.in = odd_;
        a.out = y;
        a.diagonal = x;
        a.left = of.left;
        a.other = of.other;
        a.partials = of.partials;
        enqueue(a, stream);
    }

    const kernels<Real>* run_;
    kernel which_;
    bool sums_;  ///< ranks sum pieces with edges again: along t these are all pieces
    std::shared_ptr<exchange<Real>> exchange_;  ///< null: one rank
    complex<Real>* odd_;
    hop_arguments<Real> first_, second_;
};

}  // namespace watari::lattice
