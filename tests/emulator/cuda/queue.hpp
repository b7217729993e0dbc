// Operations of the GPU: what each follows, when it takes place (timeline.hpp), and its effect.
// With FAKE_CUDA_LATE effects come late; without it they come inside the call, unless the operation
// follows a host function.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fake_cuda.hpp"
#include "timeline.hpp"

namespace fake::queue {

enum class place { pageable, pinned, device, managed };

struct operation;
using pointer = std::shared_ptr<operation>;
using list = std::vector<pointer>;

struct operation {
    enum class kind { kernel, copy, fill, host, other } what = kind::other;
    std::function<void()> act = {};
    timeline::engine of = timeline::engine::none;
    std::uint64_t takes = 0;  // ns
    std::function<std::uint64_t()> more =
        {};  // ns beyond `takes`, known once it has had its effect

    const char* symbol = nullptr;           // of a kernel
    std::uint64_t blocks = 0, threads = 0;  // of a kernel
    std::uint64_t bytes = 0;                // of a copy
    place from = place::pageable, to = place::pageable;
    bool is_async = false;

    // Set by the queue.
    std::uint32_t stream = 0, correlation = 0;  // as records number them
    std::uint64_t number = 0, submitted = 0, start = 0, end = 0;
    bool has_time = false, is_handed_over = false, is_done = false;
    list after = {};
};

pointer submit(operation made, list after, std::uint32_t stream);

// Waits until they are over; returns what failed.
result wait(const list& awaited);
result wait_for_all();

// Whether all are over. In late mode this brings some operation forward.
bool are_over(const list& asked);

// The result of calls once an operation has failed.
result failure();

bool is_late();

// Correlation of operations that this thread submits: that of the current call.
inline thread_local std::uint32_t correlation = 0;

}  // namespace fake::queue
