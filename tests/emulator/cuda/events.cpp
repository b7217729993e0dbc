// Events: the work of a stream at the time of a record.
#include <algorithm>

#include "captures.hpp"
#include "observe.hpp"
#include "streams.hpp"

namespace fake {
namespace {

struct event {
    queue::list work = {};
    capture* captures = nullptr;  // recorded there
    graph::nodes nodes = {};
    bool has_time = true, is_recorded = false;
    std::uint64_t recorded = 0;  // ns

    std::uint64_t time() const {
        std::uint64_t latest = recorded;
        for (const queue::pointer& one : work) latest = std::max(latest, one->end);
        return latest;
    }
};

event& of(void* handle) { return *static_cast<event*>(handle); }

result record(event& one, stream& in) {
    one.captures = in.captures;
    one.nodes = in.tail_nodes;
    if (in.captures) return success;
    queue::pointer last;
    if (is_legacy(in))
        if (const result outcome = order_legacy(&last)) return outcome;
    one.work = last ? queue::list{last} : ready(in);
    one.recorded = now();
    one.is_recorded = true;
    return success;
}

// The result of a wait for an event of a capture, or a query of it.
result breaks_by_wait(const event& one) {
    return one.captures->is_broken ? invalid_value : breaks(one.captures, captured_event);
}

result follow(stream& later, const event& one) {
    if (one.captures) {
        if (one.captures->is_broken) return invalid_value;
        if (one.captures->is_over) return captured_event;
        if (later.captures && later.captures != one.captures) return breaks(later.captures, 902);
        later.captures = one.captures;
        later.tail_nodes.insert(later.tail_nodes.end(), one.nodes.begin(), one.nodes.end());
        return success;
    }
    if (later.captures)
        return one.is_recorded ? breaks(later.captures, capture_isolation) : success;
    follow(later, one.work);
    return is_legacy(later) ? order_legacy() : success;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE result cuEventCreate(void** made, unsigned flags) {
    return observed("cuEventCreate", {bits(made), flags}, [&] {
        *made = new event{.has_time = (flags & 2) == 0};
        return success;
    });
}

FAKE result cuEventDestroy_v2(void* destroyed) {
    return observed("cuEventDestroy_v2", {bits(destroyed)}, [&] {
        delete static_cast<event*>(destroyed);
        return success;
    });
}

FAKE result cuEventRecord(void* recorded, void* stream) {
    return observed("cuEventRecord", {bits(recorded), bits(stream)},
                    [&] { return record(of(recorded), stream_of(stream)); });
}

FAKE result cuEventRecordWithFlags(void* recorded, void* stream, unsigned) {
    return cuEventRecord(recorded, stream);
}

FAKE result cuEventSynchronize(void* awaited) {
    return observed("cuEventSynchronize", {bits(awaited)}, [&] {
        if (of(awaited).captures) return breaks_by_wait(of(awaited));
        return queue::wait(of(awaited).work);
    });
}

FAKE result cuEventQuery(void* asked) {
    return observed("cuEventQuery", {bits(asked)}, [&] {
        if (of(asked).captures) return breaks_by_wait(of(asked));
        if (breaks_unsafely()) return capture_unsupported;
        return queue::are_over(of(asked).work) ? success : not_ready;
    });
}

FAKE result cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
    if (!of(begin).has_time || !of(end).has_time || !of(begin).is_recorded || !of(end).is_recorded)
        return 400;  // invalid handle
    if (!queue::are_over(of(begin).work) || !queue::are_over(of(end).work)) return not_ready;
    const auto took = static_cast<std::int64_t>(of(end).time() - of(begin).time());
    *milliseconds = static_cast<float>(took) * 1e-6f;
    return success;
}

FAKE result cuEventElapsedTime_v2(float* milliseconds, void* begin, void* end) {
    return cuEventElapsedTime(milliseconds, begin, end);
}

FAKE result cuStreamWaitEvent(void* stream, void* awaited, unsigned) {
    return observed("cuStreamWaitEvent", {bits(stream), bits(awaited)},
                    [&] { return follow(stream_of(stream), of(awaited)); });
}
