#include "watari/objects/object.hpp"

#include "watari/objects/answers.hpp"
#include "watari/objects/crc32c.hpp"
#include "watari/objects/object_set.hpp"
#include "watari/objects/service/errors.hpp"

#include <unistd.h>
#include <algorithm>

namespace watari::objects {

namespace {

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
    facts_ = ask_facts(server_, std::span(&where, 1)).front();
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
    if (depth == 0) depth = suited_depth(*server_);
    std::unique_ptr<transfers> connections = take(depth);
    if (!connections) connections = std::make_unique<transfers>(server_, depth);
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
