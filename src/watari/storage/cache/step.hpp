/// The intent of a thread that needs a page, its next action, and the timeout of its waits.
#pragma once

#include "watari/core/parallel/atomic.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// The timeout of a wait; its time starts with the first call of `over`.
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

/// The use that a thread makes of a page; overwrite: it writes every byte.
enum class intent : unsigned { read, write, overwrite };

/// The next action of a thread that needs a page.
enum class next_action : std::uint64_t {
    again,   ///< look the page up again, a little later
    use,     ///< slot `where` has the page: use it, then leave
    fill,    ///< the caller owns slot `where`: read the page into it
    pass,    ///< every slot of the set is held: the caller owns spare slot `where`
    evict,   ///< the caller brought slot `where` into state writing: write it back
    failed,  ///< another thread could not read the page: `where` is the status
    late     ///< the wait timed out
};

struct step {
    std::uint64_t action : 8, where : 56;
};

WATARI_KERNEL constexpr step make_step(next_action action, std::uint64_t where = 0) {
    return {static_cast<std::uint64_t>(action), where};
}

}  // namespace watari::WATARI_BACKEND
