/// Matrix product larger than fast memory: C = alpha A B + beta C with the matrices in a store, by
/// tiles that stream through a budget of fast memory (GPU memory; on a CPU machine RAM).
///
/// Flops: 2 m n k. Bytes: those of the tiles that the schedule reads, and C once (schedule.hpp).
/// Any order moves at least about 2 m n k / sqrt(elements of fast memory) elements.
///
/// Read next: options.hpp (options), schedule.hpp (order of the tiles), placement.hpp (position of
/// a tile), pipeline.hpp (reading, multiplying and writing); product.hpp (a user's own .npy files);
/// store.hpp (test data).
#pragma once

#include "watari/gemm/foresight.hpp"
#include "watari/gemm/options.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>
#include <string>

namespace watari::gemm {

struct parameters : options {
    shape size{};
    gemm::layout layout = layout::row_major;
    std::string store;   ///< file or ram; ram is a file in memory to engines that read files
    std::string folder;  ///< folder of the file
    std::size_t samples = 1;
    bool oversubscribe = false;
};

/// Returns the forecast of a trial; reads and makes nothing. Throws usage_error, unsupported.
foresight plan(const parameters& p);

/// One trial; a sample is a whole product. Throws unsupported, usage_error, beyond_memory,
/// system_error.
measure::trial run(const parameters& p);

}  // namespace watari::gemm
