/// The times of modelled SSDs for engines that read and write files. The file is in memory: the
/// kernel moves the data by the same system calls as from a disk, and the engine holds each request
/// back until the SSD would end it. A thread that waits for an SSD sleeps, and polls at the end.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::storage {

class modelled_time {
public:
    explicit modelled_time(const engine_options& options);

    /// Whether requests are held back; otherwise no other function may be called.
    bool is_on() const { return disks_ != nullptr; }
    /// A request begins now. Returns the moment at which it ends, in ns.
    std::int64_t begin(std::uint64_t offset, std::size_t bytes) const;
    /// The request is no longer in flight.
    void end(std::uint64_t offset, std::size_t bytes) const;
    /// Holds a flush back.
    void flush() const;

    static void wait_until(std::int64_t moment);

private:
    disk_array* disks_;
    opcode operation_;
};

/// Why an engine that cannot hold its requests back does not serve modelled SSDs.
std::string no_modelled_time(const std::string& engine);

}  // namespace watari::storage
