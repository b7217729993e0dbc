/// io_uring: many reads and writes in flight from one thread, by two system calls or fewer a batch.
///
/// One of uring.cpp (liburing) and uring_absent.cpp is built. A ring is used by one thread at a
/// time. Results are those of pread and pwrite: bytes, which may be fewer than requested, or a
/// negative errno.
#pragma once

#include <sys/uio.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace watari::files {

/// The reason why io_uring is not available (not built, no such kernel, forbidden); empty if it is.
std::string uring_absent_reason();

/// The operation of a request. sync: makes what was written before durable (fdatasync).
enum class uring_operation { read, write, sync };

struct uring_request {
    uring_operation operation = uring_operation::read;
    int file = -1;         ///< descriptor, or index once files are registered
    int buffer = -1;       ///< index of the registered buffer that holds `data`; -1: none
    void* data = nullptr;  ///< not for sync
    std::uint32_t bytes = 0;
    std::span<const iovec> pieces{};  ///< instead of data and bytes; unchanged until completion
    std::uint64_t offset = 0;         ///< in the file, in bytes
    std::uint64_t tag = 0;            ///< comes back with the completion
    bool durable = false;             ///< a write that is complete when it is durable (RWF_DSYNC)
};

struct uring_completion {
    std::uint64_t tag;
    int result;  ///< bytes, or a negative errno
};

class uring {
public:
    /// A ring for `entries` requests between two submits, and up to twice as many in flight. Throws
    /// unsupported with the reason if there is no io_uring.
    explicit uring(unsigned entries);
    uring(uring&&) noexcept;
    uring& operator=(uring&&) noexcept;
    ~uring();  ///< waits for what is in flight, so that no buffer is written after it

    /// Registers buffers: the kernel keeps their pages. Anonymous memory alone. Throws unsupported
    /// if the limit on locked memory is too low, system_error.
    void register_buffers(std::span<const iovec> buffers);

    /// Registers files: from then on requests name a file by its index in `descriptors`. Throws
    /// system_error.
    void register_files(std::span<const int> descriptors);

    /// Puts a request into the ring; false where it is full: submit first.
    bool push(const uring_request& request);

    /// Submits what was pushed and waits until `completions` have arrived. Returns the number of
    /// requests that the kernel took. Throws system_error.
    unsigned submit(unsigned completions = 0);

    /// Takes completions that have arrived, in any order; does not wait. Returns their number.
    std::size_t reap(std::span<uring_completion> into);

    /// Requests that were pushed and whose completion was not taken.
    std::size_t in_flight() const noexcept { return in_flight_; }

private:
    struct ring;
    std::unique_ptr<ring> ring_;
    std::size_t in_flight_ = 0;
};

}  // namespace watari::files
