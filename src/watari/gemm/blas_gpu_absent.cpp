// A build without CUDA.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/gemm/blas_ways.hpp"

namespace watari::gemm {

blas_library cublas_library() { return {device::absent_reason(), "", ""}; }

std::unique_ptr<blas> make_cublas(int, precision, stream_t) {
    throw unsupported(device::absent_reason());
}

}  // namespace watari::gemm
