/// Half spinors that a style has packed itself, carried between ranks.
#pragma once

#include "../problem/fields.hpp"

namespace watari::lattice {

/// Sends `sent` to the neighbours and fills `arrived` with their half spinors, in the order of
/// `stream`; if the CPU carries them, it returns when they are there. Both have the layout of
/// halo_begin and lie in memory that the part's carrier addresses.
void carry_half_spinors(const parameters& p, const complex<double>* sent, complex<double>* arrived,
                        stream_t stream);

}  // namespace watari::lattice
