#include "watari/objects/service/address.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <cctype>

namespace watari::objects {

namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

bool is_bucket(std::string_view name) {
    return name.size() >= 3 && name.size() <= 63 &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_plain(c) && c != '~'; });
}

}  // namespace

address parse_address(std::string_view text) {
    if (!is_address(text)) throw usage_error("an object is s3://bucket/key");
    const std::string_view rest = text.substr(address_prefix.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view bucket = rest.substr(0, slash);
    if (bucket.find('@') != bucket.npos || bucket.find(':') != bucket.npos)
        throw usage_error("an address s3://... has no user, password or port; see docs/objects.md");
    if (!is_bucket(bucket))
        throw usage_error("'" + std::string(text) +
                          "' has no bucket: 3 to 63 letters, digits, '-', '.' or '_'");
    const std::string_view key = rest.substr(std::min(slash + 1, rest.size()));
    if (key.size() > 1024 || key.find('\0') != key.npos)
        throw usage_error("a key has at most 1024 bytes, and none is zero");
    if (key.find("X-Amz-Signature=") != key.npos)
        throw usage_error("an address has no signature: s3://bucket/key, and credentials as usual");
    // libcurl and servers would remove such a step from the path
    for (std::string_view left = key; !left.empty();) {
        const std::size_t end = std::min(left.find('/'), left.size());
        if (left.substr(0, end) == "." || left.substr(0, end) == "..")
            throw usage_error("'" + std::string(text) + "': a key with a step '.' or '..'");
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return {std::string(bucket), std::string(key)};
}

std::string percent_encoded(std::string_view text, bool keep_slash) {
    std::string result;
    for (const char c : text) {
        if (is_plain(c) || (keep_slash && c == '/')) {
            result += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        result += '%';
        result += "0123456789ABCDEF"[byte >> 4];
        result += "0123456789ABCDEF"[byte & 15];
    }
    return result;
}

std::string url_parts::name() const {
    if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
    return host.substr(0, host.find(':'));
}

url_parts parse_url(std::string_view text) {
    url_parts result;
    const std::size_t colon = text.find("://");
    result.scheme = text.substr(0, std::min(colon, text.size()));
    if (colon == text.npos || (result.scheme != "http" && result.scheme != "https"))
        throw usage_error("the URL of a server begins with https:// or http://");
    std::string_view rest = text.substr(colon + 3);
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    result.host = rest.substr(0, end);
    if (result.host.empty() || result.host.find('@') != std::string::npos)
        throw usage_error("the URL of a server has a host, and no user or password");
    rest.remove_prefix(end);
    rest = rest.substr(0, rest.find('#'));
    const std::size_t question = std::min(rest.find('?'), rest.size());
    result.path = rest.substr(0, question);
    result.query = rest.substr(std::min(question + 1, rest.size()));
    return result;
}

bool is_loopback(std::string_view name) {
    if (name == "localhost" || name == "::1") return true;
    return name.starts_with("127.") && std::count(name.begin(), name.end(), '.') == 3 &&
           name.find_first_not_of("0123456789.") == name.npos;
}

void require_safe(const url_parts& url, bool insecure) {
    if (url.scheme == "https" || insecure || is_loopback(url.name())) return;
    throw usage_error("http://" + url.name() +
                      ": plain http shows requests and data to the network; use https, or allow "
                      "it by --insecure or WATARI_INSECURE=1");
}

url_parts endpoint::url_of(const address& object) const {
    url_parts result = base;
    while (result.path.ends_with('/')) result.path.pop_back();
    if (path_style)
        result.path += "/" + object.bucket;
    else
        result.host = object.bucket + "." + result.host;
    if (!object.key.empty() || !path_style) result.path += "/" + percent_encoded(object.key, true);
    return result;
}

endpoint amazon(const std::string& region, const std::string& bucket) {
    const std::string domain = region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com";
    // a certificate covers one label before the domain, and hosts have no upper case
    const bool a_label = std::all_of(bucket.begin(), bucket.end(), [](char c) {
        return std::islower(static_cast<unsigned char>(c)) ||
               std::isdigit(static_cast<unsigned char>(c)) || c == '-';
    });
    return {{"https", "s3." + region + domain, "", ""}, !a_label};
}

}  // namespace watari::objects
