/// An NVMe status in words.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

#include <string>

namespace watari::storage {

/// Returns a text such as "unrecovered read error (status type 2, code 81h)".
std::string text(const status& outcome);

}  // namespace watari::storage
