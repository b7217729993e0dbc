/// Forecast of the bytes that a product moves.
#pragma once

#include "watari/gemm/pipeline/pipeline.hpp"
#include "watari/gemm/schedule/placement.hpp"
#include "watari/gemm/schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::gemm {

/// The bytes that a run will move, and the blocks and steps of its schedule.
struct foresight {
    std::uint64_t read, written;  ///< bytes
    /// Bytes that come from the stores: those to read, and of objects what lies between them.
    std::uint64_t received;
    std::uint64_t requests;  ///< for objects
    double lower_bound;      ///< bytes; 0 if nothing is multiplied
    std::size_t block_rows, block_columns, slots;
    std::size_t steps;
};

foresight foresee(const gemm::schedule& schedule, const placement& a, const placement& b,
                  const placement& c, double lower_bound);

/// Throws error if a run moved other bytes than the forecast.
void require_foreseen(const foresight& ahead, const pipeline_counts& counts);

}  // namespace watari::gemm
