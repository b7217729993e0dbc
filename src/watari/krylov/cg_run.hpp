/// CG, one step at a time, over vectors that lie in a workspace.
#pragma once

#include "watari/krylov/engine.hpp"
#include "watari/krylov/kernels/cg_kernels.hpp"

namespace watari::krylov {

template <class T>
struct cg_run {
    cg_run(const problem<T>& given, arena& memory)
        : loop(given, memory, 3), kernels(&kernels_on<cg_kernels<T>>(given.who)) {
        for (T** vector : {&r, &p, &q}) *vector = loop.vector(memory);
        z = given.m ? loop.vector(memory) : nullptr;
    }

    /// Computes p and rho from r.
    void direct() const {
        const T* const next = loop.conditioned(z, r);
        if (next != r)
            kernels->conditioned(loop.states(), loop.systems(), loop.dots(r, next), loop.stream());
        kernels->direction(loop.range(), loop.states(), p, next, loop.stream());
    }

    /// Updates x and r; without a preconditioner also rho.
    void update(T* x, const limits& to) const {
        kernels->curvature(loop.states(), loop.systems(), loop.multiply(q, p, p), loop.stream());
        kernels->update(loop.range(), loop.states(), x, r, p, q, loop.partials(), loop.stream());
        kernels->updated(loop.states(), loop.systems(), loop.summed(1), to, z != nullptr,
                         loop.stream());
    }

    engine<T> loop;
    const cg_kernels<T>* kernels;
    T *r, *p, *q, *z;
};

}  // namespace watari::krylov
