/// A backend executes the commands of a software controller: in memory, in files, or by another
/// backend that it wraps.
///
/// A backend has one `io_channel` for each thread of the controller; only that thread uses it. A
/// channel takes checked commands, and reports the outcome of each later, in any order.
#pragma once

#include "watari/storage/backends/error_log.hpp"
#include "watari/storage/nvme/nvme.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace watari::storage {

/// A piece of the users' memory.
struct memory_range {
    std::byte* data;
    std::size_t bytes;
};

/// Copies consecutive bytes into ranges, or those of ranges into consecutive ones.
inline void scatter(const std::byte* from, std::span<const memory_range> to) {
    for (const memory_range& range : to) {
        std::memcpy(range.data, from, range.bytes);
        from += range.bytes;
    }
}
inline void gather(std::span<const memory_range> from, std::byte* to) {
    for (const memory_range& range : from) {
        std::memcpy(to, range.data, range.bytes);
        to += range.bytes;
    }
}

/// One checked command. `ranges` hold `bytes` together and are good only during `submit`.
struct request {
    std::uint16_t queue;  ///< counted from 0 over the whole controller
    std::uint16_t cid;
    opcode operation;
    bool fua;
    std::uint64_t offset;  ///< bytes from the start of the namespace
    std::size_t bytes;
    std::span<const memory_range> ranges;
    std::byte* destination = nullptr;  ///< the controller then delivers the data here
};

/// Identifies a command among the commands in flight of a channel.
constexpr std::uint32_t command_key(std::uint16_t queue, std::uint16_t cid) {
    return std::uint32_t{queue} << 16 | cid;
}

/// The outcome of a command. `bad_phase`: a faulty device shows the entry with the old phase tag,
/// and has not ended the command.
struct ending {
    std::uint16_t queue;
    std::uint16_t cid;
    status outcome;
    bool bad_phase = false;
};

/// One thread's path into a backend. It must have no command in flight when it is destroyed.
class io_channel {
public:
    virtual ~io_channel() = default;
    /// Takes a command; false if it can take no more before some have ended.
    virtual bool submit(const request& command) = 0;
    /// Adds the commands that have ended since the last call. Never waits.
    virtual void reap(std::vector<ending>& ended) = 0;
    /// Commands taken that have not ended yet.
    virtual std::size_t under_way() const = 0;
};

/// The users' memory, for backends that register it.
struct user_memory {
    std::span<const memory_range> ranges;
};

class backend {
public:
    virtual ~backend() = default;
    virtual std::uint64_t bytes() const = 0;
    /// Every offset and size must be a multiple of this.
    virtual std::uint32_t alignment() const { return 1; }
    virtual std::unique_ptr<io_channel> open_channel(const user_memory& memory) = 0;
    /// Whether it has the times of a disk: some commands take far longer than others.
    virtual bool models_disk() const { return false; }
    /// A notice for users, such as a fallback and its reason; may be empty.
    virtual std::string notice() const { return ""; }
    /// The reasons of failed commands; null if the backend keeps none.
    virtual const error_log* errors() const { return nullptr; }
};

}  // namespace watari::storage
