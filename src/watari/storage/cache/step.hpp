/// What a thread wants of a page, what it has to do next, and how long it waits for that.
#pragma once

#include "watari/core/parallel/atomic.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// A wait with a limit, which counts from the first time that there was something to wait for.
struct timeout {
    std::int64_t limit_ns;
    std::int64_t until = 0;
    unsigned attempt = 0;

    WATARI_KERNEL bool over() {
        pause(attempt++);
        const std::int64_t now = nanoseconds();
        if (until == 0) until = now + limit_ns;
        return now >= until;
    }
};

/// What a page is wanted for; overwrite: every byte of it will be written.
enum class intent : unsigned { read, write, overwrite };

/// What whoever wants a page has to do next.
enum class next_action : std::uint64_t {
    again,   ///< look again, a little later
    use,     ///< slot holds the page: use it, then leave
    fill,    ///< slot is yours: read the page into it
    pass,    ///< all of the set is held: use the spare slot, nobody else will
    evict,   ///< slot's page is in state writing by you: write it back, then look again
    failed,  ///< whoever read the page could not: `where` is the status
    late     ///< the wait has reached its limit
};

struct step {
    std::uint64_t action : 8, where : 56;
};

WATARI_KERNEL constexpr step make_step(next_action action, std::uint64_t where = 0) {
    return {static_cast<std::uint64_t>(action), where};
}

}  // namespace watari::WATARI_BACKEND
