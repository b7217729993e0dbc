/// Physical region pages: the locations of a command's data, as a controller reads them.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace watari::storage {

/// Reads the PRPs of a command for `bytes` of data into ranges, neighbours merged. PRP1 may begin
/// within its page, at a multiple of 4; no other entry may. `known` is the memory that a command
/// may name: its data and its lists. Fails with invalid_prp_offset, or data_transfer_error for
/// memory that is not known.
status read_prps(const submission_entry& command, std::size_t bytes,
                 std::span<const memory_range> known, std::vector<memory_range>& ranges);

}  // namespace watari::storage
