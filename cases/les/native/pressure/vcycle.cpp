// Kernels for both backends; see core/backend.hpp.
#include "vcycle.hpp"

#include "restriction.hpp"
#include "sweeps.hpp"

#include WATARI_PART(blocks)
#include WATARI_PART(small)

namespace watari::WATARI_BACKEND {

namespace {

using les::level;

template <class Real>
void two_sweeps(const level<Real>& l, stream_t stream) {
    with_operator(l, [&]<class Operator>(const Operator& a) {
        for_each_cell(l.grid, two_sweeps_of(a, l), only(l.e), stream);
    });
}

template <class Real>
void sweep(const level<Real>& l, Real weight, const Real* from, Real* to, stream_t stream) {
    with_operator(l, [&]<class Operator>(const Operator& a) {
        for_each_cell(l.grid, sweep_of(a, l, weight, from, to), only(to), stream);
    });
}

template <class Real>
void correct_sweep(const level<Real>& l, const level<Real>& coarse, stream_t stream) {
    with_operator(l, [&]<class Operator>(const Operator& a) {
        for_each_cell(l.grid, correct_sweep_of(a, l, coarse), only(l.scratch), stream);
    });
}

template <class Real>
void scale(const level<Real>& l, Real weight, Real* to, stream_t stream) {
    with_operator(l, [&]<class Operator>(const Operator& a) {
        for_each_cell(l.grid, scale_by_diagonal<Operator, Real>{a, l.r, to, weight}, only(to),
                      stream);
    });
}

template <class Real>
void restrict_residual(const level<Real>& l, const level<Real>& coarse, stream_t stream) {
    const own_cells own(l, coarse);
    with_operator(l, [&]<class Operator>(const Operator& a) {
        const auto run = [&](const auto& body) {
            for_each_cell(own.cells, body, only(coarse.r), stream);
        };
        coarse.all_halved() ? run(restriction_of<true>(a, l, coarse, own.y, own.x))
                            : run(restriction_of<false>(a, l, coarse, own.y, own.x));
    });
}

template <class Real>
void sweep_product(const level<Real>& l, double* partials, stream_t stream) {
    const fine_operator<Real> a(l);
    const auto sweep = sweep_of(a, l, Real(les::first_weight), l.scratch, l.e);
    sum_cells(l.grid, product_of<fine_operator<Real>, Real, in_array<Real>>{sweep, l.flags},
              partials, only(l.e), stream);
}

struct nothing {
    const std::uint8_t* flags = nullptr;
    template <bool>
    WATARI_INLINE void operator()(const cell&) const {}
};

template <class Real>
void go_around(const les::grid& g, Real* array, stream_t stream) {
    for_each_cell(g, nothing{}, only(array), stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const vcycle_kernels<Real> vcycle_kernels<Real>::WATARI_BACKEND{
    .two_sweeps = WATARI_BACKEND::two_sweeps<Real>,
    .restrict_residual = WATARI_BACKEND::restrict_residual<Real>,
    .correct_sweep = WATARI_BACKEND::correct_sweep<Real>,
    .sweep = WATARI_BACKEND::sweep<Real>,
    .sweep_product = WATARI_BACKEND::sweep_product<Real>,
    .sweep_first = WATARI_BACKEND::sweep_first<Real>,
    .sweep_last = WATARI_BACKEND::sweep_last<Real>,
    .scale = WATARI_BACKEND::scale<Real>,
    .first_small = WATARI_BACKEND::first_small<Real>,
    .small_levels = WATARI_BACKEND::small_levels<Real>,
    .go_around = WATARI_BACKEND::go_around<Real>};

template const vcycle_kernels<float> vcycle_kernels<float>::WATARI_BACKEND;
template const vcycle_kernels<double> vcycle_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
