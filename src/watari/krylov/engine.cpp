#include "watari/krylov/engine.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <string>

namespace watari::krylov {

template <class T>
engine<T>::engine(const problem<T>& given, arena& memory, std::size_t widest, state* shared)
    : given_(given),
      range_{given.length, given.systems, given.sums.piece},
      kernels_(&kernels_on<vector_kernels<T>>(given.who)),
      host_states_(given.systems),
      reports_(given.systems) {
    if (given.systems == 0 || given.sums.piece == 0)
        throw usage_error("a problem of " + std::to_string(given.systems) +
                          " systems, summed in pieces of " + std::to_string(given.sums.piece) +
                          ": both must be at least 1");
    states_ = shared ? shared : memory.take<state>(range_.systems);
    partials_ = memory.take<double>(partial_doubles(range_.each(), range_.systems, widest));
    totals_ = memory.take<double>(range_.systems * widest);
}

template <class T>
partial_sums engine<T>::summed(std::size_t width) const {
    if (given_.sums.total) {
        given_.sums.total(totals_, partials_, range_.each(), range_.systems, width, given_.stream);
        return {totals_, 1};
    }
    return kernels_->fold(partials_, range_.each(), range_.systems, width, given_.stream);
}

template <class T>
partial_sums engine<T>::dots(const T* left, const T* y, const T* other) const {
    kernels_->dots(range_, states_, left, y, other, partials_, given_.stream);
    return summed(other ? dots_width<T, true> : dots_width<T>);
}

template <class T>
void engine<T>::multiply(T* y, const T* x) const {
    given_.a.apply(y, x, range_.systems, given_.stream);
}

template <class T>
partial_sums engine<T>::multiply(T* y, const T* x, const T* left, const T* other) const {
    if (given_.a.apply_and_sum) {
        given_.a.apply_and_sum(y, x, left, other, partials_, range_.systems, given_.stream);
        return summed(other ? dots_width<T, true> : dots_width<T>);
    }
    multiply(y, x);
    return dots(left, y, other);
}

template <class T>
const T* engine<T>::conditioned(T* z, const T* r) const {
    if (!given_.m) return r;
    given_.m(z, r, range_.systems, given_.stream);
    return z;
}

template <class T>
void engine<T>::start(T* r, T* q, const limits& to) const {
    if (!given_.from_zero) multiply(q, given_.x);
    kernels_->start(range_, given_.b, given_.from_zero ? nullptr : q, r, given_.x, partials_,
                    given_.stream);
    kernels_->begin(states_, range_.systems, summed(3), to, given_.stream);
}

template <class T>
const std::vector<typename engine<T>::state>& engine<T>::read_states() const {
    memory::copy_now(given_.who, host_states_.data(), states_, host_states_.size() * sizeof(state),
                     given_.stream);
    return host_states_;
}

namespace {

template <class State>
void report_on(const std::vector<State>& states, reports& all) {
    std::transform(states.begin(), states.end(), all.begin(), [](const State& s) -> report {
        return {s.reason, s.iterations, s.applications, s.residual, s.true_residual, s.norm_b};
    });
}

template <class State>
bool none_runs(const std::vector<State>& states, bool State::*going) {
    return std::none_of(states.begin(), states.end(), [=](const State& s) {
        return s.reason == ending::running && (!going || s.*going);
    });
}

}  // namespace

template <class T>
bool engine<T>::ended(std::size_t iteration, const stopping& when, bool& ruled,
                      bool state::*going) const {
    if (when.look_every == 0 || iteration % when.look_every) return false;
    const std::vector<state>& now = read_states();
    if (when.stop) report_on(now, reports_);
    ruled = when.stop && when.stop(reports_);
    return ruled || none_runs(now, going);
}

template <class T>
bool engine<T>::all_ended() const {
    return none_runs<state>(read_states(), nullptr);
}

template <class T>
void engine<T>::residual(T* r, T* q) const {
    multiply(q, given_.x);
    kernels_->residual(range_, given_.b, q, r, partials_, given_.stream);
}

template <class T>
reports engine<T>::finish(T* q, const stopping& when, bool ruled) const {
    residual(nullptr, q);
    return finish(summed(1), when, ruled);
}

template <class T>
reports engine<T>::finish(const partial_sums& square, const stopping& when, bool ruled) const {
    kernels_->finish(range_, states_, square, given_.x, given_.stream);
    report_on(read_states(), reports_);
    for (report& one : reports_) {
        const double target = std::max(when.relative * one.norm_b, when.absolute);
        if (one.reason == ending::running) one.reason = ruled ? ending::stopped : ending::limit;
        if (one.reason == ending::converged && !(one.true_residual <= when.drift * target))
            one.reason = ending::inaccurate;
        // the last iteration has reached the target, or no loop tested it
        if (one.true_residual <= target && one.iterations > 0) one.reason = ending::converged;
    }
    return reports_;
}

#define WATARI_INSTANTIATE(T) template class engine<T>;
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
