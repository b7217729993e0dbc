// Host functions and callbacks of streams. They run in a thread of the driver, one after the other.
#include "observe.hpp"
#include "streams.hpp"

using namespace fake;

FAKE result cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    return observed("cuLaunchHostFunc",
                    {bits(stream), bits(reinterpret_cast<void*>(function)), bits(data)}, [&] {
                        return submit(stream, {.what = queue::operation::kind::host,
                                               .act = [=] { function(data); }});
                    });
}

FAKE result cuStreamAddCallback(void* stream, void (*function)(void*, result, void*), void* data,
                                unsigned flags) {
    return observed("cuStreamAddCallback",
                    {bits(stream), bits(reinterpret_cast<void*>(function)), bits(data), flags},
                    [&] {
                        if (stream_of(stream).captures) return breaks(stream_of(stream).captures);
                        return submit(stream, {.what = queue::operation::kind::host,
                                               .act = [=] { function(stream, success, data); }});
                    });
}
