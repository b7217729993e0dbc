#include "watari/objects/service/signer.hpp"

#include "watari/objects/service/address.hpp"

#include <algorithm>
#include <cctype>

namespace watari::objects {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// Without spaces at the ends, and with one where there were several.
std::string trimmed(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
    while (result.ends_with(' ')) result.pop_back();
    return result;
}

struct canonical {
    std::string headers, names;
};

canonical canonical_headers(const name_values& headers) {
    name_values sorted;
    for (const auto& [name, value] : headers) sorted.emplace_back(lower(name), trimmed(value));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    canonical result;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& [name, value] = sorted[i];
        if (i > 0 && sorted[i - 1].first == name) {  // values of one name are one list
            result.headers.back() = ',';
            result.headers += value + "\n";
            continue;
        }
        result.headers += name + ":" + value + "\n";
        result.names += (result.names.empty() ? "" : ";") + name;
    }
    return result;
}

}  // namespace

std::string canonical_query(const name_values& query) {
    name_values sorted;
    for (const auto& [name, value] : query)
        sorted.emplace_back(percent_encoded(name), percent_encoded(value));
    std::sort(sorted.begin(), sorted.end());
    std::string result;
    for (const auto& [name, value] : sorted)
        result += (result.empty() ? "" : "&") + name + "=" + value;
    return result;
}

std::string amz_date(std::time_t when) {
    std::tm utc{};
    gmtime_r(&when, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc)};
}

digest signing_key(std::string_view secret, std::string_view date, std::string_view region,
                   std::string_view service) {
    digest key = hmac_sha256("AWS4" + std::string(secret), date);
    for (const std::string_view part : {region, service, std::string_view("aws4_request")})
        key = hmac_sha256(as_key(key), part);
    return key;
}

std::string authorization(const signed_parts& request, std::string_view id, std::string_view secret,
                          std::string_view when, std::string_view region,
                          std::string_view service) {
    const auto [headers, names] = canonical_headers(request.headers);
    const std::string text = request.method + "\n" + request.path + "\n" +
                             canonical_query(request.query) + "\n" + headers + "\n" + names + "\n" +
                             request.payload;
    const std::string_view date = when.substr(0, 8);
    const std::string scope = std::string(date) + "/" + std::string(region) + "/" +
                              std::string(service) + "/aws4_request";
    const std::string to_sign =
        "AWS4-HMAC-SHA256\n" + std::string(when) + "\n" + scope + "\n" + hex(sha256(text));
    const digest key = signing_key(secret, date, region, service);
    return "AWS4-HMAC-SHA256 Credential=" + std::string(id) + "/" + scope +
           ", SignedHeaders=" + names + ", Signature=" + hex(hmac_sha256(as_key(key), to_sign));
}

}  // namespace watari::objects
