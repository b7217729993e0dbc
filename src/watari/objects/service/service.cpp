#include "watari/objects/service/service.hpp"

#include "watari/objects/service/errors.hpp"
#include "watari/objects/service/profile.hpp"

#include <charconv>
#include <ctime>
#include <initializer_list>

namespace watari::objects {

namespace {

std::string first_of(std::initializer_list<std::string> values) {
    for (const std::string& value : values)
        if (!value.empty()) return value;
    return "";
}

std::string region_of(const profile& values) {
    const std::string region = first_of({variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"),
                                         value_of(values, "region"), "us-east-1"});
    for (const char c : region)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-')
            throw usage_error("AWS_REGION is letters, digits and '-'");
    return region;
}

endpoint endpoint_of(const profile& values, const std::string& region, const std::string& bucket) {
    const std::string url = first_of({variable("AWS_ENDPOINT_URL_S3"), variable("AWS_ENDPOINT_URL"),
                                      value_of(values, "endpoint_url")});
    return url.empty() ? amazon(region, bucket) : endpoint{parse_url(url), true};
}

}  // namespace

settings settings::usual() {
    settings result;
    result.insecure = variable("WATARI_INSECURE") == "1";
    const std::string text = variable("AWS_MAX_ATTEMPTS");
    if (text.empty()) return result;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, result.attempts).ptr != end || result.attempts < 1 ||
        result.attempts > 100)
        throw usage_error("AWS_MAX_ATTEMPTS is a number from 1 to 100");
    return result;
}

service::service(const std::string& bucket, const settings& how) : how_(how) {
    const profile values = chosen_profile();
    region_ = region_of(values);
    server_ = endpoint_of(values, region_, bucket);
    require_safe(server_.base, how.insecure);
    credentials_ = find_credentials();
}

credentials service::current() const {
    const std::lock_guard lock(mutex_);
    if (credentials_.stale(std::time(nullptr))) credentials_ = find_credentials();
    return credentials_;
}

signed_question service::sign(const question& asked) const {
    return signed_for(asked, server_.url_of(asked.object));
}

signed_question service::signed_for(const question& asked, const url_parts& url) const {
    const credentials who = current();
    const std::string query = canonical_query(asked.query);
    signed_question result{url.origin() + url.path + (query.empty() ? "" : "?" + query), {}};
    const auto add = [&](const std::string& name, const std::string& value) {
        result.headers.push_back(name + ": " + value);
    };
    for (const auto& [name, value] : asked.headers) add(name, value);
    if (who.empty()) return result;
    const std::string when = amz_date(std::time(nullptr));
    const std::string payload = asked.body.empty()  ? empty_payload
                                : asked.signed_body ? hex(sha256(asked.body))
                                                    : unsigned_payload;
    name_values own{{"x-amz-content-sha256", payload}, {"x-amz-date", when}};
    if (!who.token.empty()) own.emplace_back("x-amz-security-token", who.token);
    signed_parts parts{asked.method, url.path, asked.query, own, payload};
    parts.headers.emplace_back("host", url.host);
    for (const auto& [name, value] : asked.headers)
        if (name.starts_with("x-amz-")) parts.headers.emplace_back(name, value);
    for (const auto& [name, value] : own) add(name, value);
    add("Authorization", authorization(parts, who.id, who.secret, when, region_));
    return result;
}

signed_question service::redirected(const question& asked, const url_parts& from,
                                    const url_parts& to) const {
    if (from.scheme == "https" && to.scheme != "https")
        throw service_error("the server redirects from https to http, to " + to.name());
    require_safe(to, how_.insecure);
    if (to.origin() == server_.url_of(asked.object).origin() &&
        to.query == canonical_query(asked.query))
        return signed_for(asked, to);
    signed_question result{to.origin() + to.path + (to.query.empty() ? "" : "?" + to.query), {}};
    for (const auto& [name, value] : asked.headers)
        if (!name.starts_with("x-amz-")) result.headers.push_back(name + ": " + value);
    return result;
}

std::string service::who() const {
    const std::lock_guard lock(mutex_);
    return credentials_.empty()
               ? "no credentials are in the environment, in a profile, or from a container"
               : "credentials of " + credentials_.place;
}

std::string service::without_secrets(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return credentials_.without_secrets(text);
}

}  // namespace watari::objects
