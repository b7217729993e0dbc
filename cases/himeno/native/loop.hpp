/// Code that every style shares: preparation, the timed iterations, the clock around the rest.
///
/// A sample is one iteration: its kernels, the halo, and gosa's path to the host and over all
/// ranks. Iterations of the rehearsal are no samples. The first sample is the phase `first`; the
/// others are `rest` if pages may migrate, else `steady`.
#pragma once

#include "himeno.hpp"
#include "watari/case/stopwatch.hpp"
#include "watari/memory/kind.hpp"

#include <array>
#include <span>

namespace watari::himeno {

/// Returns the addresses of the 14 pointers of a struct, p first.
std::array<float**, 14> pointers(fields& f);

/// Swaps p and wrk2, and the two copies of the struct in memory (`there`).
void swap(fields& f);

/// Returns the struct as it is and after a swap, the contents for `there`.
std::array<fields, 2> both_ways(const fields& f);

/// Throws unsupported, beyond_memory if the style cannot run (on all ranks, if on one), sets the
/// CPU's threads, and launches each kernel once on small data. `kinds`: the kinds of memory of
/// which the style allocates 14 arrays.
void prepare(measure::trial& into, const part& p, std::span<const memory::kind> kinds);

/// Writes the initial data by the processor `init`, which thus touches every page first.
void initialise(const fields& f, const part& p);

/// Runs the rehearsal and all iterations, with exchange of the halo if there are several ranks.
/// Afterwards p is in f.p, which the fused form may have swapped with f.wrk2. `migrates`: pages may
/// move meanwhile.
void iterate(measure::trial& into, const part& p, fields& f, double* gosa, bool migrates,
             stream_t stream);

/// Ends an iteration of several ranks: its gosa, which is in the series, becomes the sum over all
/// ranks, and the seconds of the halo are recorded.
void finish_iteration(measure::trial& into, const part& p, std::size_t iteration);

/// Removes the rehearsal from the samples, and computes the quantities of the trial.
void summarise(measure::trial& into, const part& p, bool migrates);

/// Reads the result on the CPU and records its fingerprint.
///
/// The laps of a style, in order. The original and both studies time jacobi(): the iterations and
/// the four laps with a star.
///
///     allocate           arrays that the CPU fills
///     allocate_device  * memory of the GPU's own
///     transfer_in      * copies, or a prefetch
///     transfer_out     *
///     release_device   *
///     read               by the CPU: pages may move
///     release            arrays that the CPU filled
void read_result(measure::trial& into, const part& p, const fields& f);

using cases::stopwatch;

}  // namespace watari::himeno
