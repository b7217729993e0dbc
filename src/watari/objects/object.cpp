#include "watari/objects/object.hpp"

#include "watari/objects/answers.hpp"
#include "watari/objects/crc32c.hpp"
#include "watari/objects/object_set.hpp"
#include "watari/objects/service/errors.hpp"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace watari::objects {

namespace {

/// The checksum that the server keeps of a whole object, if it keeps one by CRC-32C.
void require_checksum(const object_facts& of, const planned_read& read, const http_answer& answer) {
    const std::string expected = answer.field("x-amz-checksum-crc32c");
    if (read.bytes != of.bytes || expected.empty() || expected.find('-') != expected.npos) return;
    std::uint32_t checksum = 0;
    for (const iovec& piece : read.into) {
        if (!piece.iov_base) return;  // bytes between two ranges, which nobody has
        checksum = crc32c({static_cast<const std::byte*>(piece.iov_base), piece.iov_len}, checksum);
    }
    if (crc32c_text(checksum) != expected)
        throw service_error(of.where.text() + ": its CRC-32C is " + crc32c_text(checksum) +
                            ", but the server keeps " + expected);
}

/// Threads of a read. One moves some 2 GB/s in ranges of 8 MiB, and 1 GB/s in ranges of 64 KiB; a
/// program has other work for most CPUs, and a server on this machine needs them.
std::size_t lanes_for(std::size_t chosen, std::size_t requests, std::size_t depth) {
    constexpr std::size_t most = 4, cpus_each = 4, requests_each = 2;
    if (chosen == 0)
        chosen = std::min<std::size_t>(std::thread::hardware_concurrency() / cpus_each, most);
    return std::clamp<std::size_t>(std::min({chosen, requests / requests_each, depth}), 1, depth);
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

/// The requests of one read, which its threads share.
struct object::work {
    std::vector<planned_read> plan;
    std::size_t depth, lane_depth = depth;  ///< requests in flight: of all threads, and of each
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex mutex{};
    std::exception_ptr error{};  ///< the first
};

void object::read_lane(work& of) const try {
    std::unique_ptr<transfers> connections = take(of.depth);
    if (!connections) connections = std::make_unique<transfers>(server_, of.depth);
    while (!of.stopped) {
        while (connections->under_way() < of.lane_depth) {
            const std::size_t i = of.next++;
            if (i >= of.plan.size()) break;
            connections->push_read(facts_, of.plan[i].offset, of.plan[i].into, of.plan[i].bytes, i);
        }
        if (connections->under_way() == 0) return give(std::move(connections), of.depth);
        for (const ended_transfer& each : connections->wait(of.stopped))
            require_checksum(facts_, of.plan[each.tag], each.answer);
    }
} catch (...) {
    const std::lock_guard lock(of.mutex);
    if (!of.error) of.error = std::current_exception();
    of.stopped = true;
}

void object::read(std::span<const range> ranges, std::size_t depth) const {
    for (const range& each : ranges)
        if (each.offset > facts_.bytes || each.into.size() > facts_.bytes - each.offset)
            throw usage_error(name() + ": bytes " + std::to_string(each.offset) + " to " +
                              std::to_string(each.offset + each.into.size()) + ", but it has " +
                              std::to_string(facts_.bytes));
    work all{.plan = plan_reads(ranges, longest_read, suited_gap(*server_)),
             .depth = depth ? depth : suited_depth(*server_)};
    if (all.plan.empty()) return;
    const std::size_t lanes = lanes_for(server_->how().lanes, all.plan.size(), all.depth);
    all.lane_depth = (all.depth + lanes - 1) / lanes;
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < lanes; ++i) others.emplace_back([&] { read_lane(all); });
        read_lane(all);
    }
    if (all.error) std::rethrow_exception(all.error);
}

bool exists(const std::string& url, const settings& how) try {
    const object found(url, how);
    return true;
} catch (const no_such_object&) {
    return false;
}

}  // namespace watari::objects
