/// The simulation on one processor: what is done before the first step, and a step.
///
/// Williamson's (1980) third order in two sets of arrays, every stage projected:
///
///     q = a q + dt F(u);  u* = u + b q;  u = u* - tau grad p,  tau = c dt
///     a = 0, -5/9, -153/128;   b = 1/3, 15/16, 8/15;   c = 1/3, 5/12, 1/4
///
/// Bytes in fp32 a cell and step: viscosity 21, tendencies 175, three residuals 63 and corrections
/// 87, and 96 for each iteration of a stage, of which the first needs no direction (12 less) and
/// the last no residual (9 less) and no direction (12 less, unless it is the only one):
/// 283 + 3 x (96 x cycles - 12).
#pragma once

#include "watari/cases/les/city/city.hpp"
#include "watari/cases/les/pressure/pressure.hpp"
#include "watari/core/graph.hpp"

namespace watari::les {

/// Bytes of a step by the table of the kernels, a cell: 283 + 3 x (96 x cycles - 12) in fp32, and
/// without the 12 for one cycle.
constexpr double step_bytes(std::size_t cells, std::size_t real, int cycles) {
    const double reals = 69 + 3 * (22.5 * cycles - (cycles > 1 ? 3 : 0)),
                 flags = 7 + 6 * 3 * cycles;
    return static_cast<double>(cells) * (reals * static_cast<double>(real) + flags);
}

template <class Real>
class simulation {
public:
    /// `f` stays the caller's; its inputs are filled.
    simulation(const fields& f, const parameters& p);

    /// Zeros what the processor writes alone, makes the coarser levels and the first flow free of
    /// divergence.
    void start(stream_t stream);
    void step(stream_t stream);

    const flow_arguments<Real>& flow() const { return flow_; }
    les::pressure<Real>& poisson() { return pressure_; }

private:
    void stages(stream_t stream);
    void fill_inflow(stream_t stream);
    void project(Real tau, int cycles, stream_t stream);
    void heat(stage which, const stage_factors<Real>& by, stream_t stream);

    const flow_kernels<Real>* run_;
    parameters p_;
    fields fields_;
    flow_arguments<Real> flow_;
    les::pressure<Real> pressure_;
    facet_counts facets_;
    /// Steps of a GPU that has all of the city, each one launch: from now to next, and back.
    device::graph recorded_[2];
    flow_arguments<Real> after_{};  ///< `flow_` after the next of them
    unsigned parity_ = 0;
};

/// The first wind: 4 m/s along x with whirls as large as the city, and air that is warmer above.
/// Closed faces are 0.
template <class Real>
void first_flow(const fields& f, const parameters& p);

}  // namespace watari::les
