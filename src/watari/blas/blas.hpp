/// Products of tiles in memory, by the BLAS of a processor: OpenBLAS or cuBLAS, loaded on demand.
///
/// OpenBLAS is libopenblas.so.0 on the loader's search path, else the one inside NumPy's wheel.
/// cuBLAS is libcublas.so.13 or .12 on the loader's search path, in the CUDA toolkit, or in the
/// wheel nvidia-cublas. Single precision is computed in FP32: TF32 is off.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/precision.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace watari::blas {

/// A factor in memory that the processor addresses, row by row.
struct factor {
    const void* data;
    std::size_t leading;      ///< elements from one row to the next
    bool transposed = false;  ///< the memory holds its transpose
};

/// One processor's products in one precision. Calls on one object must not overlap.
class products {
public:
    products() = default;
    products(const products&) = delete;
    products& operator=(const products&) = delete;
    virtual ~products() = default;

    /// C = alpha A B + beta C; A is m x k, B k x n, C m x n, row-major, `ldc` elements from one row
    /// to the next. Elements have the precision given to make(). With beta == 0 C is not read, so
    /// NaN in C does not survive; with k == 0 or alpha == 0 A and B are not read. On a GPU it
    /// returns before it is done. Throws gpu_error, usage_error.
    virtual void multiply(std::size_t m, std::size_t n, std::size_t k, double alpha,
                          const factor& a, const factor& b, double beta, void* c,
                          std::size_t ldc) = 0;

    /// Such as "OpenBLAS 0.3.21, 2 threads" or "cuBLAS 13.1".
    virtual std::string name() const = 0;
};

/// `threads` is for the CPU (and its whole process: OpenBLAS has one number), `stream` for the GPU;
/// the other is not used. On a GPU the object has its own workspace of 32 MiB in GPU memory, so
/// that equal calls give equal bits. Throws unsupported with the reason of the loader.
std::unique_ptr<products> make(processor who, precision type, int threads, stream_t stream);

/// Sets the folder of the shared objects of NumPy's wheel (.../site-packages/numpy.libs). The wheel
/// nvidia-cublas is searched beside it. Takes effect at the next load; "": no folder.
void set_numpy_folder(const std::string& path);

}  // namespace watari::blas
