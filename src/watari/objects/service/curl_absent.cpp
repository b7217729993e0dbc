#include "watari/core/error.hpp"
#include "watari/objects/service/curl.hpp"

namespace watari::objects {

struct http::state {};

std::string curl_absent_reason() {
    return "this build has no libcurl (libcurl4-openssl-dev, WATARI_CURL)";
}

std::string curl_version() { return ""; }

std::string small_answer(const std::string&, const std::string&) {
    throw unsupported(curl_absent_reason());
}

http::http(std::size_t, unsigned, bool) { throw unsupported(curl_absent_reason()); }
http::~http() = default;
void http::start(std::size_t, const http_request&) {}
std::span<const std::size_t> http::wait(double) { return {}; }
http_answer& http::answer(std::size_t) { throw unsupported(curl_absent_reason()); }

}  // namespace watari::objects
