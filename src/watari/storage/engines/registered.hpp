/// An io_uring with the files of a store and one range of memory registered, so that the kernel
/// looks up neither for each request.
#pragma once

#include "watari/files/uring/uring.hpp"
#include "watari/storage/engines/engine.hpp"

#include <array>
#include <span>
#include <string>

namespace watari::storage {

class registered_ring {
public:
    /// If the kernel does not lock the memory for this user, the memory is used unregistered, and
    /// why_not_buffers() returns the reason. Without memory (0 bytes) any memory can be used.
    registered_ring(const engine_options& options, std::byte* memory, std::size_t bytes);

    const std::string& why_not_buffers() const noexcept { return why_not_buffers_; }

    /// Submits one block at once: a disk that gets many together is idle while they are prepared.
    /// False if the ring is full.
    bool push(std::uint64_t offset, std::byte* data, std::size_t bytes, std::uint64_t tag);
    /// As above, for a block in pieces, which must stay unchanged until the block completes.
    bool push(std::uint64_t offset, std::span<const iovec> pieces, std::uint64_t tag);

    /// Submits, waits for one completion or more, and returns the completions that have arrived.
    std::span<const files::uring_completion> wait();

    /// Throws unless all bytes of the request at this offset were moved.
    void check(const files::uring_completion& done, std::uint64_t offset, std::size_t bytes) const;

    std::size_t in_flight() const noexcept { return ring_.in_flight(); }

private:
    bool push(std::uint64_t offset, files::uring_request request);

    const files::striped_files* files_;
    files::direction direction_;
    std::byte* memory_;
    files::uring ring_;
    bool registered_ = true;
    std::string why_not_buffers_;
    std::array<files::uring_completion, 64> done_{};
};

}  // namespace watari::storage
