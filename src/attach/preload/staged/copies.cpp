// Replacements of the functions that copy between the program's memory and the GPU's.
#include "../copied.hpp"
#include "../event_log.hpp"
#include "../functions.hpp"
#include "../settings.hpp"
#include "staged.hpp"

namespace attach {
namespace {

using staged::transfer;

constexpr bool to_device = false, to_host = true;

// In functions of a thread's own default stream, that one is meant by null.
stream own(stream on) { return on ? on : reinterpret_cast<stream>(std::uintptr_t{2}); }
const stream legacy = nullptr, per_thread = own(nullptr);

// Copies that could be staged are recorded by their site; others are too many, and cost too little,
// to ask the driver about each.
template <class AsIs>
result copy(const transfer& asked, AsIs as_is) {
    const bool is_staged = settings().changes.staged;
    if (asked.bytes < staged::least_copy || (!is_staged && !memory_log_folder()) ||
        !staged::is_pageable(asked))
        return as_is();
    const copy_name name = name_copy(asked.bytes);
    const std::uint64_t begun = now();
    result outcome;
    if (!is_staged || !name.is_chosen || !staged::copy(asked, outcome)) {
        outcome = as_is();
        if (outcome == driver::success) staged::compare_with(asked, now() - begun);
    }
    record_copy(name, !asked.is_to_host, asked.bytes, now() - begun);
    return outcome;
}

// The device pointer of one side is the host pointer of the other: which is which, the driver
// knows.
template <class AsIs>
result copy_either(device_pointer to, device_pointer from, std::size_t bytes, bool waits, stream on,
                   AsIs as_is) {
    const transfer in{reinterpret_cast<unsigned char*>(from), to, bytes, to_device, waits, on};
    const transfer out{reinterpret_cast<unsigned char*>(to), from, bytes, to_host, waits, on};
    return copy(in, [&] { return copy(out, as_is); });
}

unsigned char* bytes_of(const void* host) {
    return static_cast<unsigned char*>(const_cast<void*>(host));
}

}  // namespace

result cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
    return copy({bytes_of(from), to, bytes, to_device, true, legacy},
                [&] { return real<cuMemcpyHtoD_v2>()(to, from, bytes); });
}

result cuMemcpyHtoD_v2_ptds(device_pointer to, const void* from, std::size_t bytes) {
    return copy({bytes_of(from), to, bytes, to_device, true, per_thread},
                [&] { return real<cuMemcpyHtoD_v2_ptds>()(to, from, bytes); });
}

result cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
    return copy({bytes_of(to), from, bytes, to_host, true, legacy},
                [&] { return real<cuMemcpyDtoH_v2>()(to, from, bytes); });
}

result cuMemcpyDtoH_v2_ptds(void* to, device_pointer from, std::size_t bytes) {
    return copy({bytes_of(to), from, bytes, to_host, true, per_thread},
                [&] { return real<cuMemcpyDtoH_v2_ptds>()(to, from, bytes); });
}

result cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, stream on) {
    return copy({bytes_of(from), to, bytes, to_device, false, on},
                [&] { return real<cuMemcpyHtoDAsync_v2>()(to, from, bytes, on); });
}

result cuMemcpyHtoDAsync_v2_ptsz(device_pointer to, const void* from, std::size_t bytes,
                                 stream on) {
    return copy({bytes_of(from), to, bytes, to_device, false, own(on)},
                [&] { return real<cuMemcpyHtoDAsync_v2_ptsz>()(to, from, bytes, on); });
}

result cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, stream on) {
    return copy({bytes_of(to), from, bytes, to_host, false, on},
                [&] { return real<cuMemcpyDtoHAsync_v2>()(to, from, bytes, on); });
}

result cuMemcpyDtoHAsync_v2_ptsz(void* to, device_pointer from, std::size_t bytes, stream on) {
    return copy({bytes_of(to), from, bytes, to_host, false, own(on)},
                [&] { return real<cuMemcpyDtoHAsync_v2_ptsz>()(to, from, bytes, on); });
}

result cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
    return copy_either(to, from, bytes, true, legacy,
                       [&] { return real<cuMemcpy>()(to, from, bytes); });
}

result cuMemcpy_ptds(device_pointer to, device_pointer from, std::size_t bytes) {
    return copy_either(to, from, bytes, true, per_thread,
                       [&] { return real<cuMemcpy_ptds>()(to, from, bytes); });
}

result cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, stream on) {
    return copy_either(to, from, bytes, false, on,
                       [&] { return real<cuMemcpyAsync>()(to, from, bytes, on); });
}

result cuMemcpyAsync_ptsz(device_pointer to, device_pointer from, std::size_t bytes, stream on) {
    return copy_either(to, from, bytes, false, own(on),
                       [&] { return real<cuMemcpyAsync_ptsz>()(to, from, bytes, on); });
}

}  // namespace attach
