/// SHA-256 (FIPS 180-4) and HMAC (RFC 2104), for signatures of short texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace watari::objects {

using digest = std::array<std::uint8_t, 32>;

digest sha256(std::string_view text);
digest hmac_sha256(std::string_view key, std::string_view text);

/// The bytes of a digest as text, for use as a key.
inline std::string_view as_key(const digest& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Lower-case hexadecimal digits.
std::string hex(const digest& bytes);

}  // namespace watari::objects
