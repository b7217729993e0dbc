/// The iterations of a solve: their seconds, the seconds of them without data, and the residual.
///
/// The solver reports before its first iteration and after each one, once the residual is known: so
/// an iteration has its products and its vector operations, and neither the first nor the last
/// product of the solve, which checks the true residual.
#pragma once

#include "watari/hmatrix/solve.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace watari::hmatrix {

class iteration_log {
public:
    /// `most`: iterations after which the solver stops; 0: at its tolerance.
    iteration_log(solver& by, std::size_t most) : by_(by), most_(most) {}

    /// Takes a report of the solver; returns whether it may go on.
    bool add(double residual) {
        all_.push_back({measure::now(), by_.matrix().seconds_waited(), residual});
        return most_ == 0 || all_.size() <= most_;
    }

    /// Adds the mean of an iteration, and the residuals after 1, 2, 4, ... iterations.
    void report(measure::trial& into) const {
        if (all_.size() < 2) return;
        const std::size_t count = all_.size() - 1;
        const auto mean = [&](double entry::*of) {
            return (all_.back().*of - all_.front().*of) / static_cast<double>(count);
        };
        into.quantities["iterations"] = {static_cast<double>(count), "1"};
        into.quantities["iteration_s"] = {mean(&entry::at), "s"};
        into.quantities["iteration_read_s"] = {mean(&entry::waited), "s"};
        for (std::size_t i = 1; i <= count; i *= 2)
            into.quantities["residual_" + std::to_string(i)] = {all_[i].residual, "1"};
    }

private:
    struct entry {
        double at, waited, residual;
    };
    solver& by_;
    std::size_t most_;
    std::vector<entry> all_;
};

}  // namespace watari::hmatrix
