// Kernels for both backends; see core/backend.hpp.
#include "watari/krylov/kernels/bicgstab_kernels.hpp"

#include "watari/krylov/kernels/steps.hpp"

namespace watari::WATARI_BACKEND {

namespace {

template <class T>
inline constexpr unsigned width = krylov::parts<T> + 1;

template <class T>
void alpha(system_state<wide<T>>* states, std::size_t systems, partial_sums from, stream_t stream) {
    for_each_system<width<T>>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<width<T>>& total) {
            if (state.reason != ending::running) return;
            ++state.applications;
            state.fresh = state.renewed = false;
            const auto sigma = dot_of<wide<T>>(total, 0);
            const double first = state.first / state.scale, squared_q = total.value[width<T> - 1];
            state.alpha = state.rho / sigma;
            if (!vanishes(sigma, first * first, squared_q) && fits<T>(state.alpha)) return;
            state.alpha = {};
            state.reason = ending::breakdown;
        },
        stream);
}

template <class T>
void half(const pieces& range, const system_state<wide<T>>* states, T* r, const T* q,
          double* partials, stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (state.reason != ending::running) return;
            const T alpha = static_cast<T>(state.alpha);
            own.sum<1>(partials, [=](std::size_t i) {
                const T left = r[i] - alpha * q[i];
                r[i] = left;
                return sums<1>{{squared(left)}};
            });
        },
        stream);
}

/// Ends the system at its half step: x still lacks alpha p.
template <class State>
WATARI_KERNEL void end_at_half(State& state, ending reason) {
    state.reason = reason;
    state.owed = true;
    state.omega = {};
    ++state.iterations;
}

template <class T>
void halved(system_state<wide<T>>* states, std::size_t systems, partial_sums from, const limits& to,
            stream_t stream) {
    for_each_system<1>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<1>& total) {
            if (state.reason != ending::running) return;
            state.residual = sqrt(total.value[0]) * state.scale;
            if (!is_finite(state.residual))  // then alpha p does not improve x
                state.reason = ending::breakdown;
            else if (state.residual <= state.target && to.delta == 0)
                end_at_half(state, ending::converged);
        },
        stream);
}

template <class T>
void omega(system_state<wide<T>>* states, std::size_t systems, partial_sums from, stream_t stream) {
    constexpr unsigned all = krylov::dots_width<T, true>;
    for_each_system<all>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<all>& total) {
            if (state.reason != ending::running) return;
            ++state.applications;
            const auto dot = conjugate(dot_of<wide<T>>(total, 0));
            const double squared_t = total.value[width<T> - 1], own = state.residual / state.scale;
            state.omega = dot / wide<T>(squared_t);
            if (vanishes(dot, own * own, squared_t) || !fits<T>(state.omega))
                return end_at_half(state, ending::breakdown);
            const auto shadow_t = dot_of<wide<T>>(total, width<T>);
            const auto shadow_s = dot_of<wide<T>>(total, width<T> + krylov::parts<T>);
            const auto previous = state.rho;
            state.rho = shadow_s - state.omega * shadow_t;
            state.beta = state.rho / previous * (state.alpha / state.omega);
        },
        stream);
}

template <class T>
void full(const pieces& range, const system_state<wide<T>>* states, T* x, T* r, T* p,
          const T* p_made, const T* s_made, const T* t, const T* q, double* partials,
          stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            const T alpha = static_cast<T>(state.alpha), omega = static_cast<T>(state.omega);
            const T beta = static_cast<T>(state.beta);
            if (state.owed) own.each([=](std::size_t i) { x[i] += alpha * p_made[i]; });
            if (state.reason != ending::running) return;
            own.sum<1>(partials, [=](std::size_t i) {
                const T left = r[i] - omega * t[i], gained = alpha * p_made[i];
                const T next = left + beta * (p[i] - omega * q[i]);
                x[i] = x[i] + gained + omega * s_made[i];
                r[i] = left;
                p[i] = next;
                return sums<1>{{squared(left)}};
            });
        },
        stream);
}

template <class T>
void updated(system_state<wide<T>>* states, std::size_t systems, partial_sums from,
             const limits& to, stream_t stream) {
    for_each_system<1>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<1>& total) {
            state.owed = false;
            if (state.reason != ending::running) return;
            ++state.iterations;
            const double squared_r = total.value[0], first = state.first / state.scale;
            test_residual(state, squared_r, to);
            const bool made = fits<T>(state.beta);
            state.beta = made ? 1 : NAN;  // factor of p without r, if r is renewed
            if (state.reason == ending::running && !state.renew &&
                (!made || vanishes(state.rho, first * first, squared_r)))
                state.reason = ending::breakdown;
        },
        stream);
}

template <class T>
void direction(const pieces& range, const system_state<wide<T>>* states, T* p, T* shadow,
               const T* r, stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (state.reason != ending::running) return;
            const T beta = static_cast<T>(state.beta);
            if (state.fresh)
                own.each([=](std::size_t i) { p[i] = shadow[i] = r[i]; });
            else if (state.renewed)
                own.each([=](std::size_t i) { p[i] = r[i] + beta * p[i]; });
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::krylov {

template <class T>
const bicgstab_kernels<T> bicgstab_kernels<T>::WATARI_BACKEND{
    .alpha = WATARI_BACKEND::alpha<T>,
    .half = WATARI_BACKEND::half<T>,
    .halved = WATARI_BACKEND::halved<T>,
    .omega = WATARI_BACKEND::omega<T>,
    .full = WATARI_BACKEND::full<T>,
    .updated = WATARI_BACKEND::updated<T>,
    .direction = WATARI_BACKEND::direction<T>};

#define WATARI_INSTANTIATE(T) \
    template const bicgstab_kernels<T> bicgstab_kernels<T>::WATARI_BACKEND;
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
