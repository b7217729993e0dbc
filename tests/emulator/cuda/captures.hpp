// Captures of streams, and graphs.
#pragma once

#include <vector>

#include "queue.hpp"

namespace fake {

struct graph {
    using nodes = std::vector<std::size_t>;
    struct node {
        queue::operation work;
        nodes after;
    };
    std::vector<node> all;
};

// An executable graph. Its launches follow one another.
struct executable {
    graph made;
    queue::list last;
};

struct stream;

struct capture {
    graph* made;
    stream* origin;
    unsigned long long id;
    int mode;  // global, of the thread, relaxed
    unsigned long long thread;
    bool is_broken = false, is_over = false;
};

constexpr result capture_invalidated = 901, capture_unmatched = 903, capture_unjoined = 904,
                 capture_isolation = 905, capture_implicit = 906, captured_event = 907,
                 capture_wrong_thread = 908;

// The result of a wait for a stream or event while it is captured; the capture ends invalid.
result breaks(capture* one, result with = capture_unsupported);

// The result of a use of the legacy default stream while blocking streams are captured.
result breaks_implicitly();

}  // namespace fake
