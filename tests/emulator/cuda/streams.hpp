// Streams: the legacy default stream, the per-thread ones, and those that programs create.
#pragma once

#include "captures.hpp"
#include "queue.hpp"

namespace fake {

struct stream {
    bool exists = false, is_blocking = true;
    std::uint32_t number = 0;  // as CUPTI counts
    queue::list tail = {};     // what its next operation follows
    unsigned flags = 0;
    int priority = 0;
    capture* captures = nullptr;
    graph::nodes tail_nodes = {};  // in the graph of the capture
};

// The stream of a handle: 0 is the legacy one or, in the functions *_ptsz, that of the thread.
stream& stream_of(void* handle);
bool exists(void* handle);

// Adds an operation, to a graph while the stream is captured. `submitted` gets it, null in a graph.
result submit(void* handle, queue::operation made, queue::pointer* submitted = nullptr);

// The stream's next operation follows this work.
void follow(stream& later, const queue::list& work);

// All work of a stream so far, with what the legacy default stream orders.
queue::list ready(const stream& of);

// What a wait for a stream waits for: not the legacy default stream, unless it is that one.
queue::list awaited(const stream& of);

bool is_legacy(const stream& one);

// Adds an operation of no time to the legacy default stream: records and waits there order blocking
// streams as its work does.
result order_legacy(queue::pointer* submitted = nullptr);

// While one exists, handle 0 is the stream of the thread.
struct per_thread_default {
    per_thread_default();
    ~per_thread_default();
};

}  // namespace fake
