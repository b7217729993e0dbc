/// Requests to a server of objects, many in flight from one thread, each tried again until it
/// succeeds or cannot: pauses grow, and are cut at random so that clients do not return together.
///
/// Tried again: no connection, a cut one, a timeout, a body of the wrong length, the statuses 408,
/// 429, 500, 502, 503 and 504, and the error RequestTimeout. Everything else is an error at once.
#pragma once

#include "watari/objects/service/curl.hpp"
#include "watari/objects/service/service.hpp"

#include <sys/uio.h>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace watari::objects {

/// An object as its server described it.
struct object_facts {
    address where;
    std::uint64_t bytes = 0;
    std::string etag;
};

/// An answer with status 2xx.
struct ended_transfer {
    std::uint64_t tag;
    http_answer answer;
};

class transfers {
public:
    /// `depth` requests in flight. Throws unsupported.
    transfers(std::shared_ptr<const service> server, std::size_t depth);

    /// Adds a read of bytes [offset, offset + bytes) of `of` into pieces of that many bytes; those
    /// of a piece without a place are thrown away. `of` and the pieces must stay until the read
    /// ended.
    void push_read(const object_facts& of, std::uint64_t offset, std::span<const iovec> into,
                   std::size_t bytes, std::uint64_t tag);

    /// Adds another request, whose body must stay until it ended.
    void push(question asked, std::uint64_t tag);

    /// Waits until requests ended, and returns them; none if none is under way. Throws file_error,
    /// changed_error, service_error; afterwards only the destructor may be called.
    std::vector<ended_transfer> wait();
    /// The same, but ends within a second once another thread sets `stopped`.
    std::vector<ended_transfer> wait(const std::atomic<bool>& stopped);
    /// The same without waiting.
    std::vector<ended_transfer> step();

    /// Makes one request while no other is under way. Throws as wait().
    http_answer ask(question asked);

    std::size_t under_way() const noexcept { return under_way_; }

private:
    using clock = std::chrono::steady_clock;

    /// A request with its attempts.
    struct job {
        question asked{};
        std::uint64_t tag = 0;
        const object_facts* of = nullptr;  ///< of a read
        std::uint64_t offset = 0;
        std::size_t bytes = 0;
        std::span<const iovec> into{};
        unsigned attempts = 0, redirects = 0;
        clock::time_point due{};
        std::shared_ptr<const signed_question> redirect{};
    };

    static std::string name_of(const job& of);
    void add(job added);
    void start_due();
    void start(std::size_t slot);
    void end(std::size_t slot, std::vector<ended_transfer>& into);
    void follow(job& of, const http_answer& answer);
    void repeat(job& of, const http_answer& answer, const std::string& why);
    std::shared_ptr<const signed_question> signed_read(const object_facts& of);
    double seconds_to_next() const;
    std::vector<ended_transfer> advance(bool waits, const std::atomic<bool>* stopped = nullptr);

    std::shared_ptr<const service> server_;
    http http_;
    std::vector<std::optional<job>> jobs_;  ///< by slot
    std::vector<std::size_t> idle_;
    std::deque<job> waiting_;
    std::size_t under_way_ = 0;
    std::mt19937_64 random_{std::random_device()()};
    const object_facts* signed_for_ = nullptr;
    std::shared_ptr<const signed_question> signed_read_;
    clock::time_point signed_at_{};
};

}  // namespace watari::objects
