/// NVRTC: compiles CUDA C++ at run time. Its library is loaded on demand from a file that the
/// caller names; neither CUDA nor a GPU is needed.
#pragma once

#include "watari/core/loaded/shared_object.hpp"

#include <string>
#include <utility>
#include <vector>

namespace watari {

class nvrtc {
public:
    /// Loads the library, such as `libnvrtc.so.13`. Throws unsupported with the loader's message.
    explicit nvrtc(const std::string& file);

    std::pair<int, int> version() const;

    /// The GPUs that it compiles for: 90 for compute capability 9.0.
    std::vector<int> architectures() const;

    struct compiled {
        std::string image;     ///< for loaded_kernel
        std::string messages;  ///< of the compiler, empty without a warning
    };
    /// Compiles a source for one architecture: to machine code, or to PTX, which the driver
    /// compiles for its GPU. `name` is the file's in messages. Throws usage_error with the
    /// messages.
    compiled compile(const std::string& source, const std::string& name, int architecture,
                     bool machine_code) const;

private:
    using program = void*;
    void check(int status, const char* call) const;
    std::string text(program of, int (*size)(program, std::size_t*), int (*get)(program, char*),
                     const char* call) const;

    const char* (*error_)(int) = nullptr;
    int (*version_)(int*, int*) = nullptr;
    int (*architecture_count_)(int*) = nullptr;
    int (*architectures_)(int*) = nullptr;
    int (*create_)(program*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
    int (*destroy_)(program*) = nullptr;
    int (*compile_)(program, int, const char* const*) = nullptr;
    int (*log_size_)(program, std::size_t*) = nullptr;
    int (*log_)(program, char*) = nullptr;
    int (*ptx_size_)(program, std::size_t*) = nullptr;
    int (*ptx_)(program, char*) = nullptr;
    int (*cubin_size_)(program, std::size_t*) = nullptr;
    int (*cubin_)(program, char*) = nullptr;
};

}  // namespace watari
