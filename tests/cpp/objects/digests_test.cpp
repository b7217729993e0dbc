#include "watari/objects/crc32c.hpp"
#include "watari/objects/service/sha256.hpp"

#include <gtest/gtest.h>
#include <string>

namespace watari::objects {

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

// NIST, "Examples with Intermediate Values", SHA-256
TEST(Sha256, GivesTheDigestsThatNistPublishes) {
    EXPECT_EQ(hex(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 4231, test cases 1, 2 and 6
TEST(Sha256, GivesTheMacsOfRfc4231) {
    EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                              "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// RFC 3720, B.4
TEST(Crc32c, GivesTheChecksumsOfRfc3720) {
    EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8a9136aau);
    EXPECT_EQ(crc32c(bytes_of(std::string(32, '\xff'))), 0x62a8ab43u);
    std::string rising;
    for (char i = 0; i < 32; ++i) rising += i;
    EXPECT_EQ(crc32c(bytes_of(rising)), 0x46dd794eu);
}

TEST(Crc32c, ContinuesAtAnyByte) {
    const std::string text = "123456789";
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
        EXPECT_EQ(crc32c(bytes_of(text.substr(cut)), crc32c(bytes_of(text.substr(0, cut)))),
                  0xe3069283u);
    EXPECT_EQ(crc32c_text(0xe3069283u), "4waSgw==");
}

}  // namespace

}  // namespace watari::objects
