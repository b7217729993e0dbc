/// HTTP by libcurl: several requests in flight from one thread, their bodies into given memory.
///
/// One of curl.cpp and curl_absent.cpp is built. libcurl is loaded when it is first needed.
#pragma once

#include "watari/objects/service/service.hpp"

#include <sys/uio.h>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace watari::objects {

/// The reason why there is no libcurl (not built, not installed, too old); empty if there is one.
std::string curl_absent_reason();

/// `libcurl 7.88.1`
std::string curl_version();

/// The body of one small answer, asked for with this value of `Authorization` if it is not empty.
/// Throws unsupported, service_error.
std::string small_answer(const std::string& url, const std::string& proof);

/// A request. A slot that gets the same `asked` again keeps the settings that follow from it.
struct http_request {
    std::string method = "GET";
    std::shared_ptr<const signed_question> asked{};
    std::string_view body{};
    std::string range{};  ///< `0-9`, for the header Range
    /// For the body of an answer of that range. Bytes of a piece without a place are thrown away.
    std::span<const iovec> into{};
};

/// again: another attempt may succeed.
enum class http_failure { none, again, final };

struct http_answer {
    http_failure failure = http_failure::none;  ///< of the connection
    std::string why{};
    long status = 0;
    name_values fields{};   ///< headers that matter here, names in lower case
    std::string text{};     ///< the body, unless it went to `into`; its first 4 MiB
    std::size_t moved = 0;  ///< bytes that went to `into`
    bool longer = false;    ///< the body was longer than `into`, and its transfer was ended

    std::string field(std::string_view name) const {
        for (const auto& [each, value] : fields)
            if (each == name) return value;
        return "";
    }
};

class http {
public:
    /// `patience`: seconds without a byte before a request is given up. Throws unsupported.
    http(std::size_t slots, unsigned patience, bool to_this_machine);
    http(const http&) = delete;
    http& operator=(const http&) = delete;
    ~http();  ///< ends what is in flight, so that nothing is written into memory after it

    /// Starts a request in a slot that has none. What it refers to must stay until the slot ended.
    void start(std::size_t slot, const http_request& request);

    /// Waits until a slot ended, or for so many seconds. Returns the slots that ended.
    std::span<const std::size_t> wait(double seconds);

    /// The answer of a slot that ended, until its next request.
    http_answer& answer(std::size_t slot);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace watari::objects
