// The published signatures: AWS's Signature Version 4 test suite (aws-sig-v4-test-suite, the files
// *.authz), and the examples of the Amazon S3 API Reference, "Authenticating Requests: Using the
// Authorization Header (AWS Signature Version 4)", "Transferring Payload in a Single Chunk".
#include "watari/objects/service/signer.hpp"

#include <gtest/gtest.h>
#include <string>

namespace watari::objects {

namespace {

struct published {
    const char* name;
    signed_parts request;
    const char *names, *signature;
};

/// The suite's name, method, path and query, with its headers besides host and x-amz-date.
published of_suite(const char* name, const char* method, const char* path, name_values query,
                   name_values more, const char* names, const char* signature,
                   const std::string& body = "") {
    more.emplace_back("Host", "example.amazonaws.com");
    more.emplace_back("X-Amz-Date", "20150830T123600Z");
    return {name,
            {method, path, std::move(query), std::move(more), hex(sha256(body))},
            names,
            signature};
}

const std::string plain_letters =
    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const std::string long_path = "/" + plain_letters;
// post-sts-token has the token's header among those that are signed
const char* const token =
    "AQoDYXdzEPT//////////"
    "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx"
    "7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8"
    "Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYv"
    "KTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

const published suite[] = {
    of_suite("get-vanilla", "GET", "/", {}, {}, "host;x-amz-date",
             "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    of_suite("get-vanilla-query-order-key-case", "GET", "/",
             {{"Param2", "value2"}, {"Param1", "value1"}}, {}, "host;x-amz-date",
             "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    of_suite("get-vanilla-query-unreserved", "GET", "/", {{plain_letters, plain_letters}}, {},
             "host;x-amz-date", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    of_suite("get-unreserved", "GET", long_path.c_str(), {}, {}, "host;x-amz-date",
             "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    of_suite("get-utf8", "GET", "/%E1%88%B4", {}, {}, "host;x-amz-date",
             "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    of_suite("get-space", "GET", "/example%20space/", {}, {}, "host;x-amz-date",
             "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    of_suite("get-header-value-trim", "GET", "/", {},
             {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
             "host;my-header1;my-header2;x-amz-date",
             "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    of_suite("get-header-key-duplicate", "GET", "/", {},
             {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
             "host;my-header1;x-amz-date",
             "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    of_suite("post-vanilla", "POST", "/", {}, {}, "host;x-amz-date",
             "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    of_suite("post-sts-header-before", "POST", "/", {}, {{"X-Amz-Security-Token", token}},
             "host;x-amz-date;x-amz-security-token",
             "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    of_suite("post-x-www-form-urlencoded", "POST", "/", {},
             {{"Content-Type", "application/x-www-form-urlencoded"}},
             "content-type;host;x-amz-date",
             "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a", "Param1=value1"),
};

TEST(Signer, GivesTheSignaturesOfTheSuite) {
    for (const published& each : suite)
        EXPECT_EQ(
            authorization(each.request, "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                          "20150830T123600Z", "us-east-1", "service"),
            std::string("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/"
                        "aws4_request, SignedHeaders=") +
                each.names + ", Signature=" + each.signature)
            << each.name;
}

/// An example of the S3 reference; `more` are its headers besides these three.
published of_s3(const char* name, const char* method, const char* path, name_values query,
                name_values more, const char* names, const char* signature,
                const std::string& body = "") {
    const std::string payload = hex(sha256(body));
    more.emplace_back("Host", "examplebucket.s3.amazonaws.com");
    more.emplace_back("x-amz-date", "20130524T000000Z");
    more.emplace_back("x-amz-content-sha256", payload);
    return {name, {method, path, std::move(query), std::move(more), payload}, names, signature};
}

const published examples[] = {
    of_s3("GET Object", "GET", "/test.txt", {}, {{"Range", "bytes=0-9"}},
          "host;range;x-amz-content-sha256;x-amz-date",
          "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    of_s3(
        "PUT Object", "PUT", "/test%24file.text", {},
        {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        "Welcome to Amazon S3."),
    of_s3("GET Bucket Lifecycle", "GET", "/", {{"lifecycle", ""}}, {},
          "host;x-amz-content-sha256;x-amz-date",
          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    of_s3("Get Bucket (List Objects)", "GET", "/", {{"prefix", "J"}, {"max-keys", "2"}}, {},
          "host;x-amz-content-sha256;x-amz-date",
          "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
};

TEST(Signer, GivesTheSignaturesOfTheS3Reference) {
    for (const published& each : examples)
        EXPECT_EQ(authorization(each.request, "AKIAIOSFODNN7EXAMPLE",
                                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "20130524T000000Z",
                                "us-east-1"),
                  std::string("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"
                              "us-east-1/s3/aws4_request, SignedHeaders=") +
                      each.names + ", Signature=" + each.signature)
            << each.name;
}

TEST(Signer, WritesDatesInUtc) { EXPECT_EQ(amz_date(1440938160), "20150830T123600Z"); }

}  // namespace

}  // namespace watari::objects
