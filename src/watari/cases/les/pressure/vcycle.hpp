/// A V-cycle, z = V r. The smoother is two Jacobi sweeps with the Chebyshev weights of [0.5, 2], in
/// opposite order before and after: symmetric.
///
/// Bytes in fp32 on the finest level: two sweeps 9, restriction 9.5, prolongation and sweep 13.5,
/// sweep with product 13; all coarser levels 13. The first two at once are 9.5, unless ranks divide
/// x, and the last two 13.5, on a CPU.
#pragma once

#include "watari/cases/les/pressure/level.hpp"
#include "watari/core/device.hpp"

#include <span>

namespace watari::les {

/// At most so many levels are computed together, whatever the grid.
inline constexpr std::size_t most_small = 12;

inline constexpr double first_weight = 0.5617, second_weight = 1.3895, bottom_weight = 0.85;
inline constexpr unsigned bottom_sweeps = 8;  ///< even: the last one writes e

template <class Real>
struct vcycle_kernels {
    /// e = two sweeps from zero for r.
    void (*two_sweeps)(const level<Real>& l, stream_t stream);
    /// coarse.r = restriction of r - A e.
    void (*restrict_residual)(const level<Real>& l, const level<Real>& coarse, stream_t stream);
    /// scratch = a sweep from e + prolongation of coarse.e.
    void (*correct_sweep)(const level<Real>& l, const level<Real>& coarse, stream_t stream);
    /// to = a sweep from `from`.
    void (*sweep)(const level<Real>& l, Real weight, const Real* from, Real* to, stream_t stream);
    /// e = a sweep from scratch, with partial sums of r e.
    void (*sweep_product)(const level<Real>& l, double* partials, stream_t stream);
    /// What two_sweeps() and restrict_residual() do, in one pass; false where they have to do it.
    bool (*sweep_first)(const level<Real>& l, const level<Real>& coarse, stream_t stream);
    /// scratch = what correct_sweep() and sweep_product() make of e, in one pass; false where these
    /// two have to do it.
    bool (*sweep_last)(const level<Real>& l, const level<Real>& coarse, double* partials,
                       stream_t stream);
    /// to = weight r / diagonal: a sweep from zero.
    void (*scale)(const level<Real>& l, Real weight, Real* to, stream_t stream);
    /// The first of the coarsest levels that are computed together, since a loop or a launch for
    /// each step would take longer than its work; none where the coarsest is larger, or divided.
    std::size_t (*first_small)(std::span<const level<Real>> levels);
    /// e = V r on the first of these.
    void (*small_levels)(std::span<const level<Real>> levels, stream_t stream);
    /// The halo of an array over a grid that goes around.
    void (*go_around)(const les::grid& g, Real* array, stream_t stream);
    static const vcycle_kernels cpu, gpu;
};

}  // namespace watari::les
