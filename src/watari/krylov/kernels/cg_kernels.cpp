// Kernels for both backends; see core/backend.hpp.
#include "watari/krylov/kernels/cg_kernels.hpp"

#include "watari/krylov/kernels/steps.hpp"

namespace watari::WATARI_BACKEND {

namespace {

/// Sets rho of the next step and beta = rho / previous. rho <= 0: the preconditioner is not
/// positive.
template <class State>
WATARI_KERNEL void next_rho(State& state, double rho) {
    state.previous = state.rho;
    state.rho = rho;
    state.beta = rho / real_part(state.previous);
    if (state.reason == ending::running && !state.renew && !(rho > 0 && is_finite(rho)))
        state.reason = ending::breakdown;
}

template <class T>
void curvature(system_state<wide<T>>* states, std::size_t systems, partial_sums from,
               stream_t stream) {
    for_each_system<krylov::parts<T> + 1>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<krylov::parts<T> + 1>& total) {
            if (state.reason != ending::running) return;
            ++state.applications;
            state.fresh = false;
            const double curvature = total.value[0], alpha = real_part(state.rho) / curvature;
            const bool good = curvature > 0 && is_finite(curvature) && fits<T>(alpha);
            state.alpha = good ? alpha : 0;
            if (!good) state.reason = ending::breakdown;
        },
        stream);
}

template <class T>
void update(const pieces& range, const system_state<wide<T>>* states, T* x, T* r, const T* p,
            const T* q, double* partials, stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (state.reason != ending::running) return;
            const T alpha = static_cast<T>(state.alpha);
            own.sum<1>(partials, [=](std::size_t i) {
                x[i] += alpha * p[i];
                const T left = r[i] - alpha * q[i];
                r[i] = left;
                return sums<1>{{squared(left)}};
            });
        },
        stream);
}

template <class T>
void updated(system_state<wide<T>>* states, std::size_t systems, partial_sums from,
             const limits& to, bool preconditioned, stream_t stream) {
    for_each_system<1>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<1>& total) {
            if (state.reason != ending::running) return;
            ++state.iterations;
            test_residual(state, total.value[0], to);
            if (!preconditioned) next_rho(state, total.value[0]);
        },
        stream);
}

template <class T>
void conditioned(system_state<wide<T>>* states, std::size_t systems, partial_sums from,
                 stream_t stream) {
    for_each_system<krylov::parts<T> + 1>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<krylov::parts<T> + 1>& total) {
            if (state.reason == ending::running) next_rho(state, total.value[0]);
        },
        stream);
}

template <class T>
void direction(const pieces& range, const system_state<wide<T>>* states, T* p, const T* z,
               stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (state.reason != ending::running) return;
            const T beta = static_cast<T>(state.beta);
            const bool fresh = state.fresh;
            own.each([=](std::size_t i) { p[i] = fresh ? z[i] : z[i] + beta * p[i]; });
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::krylov {

template <class T>
const cg_kernels<T> cg_kernels<T>::WATARI_BACKEND{.curvature = WATARI_BACKEND::curvature<T>,
                                                  .update = WATARI_BACKEND::update<T>,
                                                  .updated = WATARI_BACKEND::updated<T>,
                                                  .conditioned = WATARI_BACKEND::conditioned<T>,
                                                  .direction = WATARI_BACKEND::direction<T>};

#define WATARI_INSTANTIATE(T) template const cg_kernels<T> cg_kernels<T>::WATARI_BACKEND;
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
