/// Signatures of requests: AWS Signature Version 4, in the header `Authorization`.
///
/// Source: AWS, "Create a signed AWS API request" (IAM User Guide) and "Authenticating Requests:
/// Using the Authorization Header" (Amazon S3 API Reference).
#pragma once

#include "watari/objects/service/sha256.hpp"

#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace watari::objects {

using name_values = std::vector<std::pair<std::string, std::string>>;

/// The hash of a body that is not signed, and of one without bytes.
inline constexpr const char* unsigned_payload = "UNSIGNED-PAYLOAD";
inline constexpr const char* empty_payload =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct signed_parts {
    std::string method;
    std::string path;     ///< encoded as it is sent
    name_values query{};  ///< not encoded, in any order
    name_values headers;  ///< those that are signed, in any order; `host` and `x-amz-date` too
    std::string payload;  ///< the hash of the body
};

/// The query as it is sent and signed: encoded and sorted.
std::string canonical_query(const name_values& query);

/// `20130524T000000Z`
std::string amz_date(std::time_t when);

/// The key of a day, region and service, which a signer keeps.
digest signing_key(std::string_view secret, std::string_view date, std::string_view region,
                   std::string_view service);

/// The value of `Authorization`. `when` is the value of `x-amz-date`.
std::string authorization(const signed_parts& request, std::string_view id, std::string_view secret,
                          std::string_view when, std::string_view region,
                          std::string_view service = "s3");

}  // namespace watari::objects
