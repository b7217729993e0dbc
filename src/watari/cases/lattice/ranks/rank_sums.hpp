/// The sums of BiCGStab on several ranks.
#pragma once

#include "watari/cases/lattice/problem/fields.hpp"
#include "watari/krylov/problem.hpp"

namespace watari::lattice {

/// Totals over all ranks. Where every piece lies within a row or whole rows of one rank, and they
/// are few, all ranks gather all pieces' sums and add them up as one rank would: the same bits
/// whatever the split. Else each adds up its own, and the ranks' sums follow in their order.
/// Real is the precision of the vectors.
template <class Real>
krylov::inner_product sums_over_ranks(const parameters& p);

}  // namespace watari::lattice
