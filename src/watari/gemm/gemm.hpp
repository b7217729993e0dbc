/// Matrix product larger than fast memory: C = alpha A B + beta C with the matrices in a store, by
/// tiles that stream through a budget of fast memory (GPU memory; on a CPU machine RAM).
///
/// Flops: 2 m n k. Bytes: those of the tiles that the schedule reads, and C once (schedule.hpp);
/// whatever the order, about 2 m n k / sqrt(elements of fast memory) elements.
///
/// Read next: schedule.hpp (which tile when), placement.hpp (where a tile lies), pipeline.hpp
/// (reading, multiplying and writing), source.hpp (the engines); product.hpp (a user's own .npy
/// files); store.hpp (test data).
#pragma once

#include "watari/gemm/pipeline.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>
#include <string>

namespace watari::gemm {

struct parameters {
    std::string engine;  ///< a row of storage::engines(), or pinned or managed
    watari::processor processor;
    shape size{};
    std::size_t tile = 2048;
    layout order = layout::row_major;
    gemm::order schedule = order::reuse;
    precision type = precision::single_precision;
    std::string store;   ///< file or ram; ram is a file in memory to engines that read files
    std::string folder;  ///< of the file
    std::size_t fast_memory = 0;  ///< bytes
    double alpha = 1, beta = 0;
    std::size_t threads = 1;  ///< that read, and as many that write; or those of the controller
    std::size_t depth = 1;    ///< requests in flight of each
    std::size_t samples = 1;
    bool oversubscribe = false;
};

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

/// Tiles that requests on a disk should cover.
together together_of(const parameters& p, const placement& a, const placement& b,
                     const placement& c);

/// Whether tiles come from a disk, which is slower than a GPU's products.
bool is_patient(const parameters& p);

/// Threads that read, and as many that write; requests in flight of each.
std::size_t movers_of(const parameters& p);
std::size_t depth_of(const parameters& p);

/// Throws beyond_memory, unsupported where there is no room for the fast memory.
void require_room_for(const parameters& p);

/// Throws usage_error for factors that the elements' type does not hold: of float, 1e39 would be
/// infinite and 1e-50 nothing.
void require_factors(const parameters& p);

/// Nothing is read or made. Throws usage_error, unsupported.
foresight plan(const parameters& p);

/// One trial; a sample is a whole product. Throws unsupported, usage_error, beyond_memory,
/// system_error.
measure::trial run(const parameters& p);

}  // namespace watari::gemm
