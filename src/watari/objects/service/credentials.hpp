/// Credentials from the usual places: the environment, the files of the AWS tools, or the server of
/// a container. No place beyond: no instance metadata (docs/objects.md says why).
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace watari::objects {

/// Never printed, and in no message. Empty: requests are not signed.
struct credentials {
    std::string id, secret, token;
    std::time_t expires = 0;  ///< 0: never
    std::string place;        ///< where they were found, for messages

    bool empty() const { return id.empty(); }
    /// Whether they end within five minutes.
    bool stale(std::time_t now) const { return expires != 0 && now + 300 >= expires; }
    /// The text with each of the three values replaced.
    std::string without_secrets(std::string text) const;
};

/// Looks in each place; empty if none has any. Throws usage_error for half a pair, for a profile
/// that names a source which is not read, and for a container's URL that is not safe;
/// service_error if the container's server does not answer.
credentials find_credentials();

/// Parses the answer of a container's server. Throws service_error.
credentials parse_container(std::string_view json);

}  // namespace watari::objects
