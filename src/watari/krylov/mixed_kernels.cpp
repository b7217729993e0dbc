// Kernels for both backends; see core/backend.hpp.
#include "watari/krylov/mixed_kernels.hpp"

#include "watari/krylov/steps.hpp"

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
            if (state.reason != ending::running) return;
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
            if (!all && !state.renew) return;
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
           lower<T>* r, const lower<T>* shadow, double* partials, stream_t stream) {
    constexpr unsigned width = krylov::parts<T> + 1;
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (state.reason != ending::running || !state.renew) return;
            const T scale(state.scale);
            own.sum<width>(partials, [=](std::size_t i) {
                const T left = b[i] - q[i];
                r[i] = lower<T>(left / scale);
                sums<width> one{};
                if (shadow) put_dot(one, 0, shadow[i], r[i]);
                one.value[width - 1] = squared(left);
                return one;
            });
        },
        stream);
}

template <class T>
void renewed(system_state<wide<T>>* states, std::size_t systems, partial_sums from,
             const limits& to, rho_of how, stream_t stream) {
    constexpr unsigned width = krylov::parts<T> + 1;
    for_each_system<width>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<width>& total) {
            if (state.reason != ending::running || !state.renew) return;
            const double squared_r = total.value[width - 1];
            state.renew = false;
            state.residual = state.reference = sqrt(squared_r);
            ++state.applications;
            if (how != rho_of::later) {
                const wide<T> rho = how == rho_of::shadow
                                        ? dot_of<wide<T>>(total, 0)
                                        : wide<T>(squared_r / state.scale / state.scale);
                state.beta = state.beta * (rho / state.rho);
                state.rho = rho;
            }
            if (state.residual <= state.target)
                state.reason = ending::converged;
            else if (!is_finite(squared_r) || !is_finite(squared_size(state.beta)))
                state.reason = ending::breakdown;
            else
                watch_progress(state, to, true);
        },
        stream);
}

}  // namespace

template <class T>
const krylov::mixed_kernels<T> krylov_mixed<T>::table{
    .scale = scale<T>, .accumulate = accumulate<T>, .renew = renew<T>, .renewed = renewed<T>};

template struct krylov_mixed<double>;
template struct krylov_mixed<complex<double>>;

}  // namespace watari::WATARI_BACKEND
