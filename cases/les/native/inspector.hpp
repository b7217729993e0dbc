/// Checks of the flow during a trial, outside the timed part: Courant number, divergence, with
/// trees their drag, with mist or transpiration the budgets of water and heat. A flow that the
/// scheme cannot follow ends the trial.
#pragma once

#include "flow/bounds.hpp"
#include "flow/budget.hpp"
#include "flow/simulation.hpp"
#include "flow/survey.hpp"
#include "kernels.hpp"
#include "ranks/neighbours.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

namespace watari::les {

inline std::string text_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// Checks whether the flow is sound, and records its Courant number, divergence and budgets.
template <class Real>
class inspector {
public:
    inspector(measure::trial& into, const parameters& p) : trial_(&into), p_(&p), budget_(p) {}

    /// Returns the condition of all ranks.
    condition measure(const flow_arguments<Real>& flow) const {
        const auto& d = p_->spacing;
        const double fast[3] = {p_->dt / d[0], p_->dt / d[1], p_->dt / d[2]};
        const double per_d[3] = {1 / d[0], 1 / d[1], 1 / d[2]};
        condition now = kernels_for<survey_kernels<Real>>(*p_).look(flow.grid, flow.now, flow.flags,
                                                                    fast, per_d, nullptr);
        if (p_->others == nullptr) return now;
        const auto& ranks = p_->others->ranks();
        double courant = now.courant;
        ranks.maximum(std::span(&courant, 1));
        now.courant = static_cast<float>(courant);
        for (double* sum : {&now.energy, &now.theta, &now.divergence2, &now.cells})
            *sum = ranks.sum(*sum);
        return now;
    }

    /// Throws usage_error if the time step is too long for the first flow or for diffusion.
    void start(const flow_arguments<Real>& flow, const leaf_arrays<Real>& leaves) {
        leaves_ = leaves;
        const parameters& p = *p_;
        const condition first = measure(flow);
        if (!(first.courant <= first_courant))
            throw usage_error("dt=" + text_of(p.dt) + ": the first flow has a Courant number of " +
                              text_of(first.courant) + "; dt may be " +
                              text_of(p.dt * first_courant / first.courant) + " s at most");
        double per_d2 = 0;
        for (const double d : p.spacing) per_d2 += 1 / (d * d);
        const double slow = std::max(p.air.nu, p.air.kappa);
        if (4 * slow * p.dt * per_d2 > first_diffusion)
            throw usage_error("dt=" + text_of(p.dt) + ": diffusion allows " +
                              text_of(first_diffusion / (4 * slow * per_d2)) + " s at most");
        const double slowed = 2 * work_of_leaves(flow).fastest * p.dt;
        if (!(slowed <= first_leaf_drag))
            throw usage_error("dt=" + text_of(p.dt) + ": leaves slow the first flow by " +
                              text_of(slowed) + " in a step; dt may be " +
                              text_of(p.dt * first_leaf_drag / slowed) + " s at most");
        budget_.start(first.theta);
    }

    /// Returns what the leaves of all ranks do; nothing without trees.
    leaf_work work_of_leaves(const flow_arguments<Real>& flow) const {
        if (!p_->has_trees()) return {};
        leaf_work now = kernels_on<leaf_kernels<Real>>(p_->processor)
                            .look(flow, leaves_, air_of_cell(*p_), nullptr);
        if (p_->others == nullptr) return now;
        const auto& ranks = p_->others->ranks();
        now.power = ranks.sum(now.power);
        ranks.maximum(std::span(&now.fastest, 1));
        return now;
    }

    /// Adds a step in which facets and leaves warm the air by `warming`, K/s times cells of this
    /// rank, and leaves give `vapour`, kg/kg times cells.
    void step(double warming, double vapour) {
        if (p_->is_moist()) budget_.step(warming, vapour);
    }

    /// Whether the flow is sound after `steps` steps; if not, the trial gets a note with the
    /// reason.
    bool sound(const flow_arguments<Real>& flow, int steps) {
        const condition now = measure(flow);
        const std::string reason = reason_against(now, steps);
        const std::string leak = p_->is_moist() ? leak_of_budgets(flow, now, steps) : "";
        const double slowed = 2 * work_of_leaves(flow).fastest * p_->dt;
        const std::string stopped = slowed <= most_leaf_drag
                                        ? ""
                                        : "leaves slow the air by " + text_of(slowed) +
                                              " in a step; the scheme follows " +
                                              text_of(most_leaf_drag) + "; a shorter dt reduces it";
        for (const std::string& each : {reason, leak, stopped})
            if (!each.empty()) {
                trial_->wrong_elements = 1;
                trial_->notes.push_back("after step " + std::to_string(steps) + ": " + each);
                return false;
            }
        return true;
    }

    /// Records the budgets as the last call of `sound` has compared them.
    void record_budgets() const {
        if (p_->is_moist()) budget_.record(*trial_);
    }

private:
    /// Each sample of a period has the value at its end.
    void note(const char* series, int steps, double value) {
        trial_->series[series].resize(static_cast<std::size_t>(steps), value);
    }

    std::string reason_against(const condition& now, int steps) {
        using std::to_string;
        const double dx = p_->spacing[0], speed = std::sqrt(2 * now.energy / now.cells);
        const double rms = std::sqrt(now.divergence2 / now.cells) * dx / (speed > 0 ? speed : 1);
        note("courant", steps, now.courant);
        note("divergence", steps, rms);
        const double most = most_divergence(p_->whole, p_->cycles);
        const double fastest = most_courant(p_->advection);
        const extents& size = p_->grid.size;
        const std::size_t row = now.place / size.x;
        if (!(now.courant <= fastest))
            return "Courant number " + text_of(now.courant) + " at x " +
                   to_string(now.place % size.x + p_->grid.origin.x) + ", y " +
                   to_string(row % size.y + p_->grid.origin.y) + ", z " + to_string(row / size.y) +
                   "; the scheme follows " + text_of(fastest);
        if (!(rms <= most))
            return "rms divergence " + text_of(rms) + " U/dx, above " + text_of(most) +
                   "; more cycles or a shorter dt reduce it";
        return "";
    }

    std::string leak_of_budgets(const flow_arguments<Real>& flow, const condition& now, int steps) {
        moisture water = kernels_on<moisture_kernels<Real>>(p_->processor).look(flow, nullptr);
        double least = -water.least_l, warmed = budget_.warmed();
        if (p_->others != nullptr) {
            const auto& ranks = p_->others->ranks();
            water.vapour = ranks.sum(water.vapour);
            water.droplets = ranks.sum(water.droplets);
            warmed = ranks.sum(warmed);
            ranks.maximum(std::span(&least, 1));
        }
        water.least_l = -least;
        budget_.compare(water, now.theta, warmed, now.cells);
        note("water_residual", steps, budget_.water());
        note("heat_residual", steps, budget_.heat());
        if (budget_.closed()) return "";
        return "water: of what was released and transpired the budget of water misses " +
               text_of(budget_.water()) + ", that of heat " + text_of(budget_.heat()) +
               ", the least l is " + text_of(water.least_l) + " kg/kg; the shares may be " +
               text_of(bounds_of(p_->precision).share);
    }

    measure::trial* trial_;
    const parameters* p_;
    water_budget budget_;
    leaf_arrays<Real> leaves_;
};

}  // namespace watari::les
