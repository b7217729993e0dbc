#include "watari/objects/object_set.hpp"

#include "watari/objects/service/errors.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <thread>

namespace watari::objects {

namespace {

std::uint64_t length_in(const http_answer& answer, const std::string& name) {
    const std::string text = answer.field("content-length");
    std::uint64_t bytes = 0;
    const char* end = text.data() + text.size();
    const auto [ptr, failed] = std::from_chars(text.data(), end, bytes);
    if (text.empty() || ptr != end || failed != std::errc())
        throw service_error(name + ": the server does not say how long it is");
    return bytes;
}

std::string bucket_of(const std::vector<std::string>& urls) {
    if (urls.empty()) throw usage_error("a set of objects has at least one");
    return object_address(urls.front()).bucket;
}

}  // namespace

std::size_t suited_depth(const service& server) {
    if (!is_loopback(server.base().name())) return remote_depth;
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), local_depth, remote_depth);
}

std::size_t suited_gap(const service& server) {
    return server.how().gap.value_or(is_loopback(server.base().name()) ? local_gap : remote_gap);
}

std::size_t suited_gap(const std::string& url) {
    return suited_gap(service(object_address(url).bucket, settings::usual()));
}

address object_address(const std::string& url) {
    address result = parse_address(url);
    if (result.key.empty()) throw usage_error("'" + url + "' names a bucket, not an object in it");
    return result;
}

/// An answer to HEAD has no words, so that after an error the first object is asked for by GET.
std::vector<object_facts> ask_facts(const std::shared_ptr<const service>& server,
                                    std::span<const address> all) {
    const std::size_t depth = std::min(all.size(), suited_depth(*server));
    std::vector<object_facts> result(all.size());
    transfers connections(server, depth);
    std::size_t next = 0;
    try {
        for (std::size_t done = 0; done < all.size();) {
            for (; next < all.size() && connections.under_way() < depth; ++next)
                connections.push({.method = "HEAD", .object = all[next]}, next);
            for (const ended_transfer& each : connections.wait()) {
                const address& where = all[each.tag];
                result[each.tag] = {where, length_in(each.answer, where.text()),
                                    each.answer.field("etag")};
                ++done;
            }
        }
    } catch (const file_error&) {
        transfers(server, 1).ask(
            {.method = "GET", .object = all.front(), .headers = {{"Range", "bytes=0-0"}}});
        throw;
    }
    return result;
}

object_set::object_set(const std::vector<std::string>& urls, const settings& how)
    : server_(std::make_shared<service>(bucket_of(urls), how)) {
    std::vector<address> all;
    for (const std::string& url : urls) {
        all.push_back(object_address(url));
        if (all.back().bucket != all.front().bucket)
            throw usage_error(url + " is in another bucket than " + urls.front());
    }
    facts_ = ask_facts(server_, all);
}

}  // namespace watari::objects
