/// BiCGStab, half a step at a time, over vectors that lie in a workspace.
#pragma once

#include "watari/krylov/engine.hpp"
#include "watari/krylov/kernels/bicgstab_kernels.hpp"

#include <algorithm>

namespace watari::krylov {

template <class T>
struct bicgstab_run {
    bicgstab_run(const problem<T>& given, arena& memory)
        : loop(given, memory, std::max(3u, dots_width<T, true>)),
          kernels(&kernels_on<bicgstab_kernels<T>>(given.who)) {
        for (T** vector : {&r, &shadow, &p, &q, &t}) *vector = loop.vector(memory);
        p_made = given.m ? loop.vector(memory) : nullptr;
        r_made = given.m ? loop.vector(memory) : nullptr;
    }

    /// Sets p, and r~ the first time. Called before the first step and after r was renewed.
    void direct() const {
        kernels->direction(loop.range(), loop.states(), p, shadow, r, loop.stream());
    }

    /// Computes alpha, and r of the half step.
    void half_step(const limits& to) {
        p_used = loop.conditioned(p_made, p);
        kernels->alpha(loop.states(), loop.systems(), loop.multiply(q, p_used, shadow),
                       loop.stream());
        kernels->half(loop.range(), loop.states(), r, q, loop.partials(), loop.stream());
        kernels->halved(loop.states(), loop.systems(), loop.summed(1), to, loop.stream());
    }

    /// Computes omega, rho and beta.
    void minimise() {
        r_used = loop.conditioned(r_made, r);
        kernels->omega(loop.states(), loop.systems(), loop.multiply(t, r_used, r, shadow),
                       loop.stream());
    }

    /// Updates x, r and p.
    void update(T* x, const limits& to) const {
        kernels->full(loop.range(), loop.states(), x, r, p, p_used, r_used, t, q, loop.partials(),
                      loop.stream());
        kernels->updated(loop.states(), loop.systems(), loop.summed(1), to, loop.stream());
    }

    engine<T> loop;
    const bicgstab_kernels<T>* kernels;
    T *r, *shadow, *p, *q, *t, *p_made, *r_made;
    const T *p_used = nullptr, *r_used = nullptr;
};

}  // namespace watari::krylov
