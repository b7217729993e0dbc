/// A V-cycle, z = V r. The smoother is two Jacobi sweeps with the Chebyshev weights of [0.5, 2], in
/// opposite order before and after the correction, so that V is symmetric.
///
/// Bytes per cell in fp32 on the finest level: two sweeps 9, restriction 9.5, prolongation and
/// sweep 13.5, sweep with product 13; all coarser levels 13. In one pass, two sweeps and
/// restriction take 9.5, unless ranks divide x; on a CPU the last two steps take 13.5.
#pragma once

#include "level.hpp"
#include "watari/core/device.hpp"

#include <span>

namespace watari::les {

/// The most levels that are computed together, whatever the grid.
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
    /// Does two_sweeps() and restrict_residual() in one pass; returns false if both must run
    /// separately.
    bool (*sweep_first)(const level<Real>& l, const level<Real>& coarse, stream_t stream);
    /// Does correct_sweep() and sweep_product() in one pass, with the result in scratch; returns
    /// false if both must run separately.
    bool (*sweep_last)(const level<Real>& l, const level<Real>& coarse, double* partials,
                       stream_t stream);
    /// to = weight r / diagonal: a sweep from zero.
    void (*scale)(const level<Real>& l, Real weight, Real* to, stream_t stream);
    /// Returns the first of the coarsest levels that are computed together: a loop or a launch for
    /// each step would take longer than its work. Returns levels.size() if the coarsest level is
    /// larger or divided.
    std::size_t (*first_small)(std::span<const level<Real>> levels);
    /// e = V r on the first of the coarsest levels, all computed together.
    void (*small_levels)(std::span<const level<Real>> levels, stream_t stream);
    /// Writes the halo of an array over a periodic grid.
    void (*go_around)(const les::grid& g, Real* array, stream_t stream);
    static const vcycle_kernels cpu, gpu;
};

}  // namespace watari::les
