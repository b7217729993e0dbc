/// Interface between the caller and a style written in directives: plain data, since these styles
/// are in shared objects, which les/directive.cpp loads on demand (watari/case/directive.hpp).
///
/// A style allocates the arrays, makes them known to the GPU, and calls back. The kernels are those
/// of the other styles: the same bodies, compiled for the directives' loops (directives/).
#pragma once

#include "../../kernels.hpp"
#include "watari/case/directive_abi.hpp"

#include <cstddef>

namespace watari::les::directive {

using namespace watari::directive;

inline constexpr std::size_t most_arrays = 64;

/// Copies bytes between the memories; the first is always the GPU's.
struct moves {
    void (*bring)(const void* from, void* to, std::size_t bytes);
    void (*send)(void* to, const void* from, std::size_t bytes);
};

struct request {
    int gpu;                   ///< number of the GPU; `on_host`: the same code on the CPU
    std::size_t count;         ///< of arrays
    const std::size_t* bytes;  ///< of each array
    std::size_t inputs;        ///< of them, the first ones, which the CPU fills
    std::size_t result;        ///< the first of the four arrays that have the flow at the end
    void* caller;
    void (*initialise)(void* caller, std::byte* const* arrays);  ///< fills the inputs, on the CPU
    /// Runs all steps. `twins`: the CPU's copies of the arrays; null: both processors share them.
    void (*simulate)(void* caller, std::byte* const* arrays, std::byte* const* twins,
                     const kernel_tables* kernels, const moves* by);
    void (*finish)(void* caller, std::byte* const* result);  ///< the CPU may read the flow
};

/// A style: `extern "C" void <name>(const request*, answer*)`, with _ for - in the name.
using function = void (*)(const request*, answer*);

/// The kernels of this shared object.
inline const kernel_tables& own_kernels() {
    static const kernel_tables all{
        &flow_kernels<float>::cpu,       &flow_kernels<double>::cpu,
        &vcycle_kernels<float>::cpu,     &vcycle_kernels<double>::cpu,
        &iteration_kernels<float>::cpu,  &iteration_kernels<double>::cpu,
        &coarsening_kernels<float>::cpu, &coarsening_kernels<double>::cpu,
        &survey_kernels<float>::cpu,     &survey_kernels<double>::cpu};
    return all;
}

}  // namespace watari::les::directive

#define WATARI_STYLE extern "C" __attribute__((visibility("default")))
