/// The test object of a store: sectors as those of a test file (sector.hpp), made once for each
/// size, and read again by later runs.
#pragma once

#include <cstdint>
#include <string>

namespace watari::storage {

/// The address of `watari-<bytes>.data` below `folder`, s3://bucket/prefix. Uploads the object if
/// it is missing; it appears when it is whole. Throws usage_error unless `bytes` are whole sectors;
/// file_error if other data have the name, or what objects::upload throws.
std::string test_object(const std::string& folder, std::uint64_t bytes);

}  // namespace watari::storage
