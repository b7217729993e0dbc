// The libraries behind blas.hpp, one file each.
#pragma once

#include "watari/blas/blas.hpp"

#include <string>

namespace watari::blas {

std::unique_ptr<products> make_openblas(precision type, int threads);
std::unique_ptr<products> make_cublas(int gpu, precision type, stream_t stream);

/// Facts about a library; `why_not` is empty if it can be used.
struct library_facts {
    std::string why_not;
    std::string version;  ///< such as "OpenBLAS 0.3.21"
    std::string file;     ///< file name by which it was loaded
};
library_facts openblas_library();
library_facts cublas_library();

/// Bytes of address space that OpenBLAS will still take with `threads` threads. Without room for a
/// buffer OpenBLAS tries for ever to map it, so callers test before (memory::require_addresses).
std::size_t openblas_addresses(int threads);

/// The folder that set_numpy_folder has set.
std::string numpy_folder();

}  // namespace watari::blas
