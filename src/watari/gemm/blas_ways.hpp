// The libraries behind blas.hpp, one file each.
#pragma once

#include "watari/gemm/blas.hpp"

#include <string>

namespace watari::gemm {

std::unique_ptr<blas> make_openblas(precision type, int threads);
std::unique_ptr<blas> make_cublas(int gpu, precision type, stream_t stream);

/// What a library says of itself; `why_not` is empty if it can be used.
struct blas_library {
    std::string why_not;
    std::string version;  ///< such as "OpenBLAS 0.3.21"
    std::string file;     ///< by which it was loaded
};
blas_library openblas_library();
blas_library cublas_library();

/// What set_numpy_folder was given.
std::string numpy_folder();

}  // namespace watari::gemm
