// Kernels for both backends; see core/backend.hpp.
#include "watari/krylov/kernels/mixed_kernels.hpp"

#include "watari/krylov/kernels/steps.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using krylov::lower;
using krylov::rho_of;

template <class T>
void scale(const pieces& range, system_state<wide<T>>* states, lower<T>* y, stream_t stream) {
    for_each(
        range.systems * range.length, [=] WATARI_KERNEL(std::size_t i) { y[i] = {}; }, stream);
    for_each(
        range.systems,
        [=] WATARI_KERNEL(std::size_t s) {
            system_state<wide<T>>& state = states[s];
            state.stuck = state.reason != ending::running;
            if (state.stuck) return;
            state.scale = state.residual;
            state.rho = 1;
            state.renew = true;
        },
        stream);
}

template <class T>
void accumulate(const pieces& range, const system_state<wide<T>>* states, T* x, lower<T>* y,
                bool all, stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (!all && !state.is_due()) return;
            const T factor(state.scale);
            own.each([=](std::size_t i) {
                x[i] += factor * T(y[i]);
                y[i] = {};
            });
        },
        stream);
}

template <class T>
void renew(const pieces& range, const system_state<wide<T>>* states, const T* b, const T* q,
           lower<T>* r, lower<T>* p, const lower<T>* shadow, double* partials, stream_t stream) {
    constexpr unsigned width = krylov::dots_width<T>;
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (!state.is_due()) return;
            const T scale(state.scale);
            own.sum<width>(partials, [=](std::size_t i) {
                const T left = b[i] - q[i];
                if (p) p[i] = p[i] - r[i];
                r[i] = lower<T>(left / scale);
                sums<width> one{};
                if (shadow) put_dot(one, 0, shadow[i], r[i]);
                one.value[width - 1] = squared(left);
                return one;
            });
        },
        stream);
}

/// Restarts a system: the next direction is the residual.
template <class State>
WATARI_KERNEL void begin_anew(State& state, double norm) {
    state.reason = ending::running;
    state.fresh = true;
    state.first = norm;
}

template <class State, class Wide>
WATARI_KERNEL void renew_one(State& state, double squared_norm, const Wide& shadow_dot,
                             const limits& to, rho_of how) {
    const double norm = sqrt(squared_norm);
    const Wide own(squared_norm / state.scale / state.scale);
    ++state.applications;
    state.renew = false;
    state.residual = state.reference = norm;
    if (state.reason == ending::breakdown) {  // only of low precision, if the residual has halved
        state.stuck = !(norm < state.best / 2);
        if (!state.stuck) begin_anew(state, norm);
    } else if (how != rho_of::later) {
        const Wide rho = how == rho_of::shadow && !state.fresh ? shadow_dot : own;
        state.beta = state.beta * (rho / state.rho);
        state.rho = rho;
        state.renewed = how == rho_of::shadow;
        if (!is_finite(squared_size(state.beta))) begin_anew(state, norm);
    }
    if (state.fresh && how != rho_of::later) state.rho = own;
    if (norm <= state.target) {
        state.reason = ending::converged;
    } else if (!is_finite(norm)) {
        state.reason = ending::breakdown;
        state.stuck = true;
    } else if (state.reason == ending::running) {
        watch_progress(state, to, true);
    }
}

template <class T>
void renewed(system_state<wide<T>>* states, std::size_t systems, partial_sums from,
             const limits& to, rho_of how, stream_t stream) {
    constexpr unsigned width = krylov::dots_width<T>;
    for_each_system<width>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<width>& total) {
            if (!state.is_due()) return;
            renew_one(state, total.value[width - 1], dot_of<wide<T>>(total, 0), to, how);
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::krylov {

template <class T>
const mixed_kernels<T> mixed_kernels<T>::WATARI_BACKEND{.scale = WATARI_BACKEND::scale<T>,
                                                        .accumulate = WATARI_BACKEND::accumulate<T>,
                                                        .renew = WATARI_BACKEND::renew<T>,
                                                        .renewed = WATARI_BACKEND::renewed<T>};

template const mixed_kernels<double> mixed_kernels<double>::WATARI_BACKEND;
template const mixed_kernels<complex<double>> mixed_kernels<complex<double>>::WATARI_BACKEND;

}  // namespace watari::krylov
