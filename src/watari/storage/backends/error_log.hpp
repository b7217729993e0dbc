/// The system's reasons for commands that failed: a status has a number for it, and neither file
/// nor errno.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace watari::storage {

/// The last of them, from all threads of a controller.
class error_log {
public:
    /// Of a command for `offset` of the namespace, bytes.
    void add(opcode operation, std::uint64_t offset, const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (entries_.size() == most) entries_.pop_front();
        entries_.push_back({operation, offset, what});
    }

    /// ": " and the latest about such a command; empty if there is none.
    std::string about(opcode operation, std::uint64_t offset) const {
        const std::lock_guard lock(mutex_);
        for (auto each = entries_.rbegin(); each != entries_.rend(); ++each)
            if (each->operation == operation && each->offset == offset) return ": " + each->what;
        return "";
    }

private:
    static constexpr std::size_t most = 4096;  ///< more than commands under way fail at once

    struct entry {
        opcode operation;
        std::uint64_t offset;
        std::string what;
    };
    mutable std::mutex mutex_;
    std::deque<entry> entries_;
};

}  // namespace watari::storage
