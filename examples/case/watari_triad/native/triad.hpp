/// Case `triad`: STREAM's triad (McCalpin, 1995) with more arithmetic on each element.
#pragma once

#include "watari/case/words.hpp"
#include "watari/core/members.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <tuple>

namespace triad {

/// Three arrays of `size` bytes. `work` multiplications and additions on each element.
struct parameters {
    watari::processor processor;
    watari::memory::kind kind = watari::memory::kind::pageable;
    int device = 0;
    std::size_t size = 0;
    int work = 1;
    double scalar = 0.5;
    std::size_t samples = 1;
    int threads = 1;

    static constexpr std::tuple members{
        watari::member{"processor", &parameters::processor},
        watari::member{"memory", &parameters::kind, watari::cases::kind_named},
        watari::member{"memory", &parameters::device, watari::cases::gpu_number_in},
        watari::member{"size", &parameters::size},
        watari::member{"work", &parameters::work},
        watari::member{"scalar", &parameters::scalar},
        watari::member{"samples", &parameters::samples},
        watari::member{"threads", &parameters::threads},
    };
};

/// Runs one trial. Throws unsupported if the machine lacks a capability, beyond_memory if the
/// arrays do not fit.
watari::measure::trial run(const parameters& p);

}  // namespace triad
