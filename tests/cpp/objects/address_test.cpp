#include "watari/objects/service/address.hpp"

#include "errors.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>
#include <string>

namespace watari::objects {

namespace {

TEST(Address, HasBucketAndKey) {
    const address found = parse_address("s3://data-1/a b/C.npy");
    EXPECT_EQ(found.bucket, "data-1");
    EXPECT_EQ(found.key, "a b/C.npy");
    EXPECT_EQ(found.text(), "s3://data-1/a b/C.npy");
    EXPECT_EQ(parse_address("s3://data").key, "");
}

TEST(Address, IsRefusedWithoutRepeatingAPassword) {
    for (const char* wrong : {"s3://", "s3:///key", "s3://ab/key", "http://bucket/key",
                              "s3://bucket/a/../b", "s3://bucket/..", "s3://bu cket/key"})
        EXPECT_THROW(parse_address(wrong), usage_error) << wrong;
    for (const char* secret : {"s3://id:hunter2@bucket/key", "s3://hunter2@bucket/key",
                               "s3://bucket/key?X-Amz-Signature=hunter2"}) {
        const std::string text = message_of<usage_error>([&] { parse_address(secret); });
        EXPECT_FALSE(text.empty()) << secret;
        EXPECT_EQ(text.find("hunter2"), text.npos) << text;
    }
}

TEST(Address, IsEncodedAsS3Does) {
    EXPECT_EQ(percent_encoded("a b/c=d+e$\xC3\xA9~-_."), "a%20b%2Fc%3Dd%2Be%24%C3%A9~-_.");
    EXPECT_EQ(percent_encoded("a/b=", true), "a/b%3D");
}

TEST(Endpoint, NamesTheBucketInHostOrPath) {
    const address object{"data", "x/y z"};
    EXPECT_EQ(amazon("eu-west-1", "data").url_of(object).origin(),
              "https://data.s3.eu-west-1.amazonaws.com");
    EXPECT_EQ(amazon("eu-west-1", "data").url_of(object).path, "/x/y%20z");
    EXPECT_EQ(amazon("eu-west-1", "da.ta").url_of({"da.ta", "x"}).path, "/da.ta/x");
    const endpoint own{parse_url("http://localhost:9000/s3/"), true};
    EXPECT_EQ(own.url_of(object).origin() + own.url_of(object).path,
              "http://localhost:9000/s3/data/x/y%20z");
    EXPECT_EQ(own.url_of({"data", ""}).path, "/s3/data");
}

TEST(Url, OfPlainHttpIsForThisMachine) {
    for (const char* near :
         {"http://localhost:1", "http://127.0.0.1", "http://[::1]:9000", "https://example.org"})
        EXPECT_NO_THROW(require_safe(parse_url(near), false)) << near;
    for (const char* far : {"http://example.org", "http://127.0.0.1.example.org",
                            "http://localhost.example.org", "http://10.0.0.1"}) {
        EXPECT_THROW(require_safe(parse_url(far), false), usage_error) << far;
        EXPECT_NO_THROW(require_safe(parse_url(far), true)) << far;
    }
    EXPECT_THROW(parse_url("ftp://localhost"), usage_error);
    EXPECT_THROW(parse_url("http://user:secret@localhost"), usage_error);
}

}  // namespace

}  // namespace watari::objects
