/// The system's reasons for failed commands: a status is a number, without file and errno.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace watari::storage {

/// The latest reasons, from all threads of a controller.
class error_log {
public:
    /// Adds the reason of a command at byte `offset` of the namespace.
    void add(opcode operation, std::uint64_t offset, const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (entries_.size() == most) entries_.pop_front();
        entries_.push_back({operation, offset, what});
    }

    /// Returns ": " and the latest reason of such a command; empty if there is none.
    std::string about(opcode operation, std::uint64_t offset) const {
        const std::lock_guard lock(mutex_);
        for (auto each = entries_.rbegin(); each != entries_.rend(); ++each)
            if (each->operation == operation && each->offset == offset) return ": " + each->what;
        return "";
    }

private:
    static constexpr std::size_t most = 4096;  ///< more than the commands in flight

    struct entry {
        opcode operation;
        std::uint64_t offset;
        std::string what;
    };
    mutable std::mutex mutex_;
    std::deque<entry> entries_;
};

}  // namespace watari::storage
