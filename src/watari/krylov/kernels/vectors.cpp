// Kernels for both backends; see core/backend.hpp.
#include "watari/krylov/kernels/vectors.hpp"

#include "watari/krylov/kernels/steps.hpp"

namespace watari::WATARI_BACKEND {

namespace {

/// Below this value |b|^2 has lost digits, or all of them.
constexpr double least_square = 1e-290;

template <class T>
void start(const pieces& range, const T* b, const T* q, T* r, T* x, double* partials,
           stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            own.sum<3>(partials, [=](std::size_t i) {
                const T given = b[i], left = q ? given - q[i] : given;
                if (r) r[i] = left;
                if (!q) x[i] = T{};
                const double size = squared(given);
                return sums<3>{{squared(left), size, given == T{} ? 0.0 : 1.0}};
            });
        },
        stream);
}

template <class State>
WATARI_KERNEL void begin_one(State& state, const sums<3>& total, const limits& to) {
    state = State{};
    state.scale = 1;
    state.fresh = true;
    state.residual = state.first = state.best = state.reference = sqrt(total.value[0]);
    state.rho = total.value[0];
    state.norm_b = sqrt(total.value[1]);
    state.target = to.relative * state.norm_b;
    if (state.target < to.absolute) state.target = to.absolute;
    const bool nothing = total.value[2] == 0;
    if (!is_finite(state.norm_b) || (!nothing && total.value[1] < least_square))
        state.reason = ending::breakdown;
    else if (nothing)
        state.residual = 0, state.reason = ending::converged;
    else if (!is_finite(state.residual))
        state.reason = ending::breakdown;
    else if (state.residual <= state.target)
        state.reason = ending::converged;
}

template <class T>
void begin(system_state<wide<T>>* states, std::size_t systems, partial_sums from, const limits& to,
           stream_t stream) {
    for_each_system<3>(
        states, systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<3>& total) {
            begin_one(state, total, to);
        },
        stream);
}

template <bool Other, class T>
void dots_of(const pieces& range, const system_state<wide<T>>* states, const T* left, const T* y,
             const T* other, double* partials, stream_t stream) {
    constexpr unsigned own_sums = krylov::dots_width<T>, width = krylov::dots_width<T, Other>;
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            if (states[own.system].reason != ending::running) return;
            own.sum<width>(partials, [=](std::size_t i) {
                sums<width> one;
                const T value = y[i], from = left[i], third = Other ? other[i] : T{};
                put_dot(one, 0, from, value);
                one.value[own_sums - 1] = squared(value);
                if constexpr (Other) {
                    put_dot(one, own_sums, third, value);
                    put_dot(one, own_sums + krylov::parts<T>, third, from);
                }
                return one;
            });
        },
        stream);
}

template <class T>
void dots(const pieces& range, const system_state<wide<T>>* states, const T* left, const T* y,
          const T* other, double* partials, stream_t stream) {
    other ? dots_of<true>(range, states, left, y, other, partials, stream)
          : dots_of<false>(range, states, left, y, other, partials, stream);
}

template <class T>
void residual(const pieces& range, const T* b, const T* q, T* r, double* partials,
              stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            own.sum<1>(partials, [=](std::size_t i) {
                const T left = b[i] - q[i];
                if (r) r[i] = left;
                return sums<1>{{squared(left)}};
            });
        },
        stream);
}

template <class T>
void finish(const pieces& range, system_state<wide<T>>* states, partial_sums from, T* x,
            stream_t stream) {
    for_each_system<1>(
        states, range.systems, from,
        [=] WATARI_KERNEL(system_state<wide<T>> & state, const sums<1>& total) {
            const bool zero = state.norm_b == 0 && state.reason == ending::converged;
            state.true_residual = zero ? 0 : sqrt(total.value[0]);
        },
        stream);
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const system_state<wide<T>>& state = states[own.system];
            if (state.norm_b == 0 && state.reason == ending::converged)
                own.each([=](std::size_t i) { x[i] = T{}; });
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::krylov {

template <class T>
const vector_kernels<T> vector_kernels<T>::WATARI_BACKEND{.start = WATARI_BACKEND::start<T>,
                                                          .begin = WATARI_BACKEND::begin<T>,
                                                          .dots = WATARI_BACKEND::dots<T>,
                                                          .residual = WATARI_BACKEND::residual<T>,
                                                          .finish = WATARI_BACKEND::finish<T>,
                                                          .fold = WATARI_BACKEND::fold_partials};

#define WATARI_INSTANTIATE(T) template const vector_kernels<T> vector_kernels<T>::WATARI_BACKEND;
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
