// Kernels for both backends; see core/backend.hpp.
#include "watari/krylov/kernels/gmres_kernels.hpp"

#include "watari/krylov/kernels/steps.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using krylov::basis;
using krylov::hessenberg;

template <class T>
using state_of = system_state<wide<T>>;
template <class T>
using small_of = hessenberg<wide<T>>;

/// The rest of a vector is rounding if it is below this part of the vector.
template <class T>
inline constexpr double least_part = sizeof(T) / krylov::parts<T> == sizeof(float) ? 1e-6 : 1e-14;

/// A cycle ends the system if its true residual is not below this part of the last one.
constexpr double no_progress = 0.9999;

template <class T>
void open(state_of<T>* states, const small_of<T>& small, std::size_t systems, stream_t stream) {
    for_each(
        systems,
        [=] WATARI_KERNEL(std::size_t s) {
            state_of<T>& state = states[s];
            state.open = state.reason == ending::running;
            state.reference = state.residual;
            small.columns[s] = 0;
            small.g[s * (small.restart + 1)] = state.residual;
            small.inverse[s] = 1 / state.residual;
        },
        stream);
}

template <class T>
void normalise(const pieces& range, const state_of<T>* states, const small_of<T>& small, T* w,
               stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            if (!states[own.system].open) return;
            const T inverse = static_cast<T>(wide<T>(small.inverse[own.system]));
            own.each([=](std::size_t i) { w[i] = inverse * w[i]; });
        },
        stream);
}

template <class T>
void project(const pieces& range, const state_of<T>* states, const basis<T>& v, std::size_t count,
             const T* w, double* partials, stream_t stream) {
    constexpr unsigned width = krylov::parts<T>;
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            if (!states[own.system].open) return;
            for (std::size_t j = 0; j < count; ++j) {  // the piece of w stays in the cache
                const T* const left = v[j];
                double* const to = partials + (own.number * (count - 1) + j) * width;
                own.sum<width>(to, [=](std::size_t i) {
                    sums<width> one;
                    put_dot(one, 0, left[i], w[i]);
                    return one;
                });
            }
        },
        stream);
}

template <class T>
void projected(const state_of<T>* states, const small_of<T>& small, std::size_t systems,
               std::size_t count, partial_sums from, bool again, stream_t stream) {
    constexpr unsigned width = krylov::parts<T>;
    for_each_warp(
        systems * count,
        [=] WATARI_KERNEL(std::size_t w) {
            const std::size_t s = w / count, j = w % count;
            if (!states[s].open) return;
            const group threads = group::active();
            const double* const first = from.values + s * from.count * count * width + j * width;
            const sums<width> total = warp_sum<width>(threads, 0, from.count, [=](std::size_t i) {
                sums<width> one;
                for (unsigned k = 0; k < width; ++k) one.value[k] = first[i * count * width + k];
                return one;
            });
            if (!threads.leads()) return;
            const wide<T> dot = dot_of<wide<T>>(total, 0);
            wide<T>& entry = small.column(s, count - 1)[j];
            small.dot[s * small.restart + j] = dot;
            entry = again ? entry + dot : dot;
        },
        stream);
}

template <class T>
void subtract(const pieces& range, const state_of<T>* states, const small_of<T>& small,
              const basis<T>& v, std::size_t count, T* w, double* partials, stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            if (!states[own.system].open) return;
            const wide<T>* const dot = small.dot + own.system * small.restart;
            own.sum<1>(partials, [=](std::size_t i) {
                T left = w[i];
                for (std::size_t j = 0; j < count; ++j) left -= static_cast<T>(dot[j]) * v[j][i];
                w[i] = left;
                return sums<1>{{squared(left)}};
            });
        },
        stream);
}

/// Rotates rows i and i + 1 of a column.
template <class Wide>
WATARI_KERNEL void turn(Wide& above, Wide& below, double cosine, const Wide& sine) {
    const Wide first = Wide(cosine) * above + sine * below;
    below = Wide(cosine) * below - conjugate(sine) * above;
    above = first;
}

/// The rotation that makes `below`, real and not negative, 0.
template <class Wide>
WATARI_KERNEL void rotation(const Wide& above, double below, double& cosine, Wide& sine) {
    const double size = sqrt(squared_size(above)), both = sqrt(size * size + below * below);
    cosine = both > 0 ? size / both : 1;
    sine = size > 0 ? above / Wide(size) * Wide(below / both) : Wide(below > 0 ? 1 : 0);
}

template <class State>
WATARI_KERNEL void end_cycle(State& state, bool stuck) {
    state.open = false;
    state.stuck = stuck;
}

template <class T>
WATARI_KERNEL void turn_column(state_of<T>& state, const small_of<T>& small, std::size_t s,
                               std::size_t j, double squared_norm, const limits& to) {
    wide<T>*const h = small.column(s, j), *const g = small.g + s * (small.restart + 1);
    wide<T>* const sine = small.sine + s * small.restart;
    double* const cosine = small.cosine + s * small.restart;
    double all = squared_norm;
    for (std::size_t i = 0; i <= j; ++i) all += squared_size(h[i]);
    const double least = least_part<T> * sqrt(all);
    const bool closed_space = !(sqrt(squared_norm) > least);
    h[j + 1] = closed_space ? 0 : sqrt(squared_norm);
    for (std::size_t i = 0; i < j; ++i) turn(h[i], h[i + 1], cosine[i], sine[i]);
    rotation(h[j], real_part(h[j + 1]), cosine[j], sine[j]);
    turn(h[j], h[j + 1], cosine[j], sine[j]);
    g[j + 1] = {};
    turn(g[j], g[j + 1], cosine[j], sine[j]);
    if (!is_finite(all)) {
        state.reason = ending::breakdown;
        return end_cycle(state, true);
    }
    if (!(sqrt(squared_size(h[j])) > least)) return end_cycle(state, true);
    small.columns[s] = static_cast<std::uint32_t>(j + 1);
    small.inverse[s] = 1 / sqrt(squared_norm);
    state.residual = sqrt(squared_size(g[j + 1]));
    watch_progress(state, to, true);
    if (closed_space || state.residual <= state.target || state.reason != ending::running)
        end_cycle(state, false);
}

template <class T>
void column(state_of<T>* states, const small_of<T>& small, std::size_t systems, std::size_t j,
            partial_sums from, const limits& to, stream_t stream) {
    for_each_system<1>(
        states, systems, from,
        [=] WATARI_KERNEL(state_of<T> & state, const sums<1>& total) {
            if (!state.open) return;
            ++state.applications;
            ++state.iterations;
            turn_column<T>(state, small, static_cast<std::size_t>(&state - states), j,
                           total.value[0], to);
        },
        stream);
}

template <class T>
void solve(state_of<T>* states, const small_of<T>& small, std::size_t systems, stream_t stream) {
    for_each(
        systems,
        [=] WATARI_KERNEL(std::size_t s) {
            const wide<T>* const g = small.g + s * (small.restart + 1);
            wide<T>* const y = small.y + s * small.restart;
            const std::size_t columns = small.columns[s];
            for (std::size_t i = columns; i-- > 0;) {
                wide<T> left = g[i];
                for (std::size_t j = i + 1; j < columns; ++j)
                    left = left - small.column(s, j)[i] * y[j];
                y[i] = left / small.column(s, i)[i];
                if (!is_finite(squared_size(y[i])) || !fits<T>(y[i])) {
                    small.columns[s] = 0;  // x stays as it is
                    states[s].stuck = true;
                }
            }
        },
        stream);
}

template <class T>
void combine(const pieces& range, const small_of<T>& small, const basis<T>& v, T* x, bool fresh,
             stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            const std::size_t columns = small.columns[own.system];
            const wide<T>* const y = small.y + own.system * small.restart;
            if (columns == 0) return;
            own.each([=](std::size_t i) {
                T sum = fresh ? T{} : x[i];
                for (std::size_t j = 0; j < columns; ++j) sum += static_cast<T>(y[j]) * v[j][i];
                x[i] = sum;
            });
        },
        stream);
}

template <class T>
void add(const pieces& range, const small_of<T>& small, T* x, const T* z, stream_t stream) {
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            if (small.columns[own.system] > 0) own.each([=](std::size_t i) { x[i] += z[i]; });
        },
        stream);
}

template <class T>
void closed(state_of<T>* states, std::size_t systems, partial_sums from, stream_t stream) {
    for_each_system<1>(
        states, systems, from,
        [=] WATARI_KERNEL(state_of<T> & state, const sums<1>& total) {
            if (state.reason != ending::running) return;
            ++state.applications;
            state.residual = sqrt(total.value[0]);
            if (!is_finite(state.residual))
                state.reason = ending::breakdown;
            else if (state.residual <= state.target)
                state.reason = ending::converged;
            else if (state.stuck)
                state.reason = ending::breakdown;
            else if (state.residual >= no_progress * state.reference)
                state.reason = ending::stagnation;
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::krylov {

template <class T>
const gmres_kernels<T> gmres_kernels<T>::WATARI_BACKEND{.open = WATARI_BACKEND::open<T>,
                                                        .normalise = WATARI_BACKEND::normalise<T>,
                                                        .project = WATARI_BACKEND::project<T>,
                                                        .projected = WATARI_BACKEND::projected<T>,
                                                        .subtract = WATARI_BACKEND::subtract<T>,
                                                        .column = WATARI_BACKEND::column<T>,
                                                        .solve = WATARI_BACKEND::solve<T>,
                                                        .combine = WATARI_BACKEND::combine<T>,
                                                        .add = WATARI_BACKEND::add<T>,
                                                        .closed = WATARI_BACKEND::closed<T>};

#define WATARI_INSTANTIATE(T) template const gmres_kernels<T> gmres_kernels<T>::WATARI_BACKEND;
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
