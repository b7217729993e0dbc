/// Case `atomic`: threads of one processor, or of both at once, add to counters that they share.
///
/// The histogram is the pattern of deposits and collisions (particles to cells, updates of graphs);
/// one counter is its worst case. That both processors may update one word while the other does is
/// what a coherent link such as NVLink-C2C adds; elsewhere a page of managed memory moves to
/// whoever updates it.
#pragma once

#include "watari/cases/atomic/slots.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>

namespace watari::counting {

/// `together`: the CPU's threads make as many updates of the same counters at the same time as the
/// GPU `processor`. `device` is the GPU that device memory belongs to.
struct parameters {
    watari::processor processor;
    memory::kind kind = memory::kind::pageable;
    int device = 0;
    contention spread = contention::counter;
    std::size_t bins = 1;  ///< of a histogram: a power of two
    bool together = false;
    std::size_t updates = 1;  ///< of each processor in a sample
    std::size_t samples = 1;
    int threads = 1;
};

/// One trial. Throws unsupported for what the machine does not have, beyond_memory for what it has
/// not enough of, usage_error for what cannot be meant.
measure::trial run(const parameters& p);

}  // namespace watari::counting
