// The declarations are the driver's stable C interface (cuda.h of CUDA 12 and 13).
#include "watari/core/loaded/kernel.hpp"

#include "watari/core/error.hpp"
#include "watari/core/loaded/shared_object.hpp"

namespace watari {

namespace {

constexpr int no_such_parameter = 1;  // CUDA_ERROR_INVALID_VALUE

struct driver {
    std::string why_not;
    int (*error_name)(int, const char**) = nullptr;
    int (*load)(CUmod_st**, const void*) = nullptr;
    int (*unload)(CUmod_st*) = nullptr;
    int (*find)(CUfunc_st**, CUmod_st*, const char*) = nullptr;
    int (*parameter)(CUfunc_st*, std::size_t, std::size_t*, std::size_t*) = nullptr;
    int (*launch)(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  stream_t, void**, void**) = nullptr;

    void check(int status, const char* call) const {
        if (status == 0) return;
        const char* name = nullptr;
        error_name(status, &name);
        throw gpu_error(std::string(call) + ": " + (name ? name : std::to_string(status)));
    }
};

driver open_driver() {
    const std::string file = "libcuda.so.1";
    driver found;
    const shared_object object = load_part(file);
    found.why_not = object.why_not;
    if (!object.handle) return found;
    const auto get = [&](const char* name, auto& function) {
        find_function(object, file, name, function, found.why_not);
    };
    get("cuGetErrorName", found.error_name);
    get("cuModuleLoadData", found.load);
    get("cuModuleUnload", found.unload);
    get("cuModuleGetFunction", found.find);
    get("cuLaunchKernel", found.launch);
    std::string ignored;  // absent before CUDA 12.4
    find_function(object, file, "cuFuncGetParamInfo", found.parameter, ignored);
    return found;
}

/// The driver's functions. Throws unsupported.
const driver& the_driver() {
    static const driver found = open_driver();
    if (!found.why_not.empty()) throw unsupported("the GPU's driver: " + found.why_not);
    return found;
}

}  // namespace

loaded_kernel::loaded_kernel(const std::string& image, const std::string& name) {
    const driver& cuda = the_driver();
    cuda.check(cuda.load(&module_, image.c_str()), "cuModuleLoadData");
    const int status = cuda.find(&function_, module_, name.c_str());
    if (status != 0) cuda.unload(module_);
    cuda.check(status, ("cuModuleGetFunction(" + name + ")").c_str());
}

loaded_kernel::~loaded_kernel() { the_driver().unload(module_); }

std::optional<std::vector<loaded_kernel::parameter>> loaded_kernel::parameters() const {
    const driver& cuda = the_driver();
    if (!cuda.parameter) return std::nullopt;
    std::vector<parameter> found;
    for (parameter next{};; found.push_back(next)) {
        const int status = cuda.parameter(function_, found.size(), &next.offset, &next.bytes);
        if (status == no_such_parameter) return found;
        cuda.check(status, "cuFuncGetParamInfo");
    }
}

void loaded_kernel::launch(const launch_shape& shape, const packed_arguments& arguments,
                           stream_t stream) const {
    std::string copy = arguments.bytes;  // the driver takes pointers to data that can be written
    std::vector<void*> pointers;
    for (const std::size_t offset : arguments.offsets) pointers.push_back(copy.data() + offset);
    const driver& cuda = the_driver();
    cuda.check(cuda.launch(function_, shape.blocks, 1, 1, shape.threads, 1, 1, 0, stream,
                           pointers.data(), nullptr),
               "cuLaunchKernel");
}

}  // namespace watari
