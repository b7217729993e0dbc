/// Addresses of objects, s3://bucket/key, and the URLs at which a server has them.
#pragma once

#include <string>
#include <string_view>

namespace watari::objects {

inline constexpr std::string_view address_prefix = "s3://";

struct address {
    std::string bucket, key;
    std::string text() const { return std::string(address_prefix) + bucket + "/" + key; }
};

inline bool is_address(std::string_view text) { return text.starts_with(address_prefix); }

/// Parses `s3://bucket/key`; the key may be empty, for a whole bucket. Throws usage_error, whose
/// text never repeats an address that has a user or a password in it.
address parse_address(std::string_view text);

/// As S3 encodes: every byte but letters, digits and -._~ is %XX; a slash stays if `keep_slash`.
std::string percent_encoded(std::string_view text, bool keep_slash = false);

/// The parts of a URL: `https://host:9000/path?query`.
struct url_parts {
    std::string scheme, host, path, query;  ///< the host with its port; the path as it stands
    std::string origin() const { return scheme + "://" + host; }
    /// The host without its port and brackets.
    std::string name() const;
};

/// Throws usage_error for text that is no http or https URL, or has a user or password in it.
url_parts parse_url(std::string_view text);

/// Whether a host's name is this machine: localhost, 127.x.x.x, ::1.
bool is_loopback(std::string_view name);

/// Throws usage_error for plain http to another machine, unless `insecure`.
void require_safe(const url_parts& url, bool insecure);

/// A server of objects.
struct endpoint {
    url_parts base;
    bool path_style = true;  ///< https://host/bucket/key; else https://bucket.host/key

    /// Host and encoded path of an object, as they are signed and requested.
    url_parts url_of(const address& object) const;
};

/// The endpoint of Amazon S3 in a region.
endpoint amazon(const std::string& region, const std::string& bucket);

}  // namespace watari::objects
