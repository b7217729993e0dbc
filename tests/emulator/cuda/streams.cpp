// Handles of streams are used again as soon as one is destroyed.
#include "streams.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "observe.hpp"

namespace fake {
namespace {

// Never destroyed: used to the end of the process.
constexpr std::size_t most = 1024;
stream* const created = new stream[most];
stream& legacy = *new stream{.exists = true, .number = 7};
queue::list& orphans = *new queue::list;  // work of blocking streams that are gone
std::vector<stream*>& of_threads = *new std::vector<stream*>;
std::recursive_mutex lock;
std::uint32_t last_number = 7;
thread_local int per_thread_depth = 0;

stream& of_thread() {
    thread_local stream* own = nullptr;
    if (!own) {
        const std::lock_guard hold(lock);
        own = new stream{.exists = true, .number = ++last_number};
        of_threads.push_back(own);
    }
    return *own;
}

template <typename Visit>
void each_blocking(Visit visit) {
    const std::lock_guard hold(lock);
    for (std::size_t i = 0; i < most; ++i)
        if (created[i].exists && created[i].is_blocking) visit(created[i]);
    for (const stream* one : of_threads) visit(*one);
}

void append(queue::list& to, const queue::list& from) {
    for (const queue::pointer& one : from)
        if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

result create(void** made, unsigned flags, int priority) {
    const std::lock_guard hold(lock);
    auto* free =
        std::find_if(created, created + most, [](const stream& one) { return !one.exists; });
    if (!made || flags > 1) return invalid_value;
    if (free == created + most) return out_of_memory;
    *free = {.exists = true,
             .is_blocking = flags == 0,
             .number = ++last_number,
             .flags = flags,
             .priority = priority};
    *made = free;
    return success;
}

}  // namespace

per_thread_default::per_thread_default() { ++per_thread_depth; }
per_thread_default::~per_thread_default() { --per_thread_depth; }
bool is_per_thread() { return per_thread_depth > 0; }

stream& stream_of(void* handle) {
    const auto value = bits(handle);
    if (value == 2 || (value == 0 && per_thread_depth > 0)) return of_thread();
    return value < 2 ? legacy : *static_cast<stream*>(handle);
}

bool is_legacy(const stream& one) { return &one == &legacy; }

result order_legacy(queue::pointer* submitted) {
    return submit(reinterpret_cast<void*>(1), {}, submitted);
}

bool exists(void* handle) { return stream_of(handle).exists; }

queue::list ready(const stream& of) {
    const std::lock_guard hold(lock);
    queue::list found = of.tail;
    if (&of == &legacy) {
        each_blocking([&](const stream& one) { append(found, one.tail); });
        append(found, orphans);
    } else if (of.is_blocking) {
        append(found, legacy.tail);
    }
    return found;
}

queue::list awaited(const stream& of) {
    const std::lock_guard hold(lock);
    return is_legacy(of) ? ready(of) : of.tail;
}

void follow(stream& later, const queue::list& work) {
    const std::lock_guard hold(lock);
    for (const queue::pointer& other : work)
        if (std::find(later.tail.begin(), later.tail.end(), other) == later.tail.end())
            later.tail.push_back(other);
}

result submit(void* handle, queue::operation made, queue::pointer* submitted) {
    const std::lock_guard hold(lock);
    stream& to = stream_of(handle);
    if (!to.exists) return invalid_handle;
    if (&to == &legacy)
        if (const result outcome = breaks_implicitly()) return outcome;
    if (to.captures) {
        to.captures->made->all.push_back({std::move(made), to.tail_nodes});
        to.tail_nodes = {to.captures->made->all.size() - 1};
        return success;
    }
    const auto one = queue::submit(std::move(made), ready(to), to.number);
    to.tail = {one};
    if (&to == &legacy) orphans.clear();
    if (submitted) *submitted = one;
    return success;
}

bool any_blocking_is_captured() {
    bool found = false;
    each_blocking([&](const stream& one) { found = found || one.captures; });
    return found;
}

std::vector<stream*> captured_by(const capture* one) {
    std::vector<stream*> found;
    for (std::size_t i = 0; i < most; ++i)
        if (created[i].exists && created[i].captures == one) found.push_back(&created[i]);
    for (stream* other : of_threads)
        if (other->captures == one) found.push_back(other);
    return found;
}

}  // namespace fake

using namespace fake;

FAKE result cuStreamCreate(void** made, unsigned flags) {
    return observed("cuStreamCreate", {bits(made), flags}, [&] { return create(made, flags, 0); });
}

FAKE result cuStreamCreateWithPriority(void** made, unsigned flags, int priority) {
    return observed("cuStreamCreateWithPriority", {bits(made), pair(flags, 0)},
                    [&] { return create(made, flags, priority); });
}

FAKE result cuStreamDestroy_v2(void* destroyed) {
    return observed("cuStreamDestroy_v2", {bits(destroyed)}, [&] {
        stream& one = stream_of(destroyed);
        if (bits(destroyed) <= 2 || !one.exists) return invalid_handle;
        const std::lock_guard hold(lock);
        if (one.is_blocking) append(orphans, one.tail);
        one = {};
        return success;
    });
}

FAKE result cuStreamSynchronize(void* awaited) {
    return observed("cuStreamSynchronize", {bits(awaited)}, [&] {
        const stream& one = stream_of(awaited);
        if (one.captures) return breaks(one.captures);
        if (&one == &legacy)
            if (const result outcome = breaks_implicitly()) return outcome;
        if (breaks_unsafely()) return capture_unsupported;
        return queue::wait(fake::awaited(one));
    });
}

FAKE result cuStreamQuery(void* asked) {
    return observed("cuStreamQuery", {bits(asked)}, [&] {
        const stream& one = stream_of(asked);
        if (one.captures) return breaks(one.captures);
        if (breaks_unsafely()) return capture_unsupported;
        const bool is_over = !std::getenv("FAKE_CUDA_BUSY") && queue::are_over(fake::awaited(one));
        return is_over ? success : not_ready;
    });
}

FAKE result cuStreamGetFlags(void* asked, unsigned* flags) {
    *flags = stream_of(asked).flags;
    return success;
}

FAKE result cuStreamGetPriority(void* asked, int* priority) {
    *priority = stream_of(asked).priority;
    return success;
}

FAKE result cuStreamGetId(void* asked, unsigned long long* id) {
    *id = stream_of(asked).number;
    return success;
}

FAKE std::uint32_t fake_cuda_stream_number(const void* handle) {
    return stream_of(const_cast<void*>(handle)).number;
}
