#include "watari/objects/service/credentials.hpp"

#include "watari/core/text_file.hpp"
#include "watari/objects/service/address.hpp"
#include "watari/objects/service/curl.hpp"
#include "watari/objects/service/errors.hpp"
#include "watari/objects/service/profile.hpp"

#include <array>
#include <optional>
#include <utility>

namespace watari::objects {

namespace {

constexpr const char* export_them =
    "; `aws configure export-credentials --format env` prints variables that are read";

credentials of_environment() {
    credentials found{.id = variable("AWS_ACCESS_KEY_ID"),
                      .secret = variable("AWS_SECRET_ACCESS_KEY"),
                      .token = variable("AWS_SESSION_TOKEN"),
                      .place = "the environment"};
    if (found.id.empty() != found.secret.empty())
        throw usage_error("of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set");
    return found;
}

credentials of_profile() {
    const profile values = chosen_profile();
    const std::string name = profile_name();
    credentials found{.id = value_of(values, "aws_access_key_id"),
                      .secret = value_of(values, "aws_secret_access_key"),
                      .token = value_of(values, "aws_session_token"),
                      .place = "profile " + name};
    if (found.id.empty() != found.secret.empty())
        throw usage_error("profile " + name +
                          " has only one of aws_access_key_id and aws_secret_access_key");
    for (const char* other : {"credential_process", "sso_session", "sso_start_url", "role_arn"})
        if (found.id.empty() && values.contains(other))
            throw usage_error("profile " + name + " takes its credentials from " + other +
                              ", which is not read" + export_them);
    return found;
}

/// A string of a flat JSON object; nullopt if it has no such name.
std::optional<std::string> json_text(std::string_view json, const std::string& name) {
    std::size_t at = json.find("\"" + name + "\"");
    if (at == json.npos) return std::nullopt;
    at = json.find_first_not_of(" \t\r\n", at + name.size() + 2);
    if (at == json.npos || json[at] != ':') return std::nullopt;
    at = json.find_first_not_of(" \t\r\n", at + 1);
    if (at == json.npos || json[at] != '"') return std::nullopt;
    std::string text;
    for (++at; at < json.size() && json[at] != '"'; ++at) {
        if (json[at] == '\\' && ++at == json.size()) return std::nullopt;
        text += json[at];
    }
    return text;
}

/// Seconds since 1970 of `2026-11-26T07:00:00Z`; 0 if the text is something else.
std::time_t seconds_of(const std::string& text) {
    std::tm utc{};
    return strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) ? timegm(&utc) : 0;
}

/// Only these hosts may be asked in plain http, as by the AWS tools: this machine, and the
/// addresses at which ECS and EKS answer their own containers.
bool is_container_host(const std::string& name) {
    return is_loopback(name) || name == "169.254.170.2" || name == "169.254.170.23" ||
           name == "fd00:ec2::23";
}

/// A line break in a header would begin another one.
void require_plain(const std::string& value, const std::string& where) {
    for (const char c : value)
        if (static_cast<unsigned char>(c) <= ' ' || c == 127)
            throw usage_error(where + ": a value has a blank or a line break in it");
}

credentials of_container() {
    const std::string relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const std::string full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    if (relative.empty() && full.empty()) return {};
    const std::string url = relative.empty() ? full : "http://169.254.170.2" + relative;
    const url_parts parts = parse_url(url);
    if (parts.scheme != "https" && !is_container_host(parts.name()))
        throw usage_error(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI: plain http only to this machine or "
            "to the server of ECS or EKS");
    std::string proof = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (const std::string file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        !file.empty()) {
        const std::optional<std::string> text = text_of(file);
        if (!text)
            throw usage_error(
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names a file that cannot be "
                "read");
        proof = *text;
    }
    while (proof.ends_with('\n') || proof.ends_with('\r')) proof.pop_back();
    require_plain(proof, "the token of the container's server");
    credentials found = parse_container(small_answer(url, proof));
    found.place = "the container's server";
    return found;
}

credentials plain(credentials found) {
    for (const std::string* value : {&found.id, &found.secret, &found.token})
        require_plain(*value, "credentials of " + found.place);
    return found;
}

}  // namespace

std::string credentials::without_secrets(std::string text) const {
    for (const std::string* value : {&secret, &token, &id})
        for (std::size_t at = 0; !value->empty() && (at = text.find(*value, at)) != text.npos;)
            text.replace(at, value->size(), "...");
    return text;
}

credentials parse_container(std::string_view json) {
    const auto id = json_text(json, "AccessKeyId"), secret = json_text(json, "SecretAccessKey");
    if (!id || !secret || id->empty() || secret->empty())
        throw service_error("the container's server answered without credentials");
    return {.id = *id,
            .secret = *secret,
            .token = json_text(json, "Token").value_or(""),
            .expires = seconds_of(json_text(json, "Expiration").value_or("")),
            .place = ""};
}

credentials find_credentials() {
    if (credentials found = of_environment(); !found.empty()) return plain(found);
    if (credentials found = of_profile(); !found.empty()) return plain(found);
    return plain(of_container());
}

}  // namespace watari::objects
