/// An io_uring with the files of a store and one range of memory registered, so that the kernel
/// looks up neither for each request. Over modelled SSDs a completion is held back until its time.
#pragma once

#include "watari/files/uring/uring.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/engines/modelled_time.hpp"

#include <array>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <string>
#include <vector>

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

    /// As above, without waiting: perhaps none.
    std::span<const files::uring_completion> poll();

    /// Throws unless all bytes of the request at this offset were moved.
    void check(const files::uring_completion& done, std::uint64_t offset, std::size_t bytes) const;

    std::size_t in_flight() const noexcept {
        return held_.is_on() ? requests_.size() : ring_.in_flight();
    }

private:
    /// A request that a modelled SSD ends at `due`.
    struct held_request {
        std::int64_t due;
        std::uint64_t tag, offset;
        std::size_t bytes;
        bool operator>(const held_request& other) const { return due > other.due; }
    };

    bool push(std::uint64_t offset, files::uring_request request);
    std::span<const files::uring_completion> ended_by_disks();

    const files::striped_files* files_;
    files::direction direction_;
    std::byte* memory_;
    files::uring ring_;
    bool registered_ = true;
    std::string why_not_buffers_;
    std::array<files::uring_completion, 64> done_{};
    modelled_time held_;
    std::priority_queue<held_request, std::vector<held_request>, std::greater<>> requests_;
    std::map<std::uint64_t, int> arrived_;  ///< results by tag, of requests that are held back
    std::vector<files::uring_completion> ended_;
};

}  // namespace watari::storage
