#include "watari/objects/service/sha256.hpp"

#include <bit>
#include <cstring>

namespace watari::objects {

namespace {

constexpr std::size_t block_bytes = 64;

// FIPS 180-4, 4.2.2: fractions of the cube roots of the first 64 primes
constexpr std::uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class hasher {
public:
    void add(std::string_view text) {
        bytes_ += text.size();
        while (!text.empty()) {
            const std::size_t taken = std::min(block_bytes - filled_, text.size());
            std::memcpy(block_ + filled_, text.data(), taken);
            text.remove_prefix(taken);
            if ((filled_ += taken) == block_bytes) mix();
        }
    }

    digest finish() {
        const std::uint64_t bits = bytes_ * 8;
        add(std::string_view("\x80", 1));
        if (filled_ > block_bytes - sizeof bits) {
            std::memset(block_ + filled_, 0, block_bytes - filled_);
            mix();
        }
        std::memset(block_ + filled_, 0, block_bytes - filled_);
        for (std::size_t i = 0; i < sizeof bits; ++i)
            block_[block_bytes - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
        mix();
        digest result;
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
        return result;
    }

private:
    void mix() {
        filled_ = 0;
        std::uint32_t w[64];
        for (std::size_t i = 0; i < 16; ++i)
            w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
                   std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
        for (std::size_t i = 16; i < 64; ++i) {
            const std::uint32_t low = w[i - 15], high = w[i - 2];
            w[i] = w[i - 16] + (std::rotr(low, 7) ^ std::rotr(low, 18) ^ low >> 3) + w[i - 7] +
                   (std::rotr(high, 17) ^ std::rotr(high, 19) ^ high >> 10);
        }
        auto [a, b, c, d, e, f, g, h] = state_;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint32_t first = h +
                                        (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                        ((e & f) ^ (~e & g)) + constants[i] + w[i];
            const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                                         ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
        }
        const std::uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
    }

    // FIPS 180-4, 5.3.3
    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::uint8_t block_[block_bytes]{};
    std::size_t filled_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace

digest sha256(std::string_view text) {
    hasher all;
    all.add(text);
    return all.finish();
}

digest hmac_sha256(std::string_view key, std::string_view text) {
    std::string pad(block_bytes, '\0');
    const digest shortened = sha256(key);
    const std::string_view used = key.size() > block_bytes ? as_key(shortened) : key;
    used.copy(pad.data(), used.size());
    for (char& c : pad) c ^= 0x36;
    hasher inner;
    inner.add(pad);
    inner.add(text);
    for (char& c : pad) c ^= 0x36 ^ 0x5c;
    hasher outer;
    outer.add(pad);
    outer.add(as_key(inner.finish()));
    return outer.finish();
}

std::string hex(const digest& bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

}  // namespace watari::objects
