/// Stores that have the times of modelled SSDs: `modelled:<name of a data sheet>`, or a file of
/// measured rows, which the caller has read. The data lie in memory: behind a controller for
/// engines of queues, in a file in memory for engines of files (engines/modelled_time.hpp).
#pragma once

#include "watari/storage/backends/backend.hpp"
#include "watari/storage/backends/disk_array.hpp"

#include <memory>
#include <string>
#include <vector>

namespace watari::storage {

/// Whether the word of a store names a modelled SSD.
bool is_modelled(const std::string& store);

/// The SSDs of `store`: by `rows`, or if there are none by the name of a data sheet. Throws
/// usage_error.
modelled_disks disks_of(const std::string& store, const std::vector<double>& rows,
                        std::size_t disks);

}  // namespace watari::storage
