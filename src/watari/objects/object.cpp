#include "watari/objects/object.hpp"

#include "watari/objects/answers.hpp"
#include "watari/objects/crc32c.hpp"
#include "watari/objects/errors.hpp"

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <optional>

namespace watari::objects {

namespace {

address object_address(const std::string& url) {
    address result = parse_address(url);
    if (result.key.empty()) throw usage_error("'" + url + "' names a bucket, not an object in it");
    return result;
}

std::uint64_t length_in(const http_answer& answer, const std::string& name) {
    const std::string text = answer.field("content-length");
    std::uint64_t bytes = 0;
    const char* end = text.data() + text.size();
    if (text.empty() || std::from_chars(text.data(), end, bytes).ptr != end)
        throw service_error(name + ": the server does not say how long it is");
    return bytes;
}

/// Asks for size and ETag. An answer to HEAD has no words, so that an error is asked for once more
/// by GET.
object_facts ask_facts(const std::shared_ptr<const service>& server, const address& where) {
    transfers connection(server, 1);
    try {
        const http_answer answer = connection.ask({.method = "HEAD", .object = where});
        return {where, length_in(answer, where.text()), answer.field("etag")};
    } catch (const file_error&) {
        transfers(server, 1).ask(
            {.method = "GET", .object = where, .headers = {{"Range", "bytes=0-0"}}});
        throw;
    }
}

/// The checksum that the server keeps of a whole object, if it keeps one by CRC-32C.
void require_checksum(const object_facts& of, const planned_read& read, const http_answer& answer) {
    const std::string expected = answer.field("x-amz-checksum-crc32c");
    if (read.bytes != of.bytes || expected.empty() || expected.find('-') != expected.npos) return;
    std::uint32_t checksum = 0;
    for (const iovec& piece : read.into)
        checksum = crc32c({static_cast<const std::byte*>(piece.iov_base), piece.iov_len}, checksum);
    if (crc32c_text(checksum) != expected)
        throw service_error(of.where.text() + ": its CRC-32C is " + crc32c_text(checksum) +
                            ", but the server keeps " + expected);
}

}  // namespace

object::object(const std::string& url, const settings& how) {
    const address where = object_address(url);
    server_ = std::make_shared<service>(where.bucket, how);
    facts_ = ask_facts(server_, where);
}

std::unique_ptr<transfers> object::connect(std::size_t depth) const {
    return std::make_unique<transfers>(server_, depth);
}

std::unique_ptr<transfers> object::take(std::size_t depth) const {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
        kept last = std::move(idle_.back());
        idle_.pop_back();
        if (last.process != getpid()) {
            last.connections.release();  // closing TLS would speak for the parent
            continue;
        }
        if (last.depth >= depth) return std::move(last.connections);
    }
    return nullptr;
}

void object::give(std::unique_ptr<transfers> used, std::size_t depth) const {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < 16) idle_.push_back({std::move(used), depth, getpid()});
}

void object::read(std::span<const range> ranges, std::size_t depth) const {
    for (const range& each : ranges)
        if (each.offset > facts_.bytes || each.into.size() > facts_.bytes - each.offset)
            throw usage_error(name() + ": bytes " + std::to_string(each.offset) + " to " +
                              std::to_string(each.offset + each.into.size()) + ", but it has " +
                              std::to_string(facts_.bytes));
    const std::vector<planned_read> plan = plan_reads(ranges);
    if (plan.empty()) return;
    if (depth == 0) depth = is_loopback(server_->base().name()) ? local_depth : remote_depth;
    std::unique_ptr<transfers> connections = take(depth);
    if (!connections) connections = connect(depth);
    std::size_t next = 0;
    for (std::size_t done = 0; done < plan.size();) {
        for (; next < plan.size() && connections->under_way() < depth; ++next)
            connections->push_read(facts_, plan[next].offset, plan[next].into, plan[next].bytes,
                                   next);
        for (const ended_transfer& each : connections->wait()) {
            require_checksum(facts_, plan[each.tag], each.answer);
            ++done;
        }
    }
    give(std::move(connections), depth);
}

bool exists(const std::string& url, const settings& how) try {
    const object found(url, how);
    return true;
} catch (const no_such_object&) {
    return false;
}

}  // namespace watari::objects
