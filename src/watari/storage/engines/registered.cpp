#include "watari/storage/engines/registered.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"

#include <algorithm>

namespace watari::storage {

namespace {

constexpr std::size_t largest = std::size_t{1} << 30;  ///< bytes of one registered buffer

}  // namespace

registered_ring::registered_ring(const engine_options& options, std::byte* memory,
                                 std::size_t bytes)
    : files_(options.files),
      direction_(options.direction),
      memory_(memory),
      ring_(static_cast<unsigned>(options.depth)),
      held_(options) {
    ring_.register_files(options.files->descriptors());
    if (bytes == 0) {
        registered_ = false;
        return;
    }
    std::vector<iovec> buffers;
    for (std::size_t first = 0; first < bytes; first += largest)
        buffers.push_back({memory + first, std::min(largest, bytes - first)});
    try {
        ring_.register_buffers(buffers);
    } catch (const unsupported& reason) {
        registered_ = false;
        why_not_buffers_ = std::string("buffers are not registered: ") + reason.what();
    }
}

bool registered_ring::push(std::uint64_t offset, std::byte* data, std::size_t bytes,
                           std::uint64_t tag) {
    int buffer = -1;
    if (registered_) {
        const auto first = static_cast<std::size_t>(data - memory_);
        const std::size_t last = first + bytes - 1;
        if (first / largest == last / largest) buffer = static_cast<int>(first / largest);
    }
    return push(
        offset,
        {.buffer = buffer, .data = data, .bytes = static_cast<std::uint32_t>(bytes), .tag = tag});
}

bool registered_ring::push(std::uint64_t offset, std::span<const iovec> pieces, std::uint64_t tag) {
    return push(offset, {.pieces = pieces, .tag = tag});
}

bool registered_ring::push(std::uint64_t offset, files::uring_request request) {
    const files::striped_files::piece at = files_->piece_at(offset, request.bytes);
    request.operation = direction_ == files::direction::read ? files::uring_operation::read
                                                             : files::uring_operation::write;
    request.file = static_cast<int>(at.file);
    request.offset = at.offset;
    if (!ring_.push(request)) return false;
    if (held_.is_on()) {
        std::size_t bytes = request.bytes;
        for (const iovec& each : request.pieces) bytes += each.iov_len;
        requests_.push({held_.begin(offset, bytes), request.tag, offset, bytes});
    }
    ring_.submit();
    return true;
}

std::span<const files::uring_completion> registered_ring::wait() {
    if (held_.is_on()) {
        modelled_time::wait_until(requests_.top().due);
        return ended_by_disks();
    }
    ring_.submit(1);
    return std::span(done_).first(ring_.reap(done_));
}

std::span<const files::uring_completion> registered_ring::poll() {
    if (held_.is_on()) return ended_by_disks();
    ring_.submit();
    return std::span(done_).first(ring_.reap(done_));
}

/// Returns the requests that the SSDs have ended.
std::span<const files::uring_completion> registered_ring::ended_by_disks() {
    ended_.clear();
    for (const std::int64_t now = cpu::nanoseconds();
         !requests_.empty() && requests_.top().due <= now; requests_.pop()) {
        const held_request& next = requests_.top();
        while (!arrived_.contains(next.tag)) {
            ring_.submit(1);
            for (const files::uring_completion& each : std::span(done_).first(ring_.reap(done_)))
                arrived_[each.tag] = each.result;
        }
        held_.end(next.offset, next.bytes);
        ended_.push_back({next.tag, arrived_.extract(next.tag).mapped()});
    }
    return ended_;
}

void registered_ring::check(const files::uring_completion& done, std::uint64_t offset,
                            std::size_t bytes) const {
    const files::striped_files::piece at = files_->piece_at(offset, bytes);
    if (done.result == static_cast<int>(files_->expected(at))) return;
    files::transfer_failed(direction_, files_->path(at.file), at.offset, bytes, done.result);
}

}  // namespace watari::storage
