/// The simulation on one processor: the start before the first step, and a step.
///
/// Williamson's (1980) third order in two sets of arrays, every stage projected:
///
///     q = a q + dt F(u);  u* = u + b q;  u = u* - tau grad p,  tau = c dt
///     a = 0, -5/9, -153/128;   b = 1/3, 15/16, 8/15;   c = 1/3, 5/12, 1/4
///
/// Bytes per cell and step in fp32: viscosity 21, tendencies 175, three residuals 63, corrections
/// 87, and 96 for each iteration of a stage. The first iteration needs no direction (12 less). The
/// last one needs no residual (9 less) and, unless it is the only one, no direction (12 less): 283
/// + 3 x (96 x cycles - 12). Mist adds 131 (moisture.hpp), advection=third 159 (upwind.hpp);
/// trees have a list of their own (leaves.hpp).
#pragma once

#include "../city/nozzles.hpp"
#include "../pressure/pressure.hpp"
#include "leaves.hpp"
#include "upwind.hpp"
#include "watari/core/graph.hpp"
#include "water/moisture.hpp"

namespace watari::les {

template <class Real>
class simulation {
public:
    /// The caller owns the arrays of `f`, and has written the inputs.
    simulation(const fields& f, const parameters& p);

    /// Zeros the arrays that the processor alone writes, builds the coarser levels, and makes the
    /// first flow free of divergence.
    void start(stream_t stream);
    void step(stream_t stream);

    const flow_arguments<Real>& flow() const { return flow_; }
    const leaf_arrays<Real>& leaves() const { return leaves_; }
    les::pressure<Real>& poisson() { return pressure_; }

private:
    void stages(stream_t stream);
    void fill_inflow(stream_t stream);
    void project(Real tau, int cycles, stream_t stream);
    void heat(stage which, const stage_factors<Real>& by, stream_t stream);
    void carry_water(stage which, Real tau, stream_t stream);

    const flow_kernels<Real>* run_;
    const moisture_kernels<Real>* water_;
    const upwind_kernels<Real>* upwind_;
    const leaf_kernels<Real>* trees_;
    parameters p_;
    fields fields_;
    flow_arguments<Real> flow_;
    les::pressure<Real> pressure_;
    facet_counts facets_;
    nozzle_cells<Real> nozzles_{};
    leaf_arrays<Real> leaves_;
    drying<Real> drying_;
    /// Recorded steps of a GPU that has the whole city, one launch each: from now to next, and
    /// back.
    device::graph recorded_[2];
    flow_arguments<Real> after_{};  ///< `flow_` after the next recorded step
    unsigned parity_ = 0;
};

/// Writes the first flow: a mean wind with whirls as large as the city, and warmer air above.
/// Closed faces are 0.
template <class Real>
void first_flow(const fields& f, const parameters& p);

}  // namespace watari::les
