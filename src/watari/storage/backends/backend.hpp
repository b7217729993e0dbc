/// What a software controller puts its commands to: memory, a file, or something that wraps
/// another.
///
/// A backend has one `io_channel` for each thread of the controller; a channel is used by that
/// thread alone. It gets commands that were checked, and says later, in any order, how each ended.
#pragma once

#include "watari/storage/backends/error_log.hpp"
#include "watari/storage/nvme/nvme.hpp"

#include <cstddef>
#include <cstdint>
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

/// One checked command. `ranges` hold `bytes` together and are good only during `submit`.
struct request {
    std::uint16_t queue;  ///< counted from 0 over the whole controller
    std::uint16_t cid;
    opcode operation;
    bool fua;
    std::uint64_t offset;  ///< bytes from the start of the namespace
    std::size_t bytes;
    std::span<const memory_range> ranges;
    std::byte* destination = nullptr;  ///< where the controller delivers the data, after the ranges
};

/// Identifies a command among those of a channel that are under way.
constexpr std::uint32_t command_key(std::uint16_t queue, std::uint16_t cid) {
    return std::uint32_t{queue} << 16 | cid;
}

/// How a command ended. `bad_phase`: a faulty device shows the entry with the phase tag of before,
/// and has not ended the command.
struct ending {
    std::uint16_t queue;
    std::uint16_t cid;
    status outcome;
    bool bad_phase = false;
};

/// One thread's path into a backend. Destroyed only when nothing is under way.
class io_channel {
public:
    virtual ~io_channel() = default;
    /// Takes a command; false if it can take no more before some have ended.
    virtual bool submit(const request& command) = 0;
    /// Adds the commands that have ended since. Never waits.
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
    /// What a user should know of how this is served: what it fell back to and why. May be empty.
    virtual std::string notice() const { return ""; }
    /// Why commands failed; null where a status says all.
    virtual const error_log* errors() const { return nullptr; }
};

}  // namespace watari::storage
