/// The sums of BiCGStab on several ranks.
#pragma once

#include "../problem/fields.hpp"
#include "watari/krylov/problem.hpp"

namespace watari::lattice {

/// Totals over all ranks. If each piece of a rank is also a piece of the whole lattice, and they
/// are few, all ranks gather the sums of all pieces and add them as one rank would: the same bits
/// for any split. Otherwise each rank adds its own pieces, and the sums of the ranks are added in
/// rank order. Real is the precision of the vectors.
template <class Real>
krylov::inner_product sums_over_ranks(const parameters& p);

}  // namespace watari::lattice
