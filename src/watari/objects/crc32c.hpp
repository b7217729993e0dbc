/// CRC-32C (Castagnoli, reflected polynomial 82f63b78), the checksum of parts and objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace watari::objects {

/// Continues `before`, the checksum of the bytes in front; 0 at the start.
std::uint32_t crc32c(std::span<const std::byte> data, std::uint32_t before = 0);

/// As a header of S3 has it: the four bytes, highest first, in base 64.
std::string crc32c_text(std::uint32_t checksum);

}  // namespace watari::objects
