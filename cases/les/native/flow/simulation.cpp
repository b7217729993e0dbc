#include "simulation.hpp"

#include "../kernels.hpp"
#include "../ranks/neighbours.hpp"
#include "watari/core/loops.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace watari::les {

namespace {

struct factors {
    double a, b, c;
};
constexpr factors williamson[] = {
    {0, 1. / 3, 1. / 3}, {-5. / 9, 15. / 16, 5. / 12}, {-153. / 128, 8. / 15, 1. / 4}};

}  // namespace

template <class Real>
simulation<Real>::simulation(const fields& f, const parameters& p)
    : run_(&kernels_for<flow_kernels<Real>>(p)),
      water_(&kernels_on<moisture_kernels<Real>>(p.processor)),
      upwind_(&kernels_on<upwind_kernels<Real>>(p.processor)),
      trees_(&kernels_on<leaf_kernels<Real>>(p.processor)),
      p_(p),
      fields_(f),
      flow_(flow_of<Real>(f, p)),
      pressure_(f, p),
      facets_(count_facets(p)),
      leaves_(leaves_in<Real>(f.facets, p)),
      drying_(drying_of<Real>(p.air, p.dt)) {
    if (p.is_moist()) nozzles_ = nozzles_in<Real>(f.facets, p);
}

template <class Real>
void simulation<Real>::start(stream_t stream) {
    const std::vector<array> all = arrays(fields_, p_);
    for (std::size_t n = input_count; n < all.size(); ++n)
        run_->clear(*all[n].first, all[n].second, stream);
    if (p_.reads_far()) water_->mark(flow_, reinterpret_cast<std::uint8_t*>(fields_.far), stream);
    pressure_.build(stream);
    std::swap(flow_.now, flow_.next);  // project() corrects `next`
    project(1, p_.first_cycles, stream);
    run_->clear(flow_.p, p_.grid.points() * sizeof(Real), stream);
    if (!p_.processor.is_gpu() || p_.others != nullptr) return;  // halos may need the host
    if (p_.directives != nullptr) return;  // their launches are not in a stream of ours
    for (device::graph& each : recorded_) {
        after_ = flow_;
        each = device::graph([&](stream_t own) { stages(own); });
    }
}

/// Makes next -= tau grad p, and swaps now and next.
template <class Real>
void simulation<Real>::project(Real tau, int cycles, stream_t stream) {
    pressure_.project(flow_, tau, cycles, stream);
    const auto& u = flow_.next.velocity;
    const bool far = p_.advection == advection::third;
    for (unsigned a = 0; far && a < 3; ++a) water_->go_around(p_.grid, u[a], stream);
    const std::size_t depth = far ? wide_halo : 1;
    if (p_.others != nullptr)
        p_.others->exchange(0, {u[0], u[1], u[2], flow_.next.theta}, sizeof(Real), stream, depth,
                            depth);
    std::swap(flow_.now, flow_.next);
}

/// Exchanges the velocities at the first faces of the next parts, through which the last cells of
/// this part have outflow: the residual reads no others.
template <class Real>
void simulation<Real>::fill_inflow(stream_t stream) {
    if (p_.others == nullptr) return;
    const auto& u = flow_.next.velocity;
    if (p_.grid.around_x)
        p_.others->exchange(0, {u[1]}, sizeof(Real), stream);
    else if (p_.grid.around_y)
        p_.others->exchange(0, {u[0]}, sizeof(Real), stream);
    else
        p_.others->exchange(0, {u[0], u[1]}, sizeof(Real), stream);
}

template <class Real>
void simulation<Real>::heat(stage which, const stage_factors<Real>& by, stream_t stream) {
    const auto all = facets_in<Real>(fields_.facets, facets_.all());
    std::size_t first = 0;
    for (unsigned d = 0; d < directions; first += facets_.of[d++])
        run_->heat(
            flow_,
            {all.cell + first, all.flux + first, facets_.of[d], flow_.air.per_d[normal_axis[d]]},
            which, by, stream);
    if (p_.transpires()) trees_->warm(flow_, leaves_, which, by, stream);
}

/// Makes wet_next of wet, and swaps both. The last stage also evaporates and releases droplets.
template <class Real>
void simulation<Real>::carry_water(stage which, Real tau, stream_t stream) {
    if (!p_.is_moist()) return;
    if (which == stage::last) {
        water_->carry_and_dry(flow_, tau, drying_, stream);
        water_->spray(flow_, nozzles_.cell, nozzles_.amount, nozzles_.count, stream);
        if (p_.transpires()) trees_->transpire(flow_, leaves_, stream);
    } else {
        water_->carry(flow_, tau, stream);
    }
    const auto& wet = flow_.wet_next;
    for (Real* array : wet) water_->go_around(p_.grid, array, stream);
    if (p_.others != nullptr)
        p_.others->exchange(0, {wet[0], wet[1]}, sizeof(Real), stream, wide_halo, wide_halo);
    std::swap(flow_.wet, flow_.wet_next);
}

template <class Real>
void simulation<Real>::step(stream_t stream) {
    const device::graph& whole = recorded_[parity_];
    if (!whole) return stages(stream);
    parity_ ^= 1;
    std::swap(flow_, after_);  // as three stages do
    whole.launch(stream);
}

template <class Real>
void simulation<Real>::stages(stream_t stream) {
    constexpr stage order[] = {stage::first, stage::middle, stage::last};
    run_->viscosity(flow_, stream);
    if (p_.others != nullptr) p_.others->exchange(0, {flow_.nu}, sizeof(Real), stream);
    for (unsigned n = 0; n < 3; ++n) {
        const factors& by = williamson[n];
        const stage_factors<Real> rounded{Real(by.a), Real(by.b), Real(p_.dt)};
        run_->advance(flow_, order[n], rounded, stream);
        if (p_.advection == advection::third) upwind_->bias(flow_, order[n], rounded, stream);
        if (p_.has_trees()) trees_->slow(flow_, leaves_, order[n], rounded, stream);
        heat(order[n], rounded, stream);
        carry_water(order[n], Real(by.c * p_.dt), stream);
        fill_inflow(stream);
        project(Real(by.c * p_.dt), p_.cycles, stream);
    }
}

/// Sine and cosine of an angle that grows with the cells of an axis, at low faces or in centres.
struct wave {
    std::vector<double> sin, cos;

    wave(const parameters& p, unsigned axis, double times, bool centres)
        : sin(along(p.grid.size, axis) + 2), cos(sin.size()) {
        const double d = p.spacing[axis],
                     t = 2 * std::numbers::pi / (static_cast<double>(along(p.whole, axis)) * d);
        for (std::size_t n = 0; n < sin.size(); ++n) {
            const double face = t * d * (double(along(p.grid.origin, axis) + n) - 1);
            const double angle = times * (centres ? face + t * d / 2 : face);
            sin[n] = std::sin(angle);
            cos[n] = std::cos(angle);
        }
    }
};

template <class Real>
void first_flow(const fields& f, const parameters& p) {
    const grid& g = p.grid;
    const wave x(p, 0, 1, true), x2(p, 0, 2, false), y(p, 1, 1, true), y2(p, 1, 2, true),
        y3(p, 1, 3, false), z(p, 2, 1, true), half_z(p, 2, 0.5, false), half_up(p, 2, 0.5, true);
    const auto* const flags = reinterpret_cast<const std::uint8_t*>(f.flags);
    Real *u = numbers<Real>(f.flow[0]), *v = numbers<Real>(f.flow[1]),
         *w = numbers<Real>(f.flow[2]), *theta = numbers<Real>(f.flow[3]);
    const double t =
        2 * std::numbers::pi / (static_cast<double>(p.whole.z) * p.spacing[2]);  // of z
    cpu::for_each(
        g.size.z + 2,
        [&](std::size_t k) {
            const double height = (t * p.spacing[2] * (double(k) - 1) + t * p.spacing[2] / 2) / t;
            for (std::size_t j = 0; j < g.size.y + 2; ++j)
                for (std::size_t i = 0; i < g.size.x + 2; ++i) {
                    const std::size_t at = g.at(k - 1, j - 1, i - 1);
                    const auto open = [&](unsigned a) { return flags[at] & flag::low(a); };
                    u[at] =
                        open(0) ? Real(p.wind[0] + y.sin[j] * z.cos[k] + 0.5 * x2.cos[i]) : Real(0);
                    v[at] = open(1) ? Real(p.wind[1] + x.sin[i] * half_up.cos[k] + 0.3 * y3.cos[j])
                                    : Real(0);
                    w[at] = open(2) ? Real(half_z.sin[k] * (x.cos[i] + 0.5 * y2.sin[j])) : Real(0);
                    theta[at] = flags[at] & flag::fluid
                                    ? Real(0.01 * height + 0.2 * x.sin[i] * y.sin[j])
                                    : Real(0);
                }
        },
        nullptr);
}

template class simulation<float>;
template class simulation<double>;
template void first_flow<float>(const fields&, const parameters&);
template void first_flow<double>(const fields&, const parameters&);

}  // namespace watari::les
