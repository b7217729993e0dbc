/// The budgets of water and heat in a city with mist, or with trees that transpire.
///
///     water:  sum of (q - q0) + l  =  released + transpired
///     heat:   change of the sum of theta  =  warmth of facets and leaves
///                                            - Lv/cp (released - sum of l)
///
/// What leaves transpire takes its heat from light, not from the air.
///
/// Sums are in double over the cells of all ranks. What is missing is a share of the water of both,
/// or of the cold of all of it. Besides its share the heat may miss what rounding in theta adds up
/// to: `drift` a cell and step, since a small release would drown in a large city.
/// In double the sum of theta itself is no better.
#pragma once

#include "../city/nozzles.hpp"
#include "watari/measure/trial.hpp"
#include "water/moisture.hpp"

#include <cmath>

namespace watari::les {

/// The largest residuals of a right flow; README.md has the measured ones.
struct budget_bounds {
    double share, drift;  ///< drift in K
};
constexpr budget_bounds bounds_of(precision of) {
    return of == precision::single_precision ? budget_bounds{1e-4, 1e-9}
                                             : budget_bounds{1e-10, 1e-15};
}

class water_budget {
public:
    explicit water_budget(const parameters& p)
        : dt_(p.dt), kg_(air_of_cell(p)), bounds_(bounds_of(p.precision)) {
        for (std::size_t n = 3; n < p.mist.size(); n += 4) per_step_ += p.mist[n];
        per_step_ *= dt_ / kg_;
    }
    void start(double theta) { first_theta_ = theta; }
    /// Adds a step in which facets and leaves warm the air by `warming`, K/s times cells, and
    /// leaves add `vapour`, kg/kg times cells.
    void step(double warming, double vapour = 0) {
        released_ += per_step_;
        transpired_ += vapour;
        warmed_ += dt_ * warming;
        ++steps_;
    }
    /// Returns the warmth that this rank's facets gave, K times cells.
    double warmed() const { return warmed_; }
    /// Compares with sums over all cells of all ranks.
    void compare(const moisture& now, double theta, double warmed, double cells) {
        now_ = now;
        const double cooling = latent_heat / heat_capacity;
        const double all = released_ + transpired_;
        const double missing_water = std::abs(now.vapour + now.droplets - all);
        water_ = missing_water > 0 ? missing_water / all : 0;
        const double missing =
            (theta - first_theta_) - warmed + cooling * (released_ - now.droplets);
        heat_ = missing != 0 && all > 0 ? std::abs(missing) / (cooling * all) : 0;
        const budget_bounds& most = bounds_;
        closed_ =
            now.least_l >= 0 && water_ <= most.share &&
            std::abs(missing) <= most.share * cooling * all + most.drift * cells * double(steps_);
    }
    double released() const { return released_; }  ///< kg/kg, over cells
    double transpired() const { return transpired_; }
    bool closed() const { return closed_; }
    double water() const { return water_; }
    double heat() const { return heat_; }
    const moisture& now() const { return now_; }

    void record(measure::trial& into) const {
        into.quantities["mist_released"] = {released_ * kg_, "kg"};
        into.quantities["mist_droplets"] = {now_.droplets * kg_, "kg"};
        into.quantities["mist_evaporated"] = {(now_.vapour - transpired_) * kg_, "kg"};
        if (transpired_ > 0) into.quantities["tree_vapour"] = {transpired_ * kg_, "kg"};
        into.quantities["water_residual"] = {water_, "1"};
        into.quantities["heat_residual"] = {heat_, "1"};
    }

private:
    double dt_, kg_;  ///< s; kg of air in a cell
    budget_bounds bounds_;
    double per_step_ = 0, released_ = 0, transpired_ = 0, warmed_ = 0,
           first_theta_ = 0;  ///< kg/kg, K; over cells
    double water_ = 0, heat_ = 0;
    moisture now_{};
    bool closed_ = true;
    int steps_ = 0;
};

}  // namespace watari::les
