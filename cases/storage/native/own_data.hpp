/// Data of the user in place of test files: which engines read them, and whether they were read
/// right. No content is known beforehand, so every block is read again, by `pread` or by requests
/// for one range each, and compared.
#pragma once

#include "blocks.hpp"
#include "storage.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <cstddef>

namespace watari::cases {

/// Throws usage_error for parameters that do not suit the user's data, which are only read.
void require_own(const storage_parameters& p, const storage::engine_row& row);

/// Adds the user's files or objects to what a store opens.
void add_own(const storage_parameters& p, storage::store_options& into);

/// Number of blocks in memory that differ from those of the files.
std::size_t wrong_blocks(const storage_parameters& p, const blocks_in_memory& blocks);

}  // namespace watari::cases
