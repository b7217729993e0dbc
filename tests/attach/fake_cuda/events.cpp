// Events, and graphs of captured kernels.
#include <cstring>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
#include "observe.hpp"
#include "timeline.hpp"

using namespace fake;

namespace fake {

struct event {
    std::uint64_t time = 0;
};

}  // namespace fake

FAKE result cuEventCreate(void** made, unsigned) {
    *made = new event;
    return success;
}

FAKE result cuEventDestroy_v2(void* destroyed) {
    delete static_cast<event*>(destroyed);
    return success;
}

FAKE result cuEventRecord(void* recorded, void* stream) {
    return observed("cuEventRecord", {bits(recorded), bits(stream)}, [&] {
        static_cast<event*>(recorded)->time = timeline::end_of(stream);
        return success;
    });
}

FAKE result cuEventSynchronize(void* awaited) {
    return observed("cuEventSynchronize", {bits(awaited)}, [&] {
        timeline::wait_until(static_cast<event*>(awaited)->time);
        return success;
    });
}

FAKE result cuEventQuery(void* asked) {
    return observed("cuEventQuery", {bits(asked)},
                    [&] { return static_cast<event*>(asked)->time > now() ? not_ready : success; });
}

FAKE result cuStreamWaitEvent(void* stream, void* awaited, unsigned) {
    return observed("cuStreamWaitEvent", {bits(stream), bits(awaited)}, [&] {
        timeline::follow(stream, static_cast<event*>(awaited)->time);
        return success;
    });
}

FAKE result cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
    *made = graph;
    return graph ? success : invalid_value;
}

FAKE result cuGraphLaunch(void* graph, void* stream) {
    return observed("cuGraphLaunch", {bits(graph), bits(stream)}, [&] {
        for (const captured_kernel& one : *static_cast<captured*>(graph))
            timeline::kernel(stream, one.symbol, one.blocks);
        return success;
    });
}
