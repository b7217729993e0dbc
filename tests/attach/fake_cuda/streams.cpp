// Streams, whose handles are used again as soon as one is destroyed, and the calls that a capture
// forbids.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "fake_cuda.hpp"
#include "observe.hpp"

namespace fake {
namespace {

struct stream {
    bool exists, captures;
    captured* capture = nullptr;
};
stream streams[64];
std::atomic<int> capturing{0};
std::atomic<bool> is_broken{false};  // whether the capture is
constexpr result capture_invalidated = 901;
constexpr int relaxed = 2;
thread_local int mode = 0;  // global: forbids calls that could break any thread's capture

}  // namespace

bool is_forbidden() { return capturing > 0 && mode != relaxed; }

captured* capture_of(void* asked) {
    return asked && static_cast<stream*>(asked)->captures ? static_cast<stream*>(asked)->capture
                                                          : nullptr;
}

bool breaks_capture() {
    if (capturing > 0) is_broken = true;
    return capturing > 0;
}

}  // namespace fake

using namespace fake;

FAKE result cuStreamCreate(void** made, unsigned flags) {
    auto* free = std::find_if(std::begin(streams), std::end(streams),
                              [](const stream& one) { return !one.exists; });
    if (free == std::end(streams)) return out_of_memory;
    *free = {true, false};
    *made = free;
    return observed("cuStreamCreate", {bits(made), flags}, [&] {
        timeline::created(free, flags == 0);
        return success;
    });
}

FAKE result cuStreamDestroy_v2(void* destroyed) {
    static_cast<stream*>(destroyed)->exists = false;
    return success;
}

FAKE result cuStreamSynchronize(void* awaited) {
    return observed("cuStreamSynchronize", {bits(awaited)}, [&] {
        timeline::wait_until(timeline::end_of(awaited));
        return success;
    });
}

FAKE result cuStreamQuery(void* asked) {
    return observed("cuStreamQuery", {bits(asked)}, [&] {
        const bool is_busy = std::getenv("FAKE_CUDA_BUSY") || timeline::end_of(asked) > now();
        return is_busy ? not_ready : success;
    });
}

FAKE result cuStreamIsCapturing(void* asked, int* status) {
    *status = asked && static_cast<stream*>(asked)->captures;
    return success;
}

FAKE result cuStreamBeginCapture_v2(void* begun, int) {
    static_cast<stream*>(begun)->captures = true;
    static_cast<stream*>(begun)->capture = new captured;  // the graph is never destroyed
    ++capturing;
    return success;
}

FAKE result cuStreamEndCapture(void* ended, void** graph) {
    static_cast<stream*>(ended)->captures = false;
    --capturing;
    *graph = static_cast<stream*>(ended)->capture;
    return is_broken.exchange(false) ? capture_invalidated : success;
}

FAKE result cuThreadExchangeStreamCaptureMode(int* exchanged) {
    std::swap(*exchanged, mode);
    return success;
}
