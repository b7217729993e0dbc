/// Checks by its content whether a file holds test data of this library: a name proves nothing.
///
/// There are two forms. A file of sectors (sector.hpp) has a whole sector at each place that is
/// checked. Any other file begins with a seal: a sector with an address that no sector of data has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::storage {

/// Bytes before the data of a sealed file.
inline constexpr std::size_t seal_bytes = std::size_t{1} << 20;

/// Writes the seal to the first sector of a file. `path` is for messages. Throws system_error.
void write_seal(int file, const std::string& path);

/// Whether a file of `bytes` bytes is sealed, or its first sector, its last and 14 between are
/// whole. True for an empty file, which has nothing to lose. Throws system_error.
bool is_test_data(int file, std::uint64_t bytes, const std::string& path);

/// Whether none of these sectors is whole. Damaged test data still have some whole sectors.
bool is_foreign(int file, std::uint64_t bytes, const std::string& path);

}  // namespace watari::storage
