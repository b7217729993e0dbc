/// The product of matrices in a user's files: rows of float, double or halves without gaps, from
/// any byte on; of A and B also a grid of chunks, each in a file. C's file exists in its full size
/// and is written tile by tile.
#pragma once

#include "watari/files/matrices/npy.hpp"
#include "watari/gemm/foresight.hpp"
#include "watari/gemm/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace watari::gemm {

struct file_product {
    files::matrix_file a, b, c;
    files::matrix_file c_read;  ///< old C, which beta multiplies; not used if beta is 0
    int opened_c = -1;          ///< descriptor of C: a file that takes C's name is not written
    options how{};
    bool transpose_a = false, transpose_b = false;  ///< the file holds the factor's transpose
    std::size_t gap = 0;                            ///< of objects: see placement
    bool direct = true;                 ///< use direct I/O, if the file systems support it
    std::vector<tile_of_c> finished{};  ///< tiles that an earlier run has written
    std::function<bool(completed_tiles, double)> progress{};  ///< see pipeline_options
    double interval = 1;
};

/// Returns the largest tile up to `edge`, at least 128 elements, of which every chunk of a factor
/// is a whole number. Throws file_error if there is none.
std::size_t tile_within_chunks(const file_product& p, std::size_t edge);

/// Returns the shape of the product, with A and B as they are multiplied. Throws usage_error if
/// shapes do not fit or elements are not aligned.
shape shape_of(const file_product& p);

/// Returns the bytes of a tile in fast memory. A and B must exist, since their unit of direct I/O
/// is read; C need not. Throws usage_error.
std::size_t slot_bytes(const file_product& p);

/// Returns the forecast of a run, which has the same schedule. Throws usage_error.
foresight plan(const file_product& p);

/// Throws unsupported, beyond_memory if this machine lacks memory, the engine or the BLAS for the
/// product. C need not exist.
void require_machine(const file_product& p);

/// Computes C, which is durable on return, unless `stopped`. Throws usage_error for shapes that do
/// not fit, what pipeline throws, and error if a whole run moved other bytes than its forecast.
pipeline_counts multiply(const file_product& p);

}  // namespace watari::gemm
