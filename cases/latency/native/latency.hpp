/// Case `latency`: nanoseconds of a dependent load, by one thread of a processor from one memory.
///
/// McVoy and Staelin, "lmbench: portable tools for performance analysis", USENIX 1996, section 6.1
/// (lat_mem_rd), in random order as multichase does, so that no prefetcher predicts the next
/// element; Mei and Chu, "Dissecting GPU memory hierarchy through microbenchmarking", TPDS 28
/// (2017), for GPUs.
#pragma once

#include "watari/case/words.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>

namespace watari::latency {

/// An array of `size` bytes with an element every `stride` bytes. `device` is the GPU that device
/// memory belongs to. Shared memory is first touched by the processor that chases.
struct parameters {
    watari::processor processor;
    memory::kind kind = memory::kind::pageable;
    int device = 0;
    std::size_t size = 0;
    std::size_t stride = 64;
    memory::huge_pages thp = memory::huge_pages::as_set;
    std::size_t page = 0;  ///< bytes of a page of the kernel's pool; 0: ordinary pages
    std::size_t samples = 1;
    std::size_t steps = 0;  ///< steps of a sample; a multiple of `unrolled`

    static constexpr std::tuple members{
        member{"processor", &parameters::processor},
        member{"memory", &parameters::kind, cases::kind_named},
        member{"memory", &parameters::device, cases::gpu_number_in},
        member{"size", &parameters::size},
        member{"stride", &parameters::stride},
        member{"thp", &parameters::thp, cases::huge_pages},
        member{"page", &parameters::page},
        member{"samples", &parameters::samples},
        member{"steps", &parameters::steps},
    };
};

/// Runs one trial. Each sample starts where the previous one ended. Throws unsupported if the
/// machine lacks a capability, beyond_memory if it lacks memory, usage_error for invalid
/// parameters.
measure::trial run(const parameters& p);

}  // namespace watari::latency
