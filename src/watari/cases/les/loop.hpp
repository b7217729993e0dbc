/// What every style shares: what is done before, the timed steps, the clock around the rest.
///
/// A sample is a step; every N-th has a touch of the CPU behind it. So the speed is the mean over
/// whole periods of N steps: a median would hide every touch from N = 3 on. Whether the flow is
/// still sound is looked at before each touch, off the clock; with N = 1 at the end alone, since a
/// look would bring back for nothing what the touch took to the CPU.
#pragma once

#include "watari/cases/common/stopwatch.hpp"
#include "watari/cases/les/grid/fields.hpp"
#include "watari/cases/les/touch/reach.hpp"
#include "watari/memory/kind.hpp"

#include <span>

namespace watari::les {

using cases::stopwatch;

/// Refuses what cannot run or has no room (on all ranks, if on one), sets the CPU's threads, and
/// makes a step of a small city. `kinds`: the memory that the style takes all arrays of.
void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds);

/// The CPU writes the inputs: it touches every page of them first.
void initialise(const fields& f, const parameters& p);

/// All steps, and all touches of the CPU. `migrates`: pages may move while it runs.
void simulate(measure::trial& into, const parameters& p, const fields& f, const reach& by,
              bool migrates);

/// The CPU reads u v w theta: their fingerprint goes on record.
void read_result(measure::trial& into, const parameters& p, std::byte* const (&flow)[4]);

/// Whether the flow is in f.next: three stages a step swap it with f.flow.
inline bool swapped(const parameters& p) { return p.steps % 2 != 0; }

}  // namespace watari::les
