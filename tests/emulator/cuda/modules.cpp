// Modules, and launches of their kernels.
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "kernels.hpp"
#include "observe.hpp"
#include "streams.hpp"

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

FAKE result cuFuncGetName(const char** name, void* function) {
    *name = static_cast<const char*>(function);
    return success;
}

FAKE result cuFuncGetParamInfo(void* function, std::size_t index, std::size_t* offset,
                               std::size_t* size) {
    const auto* name = static_cast<const char*>(function);
    if (!tells_parameters(name)) return not_supported;
    const placed found = parameter_of(name, index);
    if (found.size == 0) return invalid_value;
    *offset = found.offset;
    *size = found.size;
    return success;
}

FAKE result cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
    return cuModuleLoadData(module, image);
}

FAKE result cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                           void* stream, void** arguments, void** extra) {
    ++counted.launches;
    const std::initializer_list<std::uint64_t> parameters = {
        bits(function),  pair(grid_x, grid_y), pair(grid_z, block_x), pair(block_y, block_z),
        pair(shared, 0), bits(stream),         bits(arguments),       bits(extra)};
    const auto run = [&] {
        return submit(stream,
                      kernel_operation(function, std::uint64_t{grid_x} * grid_y * grid_z,
                                       std::uint64_t{block_x} * block_y * block_z, arguments));
    };
    return observed("cuLaunchKernel", parameters, run, static_cast<const char*>(function));
}
