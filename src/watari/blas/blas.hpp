/// Products of tiles in memory, by the BLAS of a processor: OpenBLAS or cuBLAS, loaded when asked
/// for; no arithmetic of our own.
///
/// OpenBLAS is libopenblas.so.0 where the loader looks, else the one inside NumPy's wheel. cuBLAS
/// is libcublas.so.13 or .12 where the loader looks, in the CUDA toolkit, or in the wheel
/// nvidia-cublas. Single precision is computed in FP32: TF32 is off.
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

/// One processor's products in one precision. Calls of one object come one after another.
class products {
public:
    products() = default;
    products(const products&) = delete;
    products& operator=(const products&) = delete;
    virtual ~products() = default;

    /// C = alpha A B + beta C; A is m x k, B k x n, C m x n, row-major, `ldc` elements from one row
    /// to the next; the elements of the made precision. With beta == 0, C is not read: NaN in it
    /// does not survive; with k == 0 or alpha == 0 neither are A and B. On a GPU it returns before
    /// it is done. Throws gpu_error, usage_error.
    virtual void multiply(std::size_t m, std::size_t n, std::size_t k, double alpha,
                          const factor& a, const factor& b, double beta, void* c,
                          std::size_t ldc) = 0;

    /// Such as "OpenBLAS 0.3.21, 2 threads" or "cuBLAS 13.1".
    virtual std::string name() const = 0;
};

/// `threads` are the CPU's (those of the whole process: OpenBLAS has one number), `stream` is the
/// GPU's; the other is not used. On a GPU it has 32 MiB of workspace of its own in GPU memory, so
/// that equal calls give equal bits. Throws unsupported with the loader's reason.
std::unique_ptr<products> make(processor who, precision type, int threads, stream_t stream);

/// Where the shared objects of NumPy's wheel lie (.../site-packages/numpy.libs); the wheel
/// nvidia-cublas is looked for beside it. Counts from the next load on; "" is none.
void set_numpy_folder(const std::string& path);

}  // namespace watari::blas
