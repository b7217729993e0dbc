/// Times launches of a kernel that was compiled at run time, as the cases time their own.
#pragma once

#include "watari/core/loaded/kernel.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>

namespace watari::measure {

/// A launch of one kernel: shape and arguments.
struct repeated_launch {
    const loaded_kernel* kernel;
    launch_shape shape;
    packed_arguments arguments;
};

/// Launches it `samples` times on a GPU, one after the other; each launch is a sample.
trial sample_launches(const repeated_launch& launch, processor gpu, std::size_t samples);

}  // namespace watari::measure
