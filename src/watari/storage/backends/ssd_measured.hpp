/// The model of an SSD from measured rows (ssd.hpp).
#pragma once

#include "watari/storage/backends/ssd.hpp"

#include <memory>

namespace watari::storage {

/// Throws usage_error for rows that are incomplete or not positive.
std::unique_ptr<ssd> make_measured_ssd(const ssd_description& wanted);

}  // namespace watari::storage
