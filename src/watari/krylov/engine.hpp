/// Operations that all solvers share: products, sums, reading of the states, the report.
#pragma once

#include "watari/krylov/kernels/vectors.hpp"
#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace watari::krylov {

/// A problem, and its states and sums in a workspace.
template <class T>
class engine {
public:
    using state = system_state<wide<T>>;

    /// `widest`: values of the widest sum; `shared`: the states of another engine for the same
    /// systems, or null. Throws usage_error.
    engine(const problem<T>& given, arena& memory, std::size_t widest, state* shared = nullptr);

    const problem<T>& given() const { return given_; }
    const pieces& range() const { return range_; }
    std::size_t systems() const { return range_.systems; }
    std::size_t elements() const { return range_.length * range_.systems; }
    stream_t stream() const { return given_.stream; }
    state* states() const { return states_; }
    double* partials() const { return partials_; }

    /// A vector of all systems.
    T* vector(arena& memory) const { return memory.take<T>(elements()); }
    /// The sums of the last kernel, `width` values each: totals over all ranks, or partial sums to
    /// add.
    partial_sums summed(std::size_t width) const;
    /// <left,y> and |y|^2; if `other` is not null, also <other,y> and <other,left>.
    partial_sums dots(const T* left, const T* y, const T* other = nullptr) const;
    /// y = A x.
    void multiply(T* y, const T* x) const;
    /// y = A x, and its dots.
    partial_sums multiply(T* y, const T* x, const T* left, const T* other = nullptr) const;
    /// z = M^-1 r and z, or r where there is no preconditioner.
    const T* conditioned(T* z, const T* r) const;
    /// r = b - A x, with A x in q, and the states of the first iteration.
    void start(T* r, T* q, const limits& to) const;

    /// A copy of the current states, valid until the next one. Waits.
    const std::vector<state>& read_states() const;
    /// Whether no system runs. Waits.
    bool all_ended() const;
    /// Whether the solve ends at `iteration`. The host looks every `look_every` iterations: the
    /// solve ends if all systems have ended (or have `going` false), or by the caller's rule, which
    /// sets `ruled`. Waits if the host looks.
    bool ended(std::size_t iteration, const stopping& when, bool& ruled,
               bool state::*going = nullptr) const;
    /// r = b - A x, with A x in q, and the partial sums of |r|^2. r may be null.
    void residual(T* r, T* q) const;
    /// Sets x = 0 where b = 0, computes the true residual with A x in q, and reports. Waits.
    reports finish(T* q, const stopping& when, bool ruled) const;
    /// The same if the last kernel has already summed |b - A x|^2, in `square`.
    reports finish(const partial_sums& square, const stopping& when, bool ruled) const;

private:
    problem<T> given_;
    pieces range_;
    const vector_kernels<T>* kernels_;
    state* states_;
    double *partials_, *totals_;
    // copies on the host, allocated once: loops look at the states
    mutable std::vector<state> host_states_;
    mutable reports reports_;
};

/// The limits that the steps of a solve test.
inline limits limits_of(const stopping& when, double delta = 0) {
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    return {when.relative, when.absolute,
            static_cast<std::uint32_t>(std::min(when.stagnation, most)), delta};
}

}  // namespace watari::krylov
