/// The product of matrices that lie in anybody's files: rows of float or double without gaps, from
/// any byte on (.npy, raw). C's file is there in its full size and is written tile by tile.
#pragma once

#include "watari/files/npy.hpp"
#include "watari/gemm/foresight.hpp"
#include "watari/gemm/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace watari::gemm {

struct file_product {
    files::matrix_file a, b, c;
    files::matrix_file c_read;  ///< what beta multiplies; not used where beta is 0
    int opened_c = -1;          ///< C, open already: no other file that takes its name is written
    options how{};
    bool transpose_a = false, transpose_b = false;  ///< the file holds the factor's transpose
    bool direct = true;                 ///< past the page cache, where the file systems can
    std::vector<tile_of_c> finished{};  ///< tiles that an earlier run has written
    std::function<bool(completed_tiles, double)> progress{};  ///< see pipeline_options
    double interval = 1;
};

/// Of the product; A and B as they are multiplied. Throws usage_error for files that do not fit.
shape shape_of(const file_product& p);

/// Of a tile in fast memory. A and B are asked for the unit of direct I/O, C need not be there.
/// Throws usage_error.
std::size_t slot_bytes(const file_product& p);

/// What a run will move, from the same schedule. Throws usage_error.
foresight plan(const file_product& p);

/// Throws unsupported, beyond_memory where this machine has not what the product needs: room,
/// engine, BLAS. C need not be there.
void require_machine(const file_product& p);

/// C is durable when it returns, unless `stopped`. Throws usage_error for shapes that do not fit,
/// what pipeline throws, and error where a whole run moved other bytes than `plan` foresaw.
pipeline_counts multiply(const file_product& p);

}  // namespace watari::gemm
