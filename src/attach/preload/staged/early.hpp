// The copies before threads can start (plan.hpp). As long as all copies together are too few for
// that, the driver is not asked which of them are pageable.
#pragma once

#include "transfer.hpp"

namespace attach::staged {

// The bytes of a copy, or more where it goes to memory that nobody has touched (plan.hpp).
std::size_t weight_of(const transfer& asked);

// Counts a copy, unless a run is recorded or its gains are printed: then the driver's own copies
// are measured from the first one on.
bool is_worth_asking(const transfer& asked);

// The weight of earlier copies of pageable memory about which the driver was not asked; once, then
// 0.
std::size_t take_early_weight();

// In the child of a fork.
void forget_early();

}  // namespace attach::staged
