/// Objects of one bucket that are read as one store, such as the chunks of an array: their sizes
/// and versions, as they were when the set was opened.
#pragma once

#include "watari/objects/transfers.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace watari::objects {

/// Requests in flight: many hide the way to another machine. A server on this machine shares its
/// CPUs, and more requests than they work on only wait: one for each CPU, and at least these.
inline constexpr std::size_t remote_depth = 32, local_depth = 10;

/// The number of these that suits a server.
std::size_t suited_depth(const service& server);

/// Bytes between two ranges, at most, that are received and thrown away to save a request
/// (plan.hpp): also what a request costs where orders of reads are compared. On this machine
/// requests are cheap; a server that answers after 30 ms, with 32 in flight and 10 Gb/s, has 1.2
/// MB.
inline constexpr std::size_t remote_gap = std::size_t{1} << 20, local_gap = std::size_t{1} << 18;

/// The gap that the user chose, or the one that suits a server, or that of this bucket.
std::size_t suited_gap(const service& server);
std::size_t suited_gap(const std::string& url);

/// The address of an object. Throws usage_error, also for the address of a bucket.
address object_address(const std::string& url);

/// Asks for sizes and ETags, several at a time. Throws file_error (missing, denied), service_error,
/// unsupported.
std::vector<object_facts> ask_facts(const std::shared_ptr<const service>& server,
                                    std::span<const address> all);

class object_set {
public:
    /// Throws usage_error for no objects, or those of two buckets; what ask_facts throws.
    explicit object_set(const std::vector<std::string>& urls,
                        const settings& how = settings::usual());

    std::size_t count() const noexcept { return facts_.size(); }
    const object_facts& facts(std::size_t number) const { return facts_[number]; }
    std::size_t depth() const { return suited_depth(*server_); }

    /// Connections for a user that keeps many ranges in flight by itself.
    std::unique_ptr<transfers> connect(std::size_t depth) const {
        return std::make_unique<transfers>(server_, depth);
    }

private:
    std::shared_ptr<const service> server_;
    std::vector<object_facts> facts_;
};

}  // namespace watari::objects
