#include "hints.hpp"

#include "../driver/device.hpp"
#include "../driver/real.hpp"
#include "../log/event_log.hpp"
#include "../log/lock.hpp"
#include "settings.hpp"

namespace attach {
namespace {

using driver::device_pointer;
using driver::result;
using driver::stream;

void record_hint(const char* api, std::uint64_t begun, device_pointer pointer, result outcome) {
    const guard hold;
    event("hint", begun).text("api", api).pointer("ptr", pointer).number("rc", outcome).write();
}

void advise(device_pointer pointer, std::size_t bytes, int advice, driver::device about) {
    const std::uint64_t begun = now();
    auto* call =
        driver_function<result(device_pointer, std::size_t, int, driver::device)>("cuMemAdvise");
    const result outcome = call ? call(pointer, bytes, advice, about) : driver::not_supported;
    record_hint("cuMemAdvise", begun, pointer, outcome);
}

void prefetch(device_pointer pointer, std::size_t bytes, driver::device to, stream on) {
    const std::uint64_t begun = now();
    auto* call = driver_function<result(device_pointer, std::size_t, driver::device, stream)>(
        "cuMemPrefetchAsync");
    const result outcome = call ? call(pointer, bytes, to, on) : driver::not_supported;
    record_hint("cuMemPrefetchAsync", begun, pointer, outcome);
}

}  // namespace

void treat_managed(device_pointer pointer, std::size_t bytes, stream on) {
    const treatment wanted = chosen_style().of_managed;
    if (wanted == treatment::none) return;
    const driver::device gpu = current_device();
    switch (wanted) {
        case treatment::none:
            break;
        case treatment::prefetch:
            prefetch(pointer, bytes, gpu, on);
            break;
        case treatment::mapped:
            advise(pointer, bytes, driver::advise_preferred_location, driver::cpu_device);
            advise(pointer, bytes, driver::advise_accessed_by, gpu);
            break;
        case treatment::read_mostly:
            advise(pointer, bytes, driver::advise_read_mostly, gpu);
            break;
        case treatment::preferred_gpu:
            advise(pointer, bytes, driver::advise_preferred_location, gpu);
            break;
        case treatment::accessed_by:
            advise(pointer, bytes, driver::advise_accessed_by, gpu);
            break;
    }
}

}  // namespace attach
