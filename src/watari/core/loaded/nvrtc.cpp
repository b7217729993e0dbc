// The declarations are NVRTC's stable C interface (nvrtc.h of CUDA 12 and 13).
#include "watari/core/loaded/nvrtc.hpp"

#include "watari/core/error.hpp"

#include <memory>

namespace watari {

namespace {

constexpr int compilation_failed = 6;  // NVRTC_ERROR_COMPILATION

}  // namespace

nvrtc::nvrtc(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    const bool has_folder = slash != file.npos;
    const std::string name = file.substr(has_folder ? slash + 1 : 0);
    const shared_object object = load_part(name, has_folder ? file.substr(0, slash) : "");
    std::string why_not = object.why_not;
    const auto get = [&](const char* function, auto& pointer) {
        if (object.handle) find_function(object, file, function, pointer, why_not);
    };
    get("nvrtcGetErrorString", error_);
    get("nvrtcVersion", version_);
    get("nvrtcGetNumSupportedArchs", architecture_count_);
    get("nvrtcGetSupportedArchs", architectures_);
    get("nvrtcCreateProgram", create_);
    get("nvrtcDestroyProgram", destroy_);
    get("nvrtcCompileProgram", compile_);
    get("nvrtcGetProgramLogSize", log_size_);
    get("nvrtcGetProgramLog", log_);
    get("nvrtcGetPTXSize", ptx_size_);
    get("nvrtcGetPTX", ptx_);
    get("nvrtcGetCUBINSize", cubin_size_);
    get("nvrtcGetCUBIN", cubin_);
    if (!why_not.empty()) throw unsupported("NVRTC: " + why_not);
}

void nvrtc::check(int status, const char* call) const {
    if (status != 0) throw gpu_error(std::string(call) + ": " + error_(status));
}

std::pair<int, int> nvrtc::version() const {
    int major = 0, minor = 0;
    check(version_(&major, &minor), "nvrtcVersion");
    return {major, minor};
}

std::vector<int> nvrtc::architectures() const {
    int count = 0;
    check(architecture_count_(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> found(static_cast<std::size_t>(count));
    check(architectures_(found.data()), "nvrtcGetSupportedArchs");
    return found;
}

std::string nvrtc::text(program of, int (*size)(program, std::size_t*), int (*get)(program, char*),
                        const char* call) const {
    std::size_t bytes = 0;
    check(size(of, &bytes), call);
    std::string result(bytes, '\0');
    if (bytes > 0) check(get(of, result.data()), call);
    return result;
}

nvrtc::compiled nvrtc::compile(const std::string& source, const std::string& name, int architecture,
                               bool machine_code) const {
    program made = nullptr;
    check(create_(&made, source.c_str(), name.c_str(), 0, nullptr, nullptr), "nvrtcCreateProgram");
    const auto destroy = [this](program* it) { destroy_(it); };
    const std::unique_ptr<program, decltype(destroy)> owner(&made, destroy);
    const std::string target = std::string("--gpu-architecture=") +
                               (machine_code ? "sm_" : "compute_") + std::to_string(architecture);
    const char* options[] = {target.c_str(), "--std=c++17", "--generate-line-info"};
    const int status = compile_(made, 3, options);
    compiled result{.image = "", .messages = text(made, log_size_, log_, "nvrtcGetProgramLog")};
    while (!result.messages.empty() &&
           (result.messages.back() == '\0' || result.messages.back() == '\n'))
        result.messages.pop_back();
    if (status == compilation_failed) throw usage_error(result.messages);
    check(status, "nvrtcCompileProgram");
    result.image = machine_code ? text(made, cubin_size_, cubin_, "nvrtcGetCUBIN")
                                : text(made, ptx_size_, ptx_, "nvrtcGetPTX");
    return result;
}

}  // namespace watari
