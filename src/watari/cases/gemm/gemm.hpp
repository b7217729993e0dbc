/// Matrix product larger than fast memory: C = alpha A B + beta C with the matrices in a store, by
/// tiles that stream through a budget of fast memory (GPU memory; on a CPU machine RAM).
///
/// Flops: 2 m n k. Bytes: those of the tiles that the schedule reads, and C once (schedule.hpp);
/// whatever the order, about 2 m n k / sqrt(elements of fast memory) elements.
///
/// Read next: parameters.hpp (what is asked), schedule.hpp (which tile when), placement.hpp (where
/// a tile lies), pipeline.hpp (reading, multiplying and writing), source.hpp (the engines);
/// product.hpp (a user's own .npy files); store.hpp (test data).
#pragma once

#include "watari/gemm/parameters.hpp"
#include "watari/gemm/pipeline.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>

namespace watari::gemm {

/// What a run will move.
struct foresight {
    std::uint64_t read, written;  ///< bytes
    double lower_bound;           ///< bytes; 0 where nothing is multiplied
    std::size_t block_rows, block_columns, slots;
    std::size_t steps;
};

foresight foresee(const schedule& order, const placement& a, const placement& b, const placement& c,
                  double lower_bound);

/// Throws error where a run moved other bytes.
void require_foreseen(const foresight& ahead, const pipeline_counts& counts);

/// Nothing is read or made. Throws usage_error, unsupported.
foresight plan(const parameters& p);

/// One trial; a sample is a whole product. Throws unsupported, usage_error, beyond_memory,
/// system_error.
measure::trial run(const parameters& p);

}  // namespace watari::gemm
