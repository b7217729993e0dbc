// A build without CUDA.
#include "watari/blas/libraries.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

namespace watari::blas {

library_facts cublas_library() { return {device::absent_reason(), "", ""}; }

std::unique_ptr<products> make_cublas(int, precision, stream_t) {
    throw unsupported(device::absent_reason());
}

}  // namespace watari::blas
