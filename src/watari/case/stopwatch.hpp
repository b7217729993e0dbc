/// Seconds of a trial outside its timed loop: allocation, copies, release.
#pragma once

#include "watari/measure/clock.hpp"
#include "watari/measure/trial.hpp"

namespace watari::cases {

/// Adds the seconds since the last call to a quantity, and to `outside_loop`.
class stopwatch {
public:
    explicit stopwatch(measure::trial& into) : trial_(&into), last_(measure::now()) {}
    void lap(const char* quantity) {
        const double seconds = measure::now() - last_;
        for (const char* name : {quantity, "outside_loop"}) {
            trial_->quantities[name].value += seconds;
            trial_->quantities[name].unit = "s";
        }
        last_ = measure::now();
    }
    /// Discards the time since the last call.
    void skip() { last_ = measure::now(); }

private:
    measure::trial* trial_;
    double last_;
};

}  // namespace watari::cases
