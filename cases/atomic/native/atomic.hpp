/// Case `atomic`: threads of one processor, or of both at once, add to counters that they share.
///
/// The histogram is the pattern of deposits and collisions (particles to cells, updates of graphs);
/// one counter is its worst case. On a coherent link such as NVLink-C2C both processors can update
/// one word at the same time. Elsewhere a page of managed memory migrates to the processor that
/// updates it.
#pragma once

#include "slots.hpp"
#include "watari/case/words.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>

namespace watari::counting {

/// `together`: the CPU's threads update the same counters at the same time, as often as the GPU
/// `processor`. `device`: the GPU whose memory holds the counters of kind device.
struct parameters {
    watari::processor processor;
    memory::kind kind = memory::kind::pageable;
    int device = 0;
    contention spread = contention::counter;
    std::size_t bins = 1;  ///< of a histogram: a power of two
    bool together = false;
    std::size_t updates = 1;  ///< per processor and sample
    std::size_t samples = 1;
    int threads = 1;

    static constexpr std::tuple members{
        member{"processor", &parameters::processor},
        member{"memory", &parameters::kind, cases::kind_named},
        member{"memory", &parameters::device, cases::gpu_number_in},
        member{"contention", &parameters::spread, contentions},
        member{"bins", &parameters::bins},
        member{"together", &parameters::together},
        member{"updates", &parameters::updates},
        member{"samples", &parameters::samples},
        member{"threads", &parameters::threads},
    };
};

/// Runs one trial. Throws unsupported if the machine lacks a capability, beyond_memory if it lacks
/// memory, usage_error for invalid parameters.
measure::trial run(const parameters& p);

}  // namespace watari::counting
