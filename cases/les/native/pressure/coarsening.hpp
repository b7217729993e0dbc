/// The coarser levels' coefficients, once: faces from those of the finer level, then diagonals.
#pragma once

#include "level.hpp"
#include "watari/core/device.hpp"

namespace watari::les {

template <class Real>
struct coarsening_kernels {
    /// coarsen: faces of a coarser level; invert: diagonals of a level.
    void (*coarsen)(const level<Real>& l, const level<Real>& coarse, stream_t stream);
    void (*invert)(const level<Real>& l, stream_t stream);
    static const coarsening_kernels cpu, gpu;
};

}  // namespace watari::les
