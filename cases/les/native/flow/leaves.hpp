/// What leaves do to the air: they slow it, and give it heat and vapour.
///
///     du/dt = ... - Cd a |u| u at faces;   dtheta/dt = ... + heat;   q += vapour once a step
///
/// |u| at a face of one component has the means of the four nearest faces of the others. A kernel
/// of its own over the faces beside leaves, after the tendencies of a stage: a dry city without
/// trees stays as it is, and one with trees pays for its leaves alone.
///
/// Bytes of a face and stage in fp32: its list 12, nine velocities, q and u* read and written: 52
/// if no cache helps, 16 less in the last stage's q and velocities that neighbours share. Of a cell
/// that gives: 20 a stage, 12 more in the last.
#pragma once

#include "../city/leaves.hpp"

namespace watari::les {

/// Sums over the faces of a part.
struct leaf_work {
    double power;    ///< kinetic energy that leaves take from the air, W
    double fastest;  ///< the largest Cd a |u|, 1/s
};

/// The largest 2 Cd a |u| dt: three stages are stable up to 2.51 on the real axis. At first it may
/// be first_leaf_drag, since a flow becomes faster.
inline constexpr double most_leaf_drag = 2.51, first_leaf_drag = 2.0;

template <class Real>
struct leaf_kernels {
    /// Slows next, and q's velocities but in the last stage.
    void (*slow)(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, stage which,
                 const stage_factors<Real>& by, stream_t stream);
    /// Adds heat to next.theta, and to q's but in the last stage.
    void (*warm)(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, stage which,
                 const stage_factors<Real>& by, stream_t stream);
    /// Adds the vapour of a step to the q of wet_next.
    void (*transpire)(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves,
                      stream_t stream);
    /// Surveys the faces; waits. `air`: kg of air in a cell.
    leaf_work (*look)(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, double air,
                      stream_t stream);
    static const leaf_kernels cpu, gpu;
};

}  // namespace watari::les
