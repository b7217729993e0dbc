/// The part that all styles share: preparation, the timed steps, and the times outside the loop.
///
/// A sample is a step; every N-th step includes a touch by the CPU. So the speed is the mean over
/// whole periods of N steps: a median would hide every touch from N = 3 on. The flow is checked one
/// step before each touch, outside the timed part. With N = 1 it is checked at the end alone: a
/// check after a touch would bring the touched data back untimed.
#pragma once

#include "grid/fields.hpp"
#include "touch/reach.hpp"
#include "watari/case/stopwatch.hpp"
#include "watari/memory/kind.hpp"

#include <span>

namespace watari::les {

using cases::stopwatch;

/// Throws if the trial cannot run or lacks memory (on all ranks if on one), sets the CPU's threads,
/// and runs a step of a small city. `kinds`: the kinds of memory in which the style allocates all
/// arrays.
void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds);

/// Returns the parameters of a small city whose only step includes a touch, so that no sample of
/// `p` loads code or makes a first launch.
parameters first_step_of(parameters p);

/// Writes the inputs by the CPU, which is the first to touch their pages.
void initialise(const fields& f, const parameters& p);

/// Runs all steps and all touches by the CPU. `migrates`: pages may migrate during the run.
void simulate(measure::trial& into, const parameters& p, const fields& f, const reach& by,
              bool migrates);

/// Reads u v w theta by the CPU, and records their fingerprint.
void read_result(measure::trial& into, const parameters& p, std::byte* const (&flow)[4]);

/// Whether the flow is in f.next at the end: the three stages of each step swap f.flow and f.next.
inline bool swapped(const parameters& p) { return p.steps % 2 != 0; }

}  // namespace watari::les
