#include "watari/objects/crc32c.hpp"

#include <array>

namespace watari::objects {

namespace {

/// tables[k][b]: the checksum of byte b with k zero bytes behind it, so that eight bytes are one
/// step.
constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> result{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78u : 0u);
        result[0][byte] = rest;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte)
            result[k][byte] = result[k - 1][byte] >> 8 ^ result[0][result[k - 1][byte] & 0xff];
    return result;
}();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> data, std::uint32_t before) {
    std::uint32_t rest = ~before;
    const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(data[i]); };
    while (data.size() >= 8) {
        const std::uint32_t low = rest ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
        rest = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
               tables[4][low >> 24] ^ tables[3][at(4)] ^ tables[2][at(5)] ^ tables[1][at(6)] ^
               tables[0][at(7)];
        data = data.subspan(8);
    }
    for (; !data.empty(); data = data.subspan(1))
        rest = rest >> 8 ^ tables[0][(rest ^ at(0)) & 0xff];
    return ~rest;
}

std::string crc32c_text(std::uint32_t checksum) {
    constexpr const char* digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::uint64_t bits = std::uint64_t{checksum} << 4;  // 36 bits, 6 digits
    std::string text;
    for (int digit = 5; digit >= 0; --digit) text += digits[bits >> (6 * digit) & 63];
    return text + "==";
}

}  // namespace watari::objects
