/// Where objects are, and who asks: the server, the region and the credentials of a process.
#pragma once

#include "watari/objects/service/address.hpp"
#include "watari/objects/service/credentials.hpp"
#include "watari/objects/service/signer.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace watari::objects {

/// How requests are made.
struct settings {
    bool insecure = false;             ///< allow plain http to other machines
    unsigned attempts = 6;             ///< of a request, the first included
    double first_pause = 0.1;          ///< seconds; doubles at each attempt, and is cut at random
    double longest_pause = 20;         ///< seconds
    std::optional<std::size_t> gap{};  ///< of a read: see suited_gap; by default what suits
    unsigned lanes = 0;                ///< threads of a read; 0: as many as suit this machine
    unsigned patience = 30;            ///< seconds without a byte before an attempt is given up

    /// The defaults, with AWS_MAX_ATTEMPTS and WATARI_INSECURE=1 of the environment. Throws
    /// usage_error.
    static settings usual();
};

/// One request for an object or bucket.
struct question {
    std::string method;
    address object;
    name_values query{}, headers{};
    std::string_view body{};
    bool signed_body = false;  ///< sign the body's hash; else the signature leaves the body out
};

/// A request as it is sent: its URL and its lines of headers.
struct signed_question {
    std::string url;
    std::vector<std::string> headers;
};

class service {
public:
    /// The server of a bucket, from the environment and the profile: AWS_ENDPOINT_URL_S3,
    /// AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION. Throws usage_error.
    service(const std::string& bucket, const settings& how);

    const settings& how() const noexcept { return how_; }
    const url_parts& base() const noexcept { return server_.base; }

    /// Signs a request, if there are credentials. Renews credentials that end soon. Throws
    /// service_error if they cannot be renewed.
    signed_question sign(const question& asked) const;

    /// For a redirect to `url`: as `sign` on the same origin, and without signature, token or any
    /// other header of S3 elsewhere. Throws service_error for a redirect from https to http.
    signed_question redirected(const question& asked, const url_parts& from,
                               const url_parts& to) const;

    /// Where the credentials are from, for messages.
    std::string who() const;
    std::string without_secrets(const std::string& text) const;

private:
    credentials current() const;
    signed_question signed_for(const question& asked, const url_parts& url) const;

    settings how_;
    std::string region_;
    endpoint server_;
    mutable std::mutex mutex_;
    mutable credentials credentials_;
};

}  // namespace watari::objects
