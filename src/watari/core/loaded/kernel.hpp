/// A kernel that was compiled elsewhere (machine code or PTX), loaded and launched by the CUDA
/// driver. The driver's library is loaded on demand, and its context is the caller's: device::use()
/// comes first.
#pragma once

#include "watari/core/device.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

struct CUmod_st;
struct CUfunc_st;

namespace watari {

/// The arguments of a launch as the kernel's parameters lie in memory.
struct packed_arguments {
    std::string bytes;
    std::vector<std::size_t> offsets;  ///< of each parameter
};

/// The shape of a launch, in one dimension.
struct launch_shape {
    unsigned blocks;
    unsigned threads;  ///< of a block
};

class loaded_kernel {
public:
    /// Loads an image into the current context and looks up its kernel `name`. Throws unsupported
    /// without a driver, gpu_error with the driver's words.
    loaded_kernel(const std::string& image, const std::string& name);
    ~loaded_kernel();
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    /// A parameter as the compiler laid it out.
    struct parameter {
        std::size_t offset;
        std::size_t bytes;
    };
    /// All parameters; none before CUDA 12.4, whose drivers cannot tell.
    std::optional<std::vector<parameter>> parameters() const;

    /// Starts the kernel in stream order; the arguments are copied before it returns.
    void launch(const launch_shape& shape, const packed_arguments& arguments,
                stream_t stream) const;

private:
    CUmod_st* module_ = nullptr;
    CUfunc_st* function_ = nullptr;
};

}  // namespace watari
