// What a capture forbids. A thread's mode says which captures forbid its unsafe calls.
#include "captures.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "observe.hpp"
#include "streams.hpp"

namespace fake {

bool any_blocking_is_captured();
std::vector<stream*> captured_by(const capture* one);

namespace {

constexpr int global = 0, of_thread = 1, relaxed = 2;
std::set<capture*> going;
std::recursive_mutex lock;
unsigned long long last_id = 0;
thread_local int mode = global;

unsigned long long this_thread() { return static_cast<unsigned long long>(gettid()); }

result begin(stream& one, graph* into, int in_mode) {
    if (in_mode < global || in_mode > relaxed) return invalid_value;
    if (one.captures) return illegal_state;
    if (one.number == 7) return capture_unsupported;  // the legacy default stream
    const std::lock_guard hold(lock);
    one.captures = new capture{into, &one, ++last_id, in_mode, this_thread()};  // kept: see graphs
    one.tail_nodes.clear();
    going.insert(one.captures);
    return success;
}

result end(stream& one, graph** made) {
    capture* const own = one.captures;
    *made = nullptr;
    if (!own) return illegal_state;
    if (own->origin != &one) return breaks(own, capture_unmatched);
    if (own->mode != relaxed && own->thread != this_thread()) return capture_wrong_thread;
    const std::lock_guard hold(lock);
    bool is_joined = true;
    std::set<std::size_t> reached;
    auto left = one.tail_nodes;
    while (!left.empty()) {
        const auto node = left.back();
        left.pop_back();
        if (!reached.insert(node).second) continue;
        const auto& before = own->made->all[node].after;
        left.insert(left.end(), before.begin(), before.end());
    }
    for (stream* other : captured_by(own)) {
        for (const auto node : other->tail_nodes) is_joined = is_joined && reached.count(node);
        other->captures = nullptr;
        other->tail_nodes.clear();
    }
    going.erase(own);
    own->is_over = true;
    if (own->is_broken) return capture_invalidated;
    if (!is_joined) return capture_unjoined;
    *made = own->made;
    return success;
}

}  // namespace

bool breaks_unsafely() {
    if (mode == relaxed) return false;
    const std::lock_guard hold(lock);
    bool found = false;
    for (capture* one : going) {
        if (one->mode == relaxed) continue;
        if (one->thread != this_thread() && (mode != global || one->mode != global)) continue;
        found = one->is_broken = true;
    }
    return found;
}

bool breaks_capture() {
    const std::lock_guard hold(lock);
    for (capture* one : going) one->is_broken = true;
    return !going.empty();
}

result breaks(capture* one, result with) {
    one->is_broken = true;
    return with;
}

result breaks_implicitly() {
    if (!any_blocking_is_captured()) return success;
    breaks_capture();
    return capture_implicit;
}

}  // namespace fake

using namespace fake;

FAKE result cuStreamIsCapturing(void* asked, int* status) {
    const capture* one = stream_of(asked).captures;
    *status = !one ? 0 : one->is_broken ? 2 : 1;
    return success;
}

FAKE result cuStreamGetCaptureInfo_v2(void* asked, int* status, unsigned long long* id,
                                      void** graph_of, const void***, std::size_t*) {
    cuStreamIsCapturing(asked, status);
    const capture* one = stream_of(asked).captures;
    if (one && id) *id = one->id;
    if (one && graph_of) *graph_of = one->made;
    return success;
}

FAKE result cuStreamGetCaptureInfo_v3(void* asked, int* status, unsigned long long* id,
                                      void** graph_of, const void*** nodes, const void**,
                                      std::size_t* count) {
    return cuStreamGetCaptureInfo_v2(asked, status, id, graph_of, nodes, count);
}

FAKE result cuStreamBeginCapture_v2(void* begun, int in_mode) {
    return observed("cuStreamBeginCapture_v2",
                    {bits(begun), pair(static_cast<unsigned>(in_mode), 0)},
                    [&] { return begin(stream_of(begun), new graph, in_mode); });
}

FAKE result cuStreamBeginCaptureToGraph(void* begun, void* into, const void*, const void*,
                                        std::size_t, int in_mode) {
    return begin(stream_of(begun), static_cast<graph*>(into), in_mode);
}

FAKE result cuStreamEndCapture(void* ended, void** made) {
    return observed("cuStreamEndCapture", {bits(ended), bits(made)},
                    [&] { return end(stream_of(ended), reinterpret_cast<graph**>(made)); });
}

FAKE result cuThreadExchangeStreamCaptureMode(int* exchanged) {
    std::swap(*exchanged, mode);
    return success;
}
