#include "watari/files/uring/uring.hpp"

#include "watari/core/error.hpp"
#include "watari/files/uring/uring_reason.hpp"

#include <liburing.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

namespace watari::files {

namespace {

/// The memory of a new ring may be that of one that another thread has closed. The kernel orders
/// the two, by system calls that liburing makes itself: neither the language nor ThreadSanitizer
/// sees that order unless this number states it.
std::atomic<unsigned> rings_closed{0};

}  // namespace

struct uring::ring {
    io_uring handle{};
    bool files_registered = false;
    bool open = false;

    explicit ring(unsigned entries) {
        // completions interrupt no thread: the thread that reaps runs them
        int status = start(
            entries, IORING_SETUP_CLAMP | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
        if (status == -EINVAL) status = start(entries, IORING_SETUP_CLAMP);  // before Linux 5.19
        if (status < 0) throw unsupported("io_uring: " + io_uring_reason(-status));
        open = true;
        rings_closed.load(std::memory_order_acquire);
    }
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    ~ring() {
        if (!open) return;
        rings_closed.fetch_add(1, std::memory_order_release);
        io_uring_queue_exit(&handle);
    }

    int start(unsigned entries, unsigned flags) {
        io_uring_params parameters{};
        parameters.flags = flags;
        return io_uring_queue_init_params(entries, &handle, &parameters);
    }
};

std::string uring_absent_reason() {
    io_uring probe{};
    const int status = io_uring_queue_init(1, &probe, 0);
    if (status < 0) return io_uring_reason(-status);
    io_uring_queue_exit(&probe);
    return "";
}

uring::uring(unsigned entries) : ring_(std::make_unique<ring>(entries)) {}

uring::uring(uring&& other) noexcept
    : ring_(std::move(other.ring_)), in_flight_(std::exchange(other.in_flight_, 0)) {}

uring& uring::operator=(uring&& other) noexcept {
    std::swap(ring_, other.ring_);
    std::swap(in_flight_, other.in_flight_);
    return *this;
}

uring::~uring() {
    std::array<uring_completion, 32> done;
    while (ring_ && in_flight_ > 0) {
        const int status = io_uring_submit_and_wait(&ring_->handle, 1);
        if (status < 0 && status != -EINTR && status != -EAGAIN) return;
        reap(done);
    }
}

void uring::register_buffers(std::span<const iovec> buffers) {
    const int status = io_uring_register_buffers(&ring_->handle, buffers.data(),
                                                 static_cast<unsigned>(buffers.size()));
    if (status == -ENOMEM)
        throw unsupported("io_uring: registering buffers needs more locked memory than ulimit -l");
    if (status < 0) throw system_error("io_uring_register_buffers", -status);
}

void uring::register_files(std::span<const int> descriptors) {
    const int status = io_uring_register_files(&ring_->handle, descriptors.data(),
                                               static_cast<unsigned>(descriptors.size()));
    if (status < 0) throw system_error("io_uring_register_files", -status);
    ring_->files_registered = true;
}

bool uring::push(const uring_request& r) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_->handle);
    if (!entry) return false;
    const bool fixed = r.buffer >= 0;
    const auto count = static_cast<unsigned>(r.pieces.size());
    switch (r.operation) {
        case uring_operation::read:
            if (!r.pieces.empty())
                io_uring_prep_readv(entry, r.file, r.pieces.data(), count, r.offset);
            else if (fixed)
                io_uring_prep_read_fixed(entry, r.file, r.data, r.bytes, r.offset, r.buffer);
            else
                io_uring_prep_read(entry, r.file, r.data, r.bytes, r.offset);
            break;
        case uring_operation::write:
            if (!r.pieces.empty())
                io_uring_prep_writev(entry, r.file, r.pieces.data(), count, r.offset);
            else if (fixed)
                io_uring_prep_write_fixed(entry, r.file, r.data, r.bytes, r.offset, r.buffer);
            else
                io_uring_prep_write(entry, r.file, r.data, r.bytes, r.offset);
            if (r.durable) entry->rw_flags = RWF_DSYNC;
            break;
        case uring_operation::sync:
            io_uring_prep_fsync(entry, r.file, IORING_FSYNC_DATASYNC);
            break;
    }
    if (ring_->files_registered) entry->flags |= IOSQE_FIXED_FILE;
    entry->user_data = r.tag;
    ++in_flight_;
    return true;
}

unsigned uring::submit(unsigned completions) {
    for (;;) {
        const int status = io_uring_submit_and_wait(&ring_->handle, completions);
        if (status >= 0) return static_cast<unsigned>(status);
        if (status != -EINTR && status != -EAGAIN && status != -EBUSY)
            throw system_error("io_uring_enter", -status);
        if (status != -EINTR) return 0;  // no room now: the caller reaps and submits again
    }
}

std::size_t uring::reap(std::span<uring_completion> into) {
    std::size_t taken = 0;
    std::array<io_uring_cqe*, 32> entries;
    while (taken < into.size()) {
        const auto room = std::min(into.size() - taken, entries.size());
        const unsigned completed =
            io_uring_peek_batch_cqe(&ring_->handle, entries.data(), static_cast<unsigned>(room));
        for (unsigned i = 0; i < completed; ++i)
            into[taken++] = {entries[i]->user_data, entries[i]->res};
        io_uring_cq_advance(&ring_->handle, completed);
        if (completed < room) break;
    }
    in_flight_ -= taken;
    return taken;
}

}  // namespace watari::files
