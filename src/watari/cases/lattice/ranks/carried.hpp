/// Half spinors that a style has packed itself, carried between ranks by the CPU.
#pragma once

#include "watari/cases/lattice/problem/fields.hpp"

namespace watari::lattice {

/// `sent` goes to the neighbours, what they send fills `arrived`: both where halo_begin says, in
/// memory that the CPU addresses.
void carry_half_spinors(const parameters& p, const complex<double>* sent, complex<double>* arrived);

}  // namespace watari::lattice
