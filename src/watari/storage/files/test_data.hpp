/// Whether a file holds test data of this library, by what is in it: a name proves nothing.
///
/// Two forms. A file of sectors (sector.hpp) has a whole one wherever it is looked at. Any other
/// file begins with a seal: a sector with an address that no sector of data has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::storage {

/// Bytes before the data of a sealed file.
inline constexpr std::size_t seal_bytes = std::size_t{1} << 20;

/// Writes the seal to the first sector of a file. `path` is for messages. Throws system_error.
void write_seal(int file, const std::string& path);

/// Whether a file of so many bytes is sealed, or its first, its last and 14 sectors between are
/// whole. An empty file holds nothing that could be lost: true. Throws system_error.
bool is_test_data(int file, std::uint64_t bytes, const std::string& path);

/// Whether none of these sectors is whole: of test data that were damaged some are.
bool is_foreign(int file, std::uint64_t bytes, const std::string& path);

}  // namespace watari::storage
