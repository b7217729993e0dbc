/// An object that is read: its size, and any ranges of its bytes, all of one version.
#pragma once

#include "watari/objects/plan.hpp"
#include "watari/objects/transfers.hpp"

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace watari::objects {

/// Threads may share an object: each call has connections of its own, which later calls use again.
class object {
public:
    /// Asks the server for its size and ETag. Throws usage_error, file_error (missing, denied),
    /// service_error, unsupported.
    explicit object(const std::string& url, const settings& how = settings::usual());

    std::uint64_t bytes() const noexcept { return facts_.bytes; }
    const std::string& etag() const noexcept { return facts_.etag; }
    std::string name() const { return facts_.where.text(); }
    const object_facts& facts() const noexcept { return facts_; }

    /// Reads ranges, up to `depth` requests at a time; 0: as many as suit the server. Ranges with
    /// small gaps between them are one request (plan.hpp). Long lists are read by several threads,
    /// each with connections of its own. Throws
    /// usage_error for a range beyond the end, changed_error if the object has another ETag by now,
    /// file_error, service_error. After an error the memory has undefined contents.
    void read(std::span<const range> ranges, std::size_t depth = 0) const;

private:
    struct work;
    void read_lane(work& of) const;
    std::unique_ptr<transfers> take(std::size_t depth) const;
    void give(std::unique_ptr<transfers> used, std::size_t depth) const;

    std::shared_ptr<const service> server_;
    object_facts facts_;
    struct kept {
        std::unique_ptr<transfers> connections;
        std::size_t depth;
        pid_t process;  ///< a child of fork has the descriptors, but must not use them
    };
    mutable std::mutex mutex_;
    mutable std::vector<kept> idle_;
};

/// Whether there is an object of this name. Throws as the constructor, for other reasons.
bool exists(const std::string& url, const settings& how = settings::usual());

}  // namespace watari::objects
