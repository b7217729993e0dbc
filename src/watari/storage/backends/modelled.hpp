/// A backend in memory with the latency and the rates of an SSD (ssd.hpp), or of several over which
/// the namespace is striped, so that software can be measured on a machine without them.
#pragma once

#include "watari/storage/backends/backend.hpp"
#include "watari/storage/backends/disk_array.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace watari::storage {

/// Makes a namespace over a backend in memory, which serves the data, with the times of these SSDs.
/// Throws usage_error.
std::shared_ptr<backend> make_modelled(std::shared_ptr<backend> memory,
                                       const modelled_disks& wanted);
/// As above: one SSD by the name of its data sheet.
std::shared_ptr<backend> make_modelled(std::shared_ptr<backend> memory, std::string_view name);

}  // namespace watari::storage
