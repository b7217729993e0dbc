/// What every style shares: what is done before, the timed iterations, the clock around the rest.
///
/// A sample is one iteration: its kernels, the halo, and gosa's path to the host and over all
/// ranks. The first iteration is the phase `first`; where pages may migrate the others are `rest`,
/// elsewhere `steady`.
#pragma once

#include "watari/cases/common/stopwatch.hpp"
#include "watari/cases/himeno/himeno.hpp"
#include "watari/memory/kind.hpp"

#include <array>
#include <span>

namespace watari::himeno {

/// Where the 14 pointers of a struct are, p first.
std::array<float**, 14> pointers(fields& f);

/// Swaps p and wrk2, and what lies in memory of them.
void swap(fields& f);

/// The struct, and the one after a swap: what `there` of it points to.
std::array<fields, 2> both_ways(const fields& f);

/// Refuses what cannot run or has no room (on all ranks, if on one), sets the CPU's threads, and
/// launches each kernel once on small data. `kinds`: the memory that the style takes 14 arrays of.
void prepare(measure::trial& into, const part& p, std::span<const memory::kind> kinds);

/// Writes the initial data with the processor of `init`: it touches every page first.
void initialise(const fields& f, const part& p);

/// Runs all iterations, with the halo's exchange where there are several ranks; p is then in f.p,
/// which the fused form may have swapped with f.wrk2. `migrates`: pages may move while it runs.
void iterate(measure::trial& into, const part& p, fields& f, double* gosa, bool migrates,
             stream_t stream);

/// Ends an iteration of several ranks: its gosa, in the series already, becomes the sum over all of
/// them, and the seconds of the halo go on record.
void finish_iteration(measure::trial& into, const part& p, std::size_t iteration);

/// The numbers of a whole trial, from its samples.
void summarise(measure::trial& into, const part& p, bool migrates);

/// The CPU reads the result: its fingerprint goes on record.
void read_result(measure::trial& into, const part& p, const fields& f);

using cases::stopwatch;

}  // namespace watari::himeno
