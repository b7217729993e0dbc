// Modules, and launches of their kernels.
#include <cstdlib>
#include <cstring>

#include "fake_cuda.hpp"
#include "observe.hpp"

using namespace fake;

FAKE result cuModuleLoadData(void** module, const void* image) {
    if (!image) return invalid_image;
    *module = std::malloc(1);
    return success;
}

FAKE result cuModuleUnload(void* module) {
    std::free(module);
    return success;
}

FAKE result cuModuleGetFunction(void** function, void*, const char* name) {
    if (!has_kernel(name)) return not_found;
    *function = strdup(name);
    return success;
}

FAKE result cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                           void* stream, void** arguments, void** extra) {
    ++counted.launches;
    const auto* name = static_cast<const char*>(function);
    const std::initializer_list<std::uint64_t> parameters = {
        bits(function),  pair(grid_x, grid_y), pair(grid_z, block_x), pair(block_y, block_z),
        pair(shared, 0), bits(stream),         bits(arguments),       bits(extra)};
    captured* capture = capture_of(stream);
    const auto run = [&] {
        const auto blocks = std::uint64_t{grid_x} * grid_y * grid_z;
        if (capture) {
            capture->push_back({name, blocks});
            return success;
        }
        timeline::kernel(stream, name, blocks);
        const residency::gpu_works running;
        return run_kernel(name, arguments) ? success : launch_failed;
    };
    return observed("cuLaunchKernel", parameters, run, name, capture != nullptr);
}
