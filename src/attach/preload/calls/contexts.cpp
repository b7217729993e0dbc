// The first context, which ends the start of CUDA, and the end of contexts and streams. The driver
// releases the memory of a context with it, so that moved allocations end, too. cudaDeviceReset is
// a reset of the primary context.
#include <atomic>

#include "../log/event_log.hpp"
#include "../log/lock.hpp"
#include "../pooled/pooled.hpp"
#include "../staged/staged.hpp"
#include "../styles/managed.hpp"
#include "../styles/memory.hpp"
#include "../styles/settings.hpp"
#include "functions.hpp"

namespace attach {
namespace {

bool is_active(driver::device of) {
    unsigned flags = 0;
    int active = 0;
    auto* state =
        driver_function<result(driver::device, unsigned*, int*)>("cuDevicePrimaryCtxGetState");
    return state && state(of, &flags, &active) == driver::success && active != 0;
}

// Whether the log, or anything that ends with a context, needs to know its end.
bool is_end_of_use() {
    return log_folder() || is_anything_moved() || pooled::holds_any() || staged::holds_any() ||
           managed::holds_any();
}

// The primary context of a device, null if it is not active, or its end is of no use.
void* primary_context(driver::device of) {
    void* context = nullptr;
    auto* retain = driver_function<result(void**, driver::device)>("cuDevicePrimaryCtxRetain");
    if (!is_end_of_use() || !retain || !is_active(of) || retain(&context, of) != driver::success)
        return nullptr;
    real<cuDevicePrimaryCtxRelease_v2>()(of);
    return context;
}

// `device`: of a primary context, -1 of others.
void end(const void* context, driver::device device) {
    {
        const guard hold;
        event("destroy", now())
            .pointer("context", reinterpret_cast<std::uintptr_t>(context))
            .write();
    }
    forget_context(context);
    pooled::forget_context(context, device);
    staged::forget(context);
    managed::forget_context(context);
}

std::atomic<bool> is_made = false;

// Records the making of the first context.
void made(std::uint64_t begun, result outcome) {
    if (outcome != driver::success || is_made.exchange(true)) return;
    const std::uint64_t took = now() - begun;
    const guard hold;
    event("context", begun).seconds("s", took).write();
}

}  // namespace

result cuDevicePrimaryCtxRetain(void** context, driver::device of) {
    const std::uint64_t begun = now();
    const result outcome = real<cuDevicePrimaryCtxRetain>()(context, of);
    made(begun, outcome);
    return outcome;
}

result cuDevicePrimaryCtxReset_v2(driver::device of) {
    const void* context = primary_context(of);
    pooled::give_back();
    const result outcome = real<cuDevicePrimaryCtxReset_v2>()(of);
    if (outcome == driver::success && context) end(context, of);
    return outcome;
}

result cuDevicePrimaryCtxRelease_v2(driver::device of) {
    const void* context = primary_context(of);
    const result outcome = real<cuDevicePrimaryCtxRelease_v2>()(of);
    if (outcome == driver::success && context && !is_active(of)) end(context, of);
    return outcome;
}

result cuCtxDestroy_v2(void* context) {
    const result outcome = real<cuCtxDestroy_v2>()(context);
    if (outcome == driver::success) end(context, -1);
    return outcome;
}

result cuStreamDestroy_v2(stream on) {
    forget_stream(on);
    return real<cuStreamDestroy_v2>()(on);
}

}  // namespace attach
