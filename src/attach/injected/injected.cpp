// The library that CUDA_INJECTION64_PATH names: the driver loads it inside cuInit and calls
// InitializeInjection. So nothing here may call the driver before a context has been created.
//
//   WATARI_TRACE_FOLDER   folder of the files (format.hpp); without it nothing is traced
//   WATARI_TRACE_CUPTI    libcupti.so to load
//   WATARI_TRACE_EVICT    launches of each kernel before which managed memory is moved to the CPU
//   (evict.hpp)
//   WATARI_TRACE_EVICT_SECONDS   seconds that sampling may take; 10 if it is not set
//   WATARI_TRACE_EVICT_UNTIL     ns of CLOCK_MONOTONIC at which sampling is over; never if not set
//   WATARI_TRACE_EVICT_ONLY      `local`, `mapped` or `faulting`: the first launches alone, in it
#include "activity.hpp"
#include "calls.hpp"
#include "evict.hpp"
#include "libraries.hpp"
#include "writer.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace watari::attach {
namespace {

struct state {
    std::mutex lock;
    std::vector<CUcontext> contexts;
    std::uint64_t to_begin = 0;  // ns
    std::atomic<std::uint64_t> for_contexts{0};
};

state& shared() {  // never destroyed: used while the process ends
    static auto* all = new state;
    return *all;
}

void synchronise(CUcontext context) {
    const auto& call = driver();
    if (call.context_push && call.context_push(context) == CUDA_SUCCESS) {
        call.context_synchronize();
        call.context_pop(&context);
    }
}

void on_context(CUpti_CallbackId what, CUcontext context) {
    auto& all = shared();
    const auto begun = writer::now();
    if (what == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
        {
            const std::lock_guard hold(all.lock);
            all.contexts.push_back(context);
        }
        enable_unified_memory(context);
    } else if (what == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        {
            const std::lock_guard hold(all.lock);
            std::erase(all.contexts, context);
        }
        drain();  // its records are lost with the context
    }
    all.for_contexts += writer::now() - begun;
}

void CUPTIAPI on_event(void*, CUpti_CallbackDomain domain, CUpti_CallbackId what,
                       const void* data) {
    if (!writer::is_open() || evict::is_evicting()) {  // a child of fork; a call of this library
        return;
    }
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        on_context(what, static_cast<const CUpti_ResourceData*>(data)->context);
    } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
        on_call(what, *static_cast<const CUpti_CallbackData*>(data));
    }
}

// Registered inside cuInit, so that it runs before the driver's exit handler destroys the contexts.
void at_exit() {
    if (!writer::is_open()) {
        return;
    }
    std::vector<CUcontext> contexts;
    {
        const std::lock_guard hold(shared().lock);
        contexts = shared().contexts;
    }
    std::for_each(contexts.begin(), contexts.end(), synchronise);
    const auto begun = writer::now();
    const auto flushes = drain();
    const auto time = writer::now();
    writer::write({.what = kind::flushed, .bytes = taking()});
    writer::write({.what = kind::end,
                   .detail = flushes,
                   .start = time,
                   .end = time - begun,
                   .address = shared().to_begin,
                   .bytes = shared().for_contexts,
                   .name = writer::count()});
}

std::optional<placement> only() {
    const char* name = std::getenv("WATARI_TRACE_EVICT_ONLY");
    if (!name || !*name) {
        return std::nullopt;
    }
    const std::string_view word = name;
    return word == "mapped"     ? placement::mapped
           : word == "faulting" ? placement::faulting
                                : placement::local;
}

bool start() {
    const char* folder = std::getenv("WATARI_TRACE_FOLDER");
    const char* library = std::getenv("WATARI_TRACE_CUPTI");
    if (!folder || !library || !writer::open(folder) || !load_cupti(library)) {
        return false;
    }
    if (const char* launches = std::getenv("WATARI_TRACE_EVICT")) {
        const char* seconds = std::getenv("WATARI_TRACE_EVICT_SECONDS");
        const char* until = std::getenv("WATARI_TRACE_EVICT_UNTIL");
        evict::set_launches(static_cast<unsigned>(std::strtoul(launches, nullptr, 10)),
                            seconds ? std::strtod(seconds, nullptr) : 10,
                            until ? std::strtoull(until, nullptr, 10) : UINT64_MAX, only());
    }
    CUpti_SubscriberHandle subscriber{};
    const auto wants = [&](CUpti_CallbackId event) {
        return check(cupti().enable_callback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, event),
                     "cuptiEnableCallback");
    };
    return check(cupti().subscribe(&subscriber, on_event, nullptr), "cuptiSubscribe") &&
           wants(CUPTI_CBID_RESOURCE_CONTEXT_CREATED) &&
           wants(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) && subscribe_to_calls(subscriber) &&
           start_activities(!evict::calls().empty());
}

}  // namespace
}  // namespace watari::attach

// A trace never stops its program: if the trace is missing, the files name the reason.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    const auto begun = watari::attach::writer::now();
    if (watari::attach::start()) {
        watari::attach::shared().to_begin = watari::attach::writer::now() - begun;
        std::atexit(watari::attach::at_exit);
    }
    return 1;
}
