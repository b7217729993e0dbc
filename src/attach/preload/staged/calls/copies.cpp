// Replacements of the functions that copy between the program's memory and the GPU's.
#include "asked.hpp"

namespace attach {
namespace {

using staged::own, staged::stage_or, staged::to_device, staged::to_host, staged::transfer;

const stream legacy = nullptr, per_thread = own(nullptr);

template <class AsIs>
result copy_either(device_pointer to, device_pointer from, std::size_t bytes, bool waits, stream on,
                   AsIs as_is) {
    const transfer in{reinterpret_cast<unsigned char*>(from), to, bytes, to_device, waits, on};
    const transfer out{reinterpret_cast<unsigned char*>(to), from, bytes, to_host, waits, on};
    return staged::stage_either_or(in, out, as_is);
}

unsigned char* bytes_of(const void* host) {
    return static_cast<unsigned char*>(const_cast<void*>(host));
}

}  // namespace

result cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
    return stage_or({bytes_of(from), to, bytes, to_device, true, legacy},
                    [&] { return real<cuMemcpyHtoD_v2>()(to, from, bytes); });
}

result cuMemcpyHtoD_v2_ptds(device_pointer to, const void* from, std::size_t bytes) {
    return stage_or({bytes_of(from), to, bytes, to_device, true, per_thread},
                    [&] { return real<cuMemcpyHtoD_v2_ptds>()(to, from, bytes); });
}

result cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
    return stage_or({bytes_of(to), from, bytes, to_host, true, legacy},
                    [&] { return real<cuMemcpyDtoH_v2>()(to, from, bytes); });
}

result cuMemcpyDtoH_v2_ptds(void* to, device_pointer from, std::size_t bytes) {
    return stage_or({bytes_of(to), from, bytes, to_host, true, per_thread},
                    [&] { return real<cuMemcpyDtoH_v2_ptds>()(to, from, bytes); });
}

result cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, stream on) {
    return stage_or({bytes_of(from), to, bytes, to_device, false, on},
                    [&] { return real<cuMemcpyHtoDAsync_v2>()(to, from, bytes, on); });
}

result cuMemcpyHtoDAsync_v2_ptsz(device_pointer to, const void* from, std::size_t bytes,
                                 stream on) {
    return stage_or({bytes_of(from), to, bytes, to_device, false, own(on)},
                    [&] { return real<cuMemcpyHtoDAsync_v2_ptsz>()(to, from, bytes, on); });
}

result cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, stream on) {
    return stage_or({bytes_of(to), from, bytes, to_host, false, on},
                    [&] { return real<cuMemcpyDtoHAsync_v2>()(to, from, bytes, on); });
}

result cuMemcpyDtoHAsync_v2_ptsz(void* to, device_pointer from, std::size_t bytes, stream on) {
    return stage_or({bytes_of(to), from, bytes, to_host, false, own(on)},
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
