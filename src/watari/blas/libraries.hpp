// The libraries behind blas.hpp, one file each.
#pragma once

#include "watari/blas/blas.hpp"

#include <string>

namespace watari::blas {

std::unique_ptr<products> make_openblas(precision type, int threads);
std::unique_ptr<products> make_cublas(int gpu, precision type, stream_t stream);

/// What a library says of itself; `why_not` is empty if it can be used.
struct library_facts {
    std::string why_not;
    std::string version;  ///< such as "OpenBLAS 0.3.21"
    std::string file;     ///< by which it was loaded
};
library_facts openblas_library();
library_facts cublas_library();

/// Addresses that OpenBLAS will still take with so many threads. It tries for ever to map a buffer
/// for which there are none, so they must be there before (memory::require_addresses).
std::size_t openblas_addresses(int threads);

/// What set_numpy_folder was given.
std::string numpy_folder();

}  // namespace watari::blas
