/// Operations on scalars for the kernels of all solvers. For files that both backends compile.
#pragma once

#include "watari/core/parallel/reductions.hpp"
#include "watari/krylov/kernels/state.hpp"

#include <cmath>

namespace watari::WATARI_BACKEND {

using krylov::ending;
using krylov::limits;
using krylov::system_state;

/// Cosines below this are rounding: rho and omega have broken down.
inline constexpr double rounding = 1e-16;

WATARI_KERNEL inline bool is_finite(double value) { return value - value == 0; }

/// Whether <u,v> is 0 but for rounding.
template <class Wide>
WATARI_KERNEL bool vanishes(const Wide& dot, double squared_u, double squared_v) {
    const double size = squared_size(dot);
    return !is_finite(size) || size <= rounding * rounding * squared_u * squared_v;
}

/// Whether a factor of vectors of T is still finite as a T.
template <class T>
WATARI_KERNEL bool fits(const wide<T>& factor) {
    const auto kept = widen(static_cast<T>(factor));
    bool is_number = is_finite(real_part(kept));
    if constexpr (is_complex<T>) is_number = is_number && is_finite(kept.im);
    return is_number;
}

/// Value number k of a sum: real, or complex from values k and k + 1.
template <class Wide, unsigned Width>
WATARI_KERNEL Wide dot_of(const sums<Width>& total, unsigned k) {
    if constexpr (is_complex<Wide>)
        return {total.value[k], total.value[k + 1]};
    else
        return total.value[k];
}

/// Stores conj(u) v as value k of a sum, or as values k and k + 1 if complex.
template <class T, unsigned Width>
WATARI_KERNEL void put_dot(sums<Width>& to, unsigned k, const T& u, const T& v) {
    const auto product = conjugate(widen(u)) * widen(v);
    to.value[k] = real_part(product);
    if constexpr (is_complex<T>) to.value[k + 1] = product.im;
}

template <class T>
WATARI_KERNEL double squared(const T& value) {
    return squared_size(widen(value));
}

/// Calls step(state, sums) for each system, in one thread.
template <unsigned Width, class State, class Step>
void for_each_system(State* states, std::size_t systems, partial_sums from, Step step,
                     stream_t stream) {
    for_each_warp(
        systems,
        [=] WATARI_KERNEL(std::size_t s) {
            const group threads = group::active();
            const double* const first = from.values + s * from.count * Width;
            const sums<Width> total = warp_sum<Width>(threads, 0, from.count, [=](std::size_t i) {
                sums<Width> one;
                for (unsigned k = 0; k < Width; ++k) one.value[k] = first[i * Width + k];
                return one;
            });
            if (threads.leads()) step(states[s], total);
        },
        stream);
}

/// Keeps the smallest residual; ends a system after to.stagnation iterations without a smaller one.
template <class State>
WATARI_KERNEL void watch_progress(State& state, const limits& to, bool counts) {
    if (counts && state.residual < state.best) {
        state.best = state.residual;
        state.best_at = state.iterations;
    } else if (to.stagnation && state.iterations - state.best_at >= to.stagnation) {
        state.reason = ending::stagnation;
    }
}

/// Tests the residual after an iteration: it is small enough; it is not a number, or so large that
/// rounding hides the smallest one before; or there is no progress. With low-precision vectors a
/// small residual is not trusted: the vectors are renewed.
template <class State>
WATARI_KERNEL void test_residual(State& state, double squared_norm, const limits& to) {
    state.residual = sqrt(squared_norm) * state.scale;
    const bool low = to.delta > 0, enough = state.residual <= state.target;
    if (!is_finite(state.residual) || state.residual * rounding > state.best) {
        state.reason = ending::breakdown;
    } else if (enough && !low) {
        state.reason = ending::converged;
    } else {
        if (state.residual > state.reference) state.reference = state.residual;
        state.renew = low && (enough || state.residual < to.delta * state.reference);
        if (!state.renew) watch_progress(state, to, !low);
    }
}

}  // namespace watari::WATARI_BACKEND
