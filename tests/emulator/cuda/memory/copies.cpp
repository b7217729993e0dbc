// Copies, of boxes: `depth` slices of `height` rows of `width` bytes.
#include <atomic>
#include <cstring>

#include "../observe.hpp"
#include "../streams.hpp"
#include "copies.hpp"
#include "memory.hpp"

namespace fake {
namespace {

using queue::place;
using timeline::engine;

// Pageable memory of up to this size is staged, and the call returns before the copy. An H100 does
// so at this size, and waits for the copy of 32 MiB.
constexpr std::size_t small = 128 * 1024;

// Copies to the GPU of up to this size do not wait for its copy engine; those to the CPU do.
constexpr std::size_t inlined = 4096;

bool is_host(place one) { return one == place::pageable || one == place::pinned; }

template <typename Visit>
void each_row(const box& in, Visit visit) {
    for (std::size_t slice = 0; slice < in.depth; ++slice)
        for (std::size_t row = 0; row < in.height; ++row)
            visit(in.to + slice * in.to_slice + row * in.to_pitch,
                  in.from + slice * in.from_slice + row * in.from_pitch);
}

void move(const box& in) {
    const residency::gpu_works copying;
    each_row(in, [&](device_pointer to, device_pointer from) {
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), in.width);
    });
}

// The rows as they are now, one after the other.
std::shared_ptr<std::vector<char>> staged(const box& in) {
    auto bytes = std::make_shared<std::vector<char>>(in.bytes());
    char* at = bytes->data();
    each_row(in, [&](device_pointer, device_pointer from) {
        std::memcpy(at, reinterpret_cast<const void*>(from), in.width);
        at += in.width;
    });
    return bytes;
}

box packed(box in, const std::vector<char>& bytes) {
    in.from = bits(bytes.data());
    in.from_pitch = in.width;
    in.from_slice = in.width * in.height;
    return in;
}

engine engine_of(place from, place to, std::size_t bytes) {
    if (is_host(from) && !is_host(to)) return bytes > inlined ? engine::to_gpu : engine::none;
    return is_host(to) && !is_host(from) ? engine::to_cpu : engine::none;
}

}  // namespace

result copy(const box& in, void* stream, bool is_async) {
    const place from = place_of(in.from), there = place_of(in.to);
    queue::operation made{.what = queue::operation::kind::copy,
                          .act = [in] { move(in); },
                          .of = engine_of(from, there, in.bytes()),
                          .takes = timeline::of_bytes(in.bytes()),
                          .bytes = in.bytes(),
                          .from = from,
                          .to = there,
                          .is_async = is_async};
    std::atomic_ref(counted.copies) += 1;
    std::atomic_ref(counted.copied_bytes) += static_cast<long long>(made.bytes);
    fake::stream& to = stream_of(stream);
    const bool is_captured = to.captures;
    const bool is_staged = !is_captured && made.from == place::pageable && !is_host(made.to);
    const bool is_written = !is_host(made.from) && made.to == place::pageable;
    const bool is_inside = !is_host(made.from) && !is_host(made.to);
    const bool is_large = made.bytes > small;
    if (is_staged) {
        if (!is_async || is_large)
            if (const result failed = queue::wait(ready(to))) return failed;
        made.act = [in, bytes = staged(in)] { move(packed(in, *bytes)); };
    }
    queue::pointer submitted;
    if (const result outcome = submit(stream, std::move(made), &submitted)) return outcome;
    if (is_captured || is_inside) return success;
    const bool is_awaited = is_staged ? is_large && !queue::is_late() : !is_async || is_written;
    return is_awaited ? queue::wait({submitted}) : success;
}

}  // namespace fake

using namespace fake;

namespace {

// The driver knows every address of the GPU's side, unless the GPU reads pageable memory.
bool is_known(device_pointer pointer, std::size_t bytes) {
    const auto found = find(pointer);
    if (!found) return has_pageable_access();
    return bytes <= found->bytes && pointer - found->begin <= found->bytes - bytes;
}

box line(device_pointer to, device_pointer from, std::size_t bytes) {
    return {.to = to, .from = from, .width = bytes};
}

// CUDA_MEMCPY2D_v2 and CUDA_MEMCPY3D_v2
struct side {
    device_pointer host, device;
};
struct rectangle {
    std::size_t from_x, from_y;
    unsigned from_type;
    side from;
    void* from_array;
    std::size_t from_pitch, to_x, to_y;
    unsigned to_type;
    side to;
    void* to_array;
    std::size_t to_pitch, width, height;
};
struct cuboid {
    std::size_t from_x, from_y, from_z, from_level;
    unsigned from_type;
    side from;
    void *from_array, *unused_from;
    std::size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
    unsigned to_type;
    side to;
    void *to_array, *unused_to;
    std::size_t to_pitch, to_height, width, height, depth;
};
constexpr unsigned host_type = 1, array_type = 3;
constexpr std::size_t most_pitch = 0x7fffffff;  // CU_DEVICE_ATTRIBUTE_MAX_PITCH

device_pointer base(unsigned type, const side& of) {
    return type == host_type ? of.host : of.device;
}

// As CUDA demands of rows and volumes. Without pitch or height, they are those of the copy.
bool fits(std::size_t room, std::size_t begin, std::size_t size) {
    return room == 0 || room >= begin + size;
}

result copy(const rectangle& in, void* stream, bool is_async) {
    if (in.from_type == array_type || in.to_type == array_type) return not_supported;
    if (!fits(in.from_pitch, in.from_x, in.width) || !fits(in.to_pitch, in.to_x, in.width))
        return invalid_value;
    const auto from_pitch = in.from_pitch ? in.from_pitch : in.width;
    const auto to_pitch = in.to_pitch ? in.to_pitch : in.width;
    if (from_pitch > most_pitch || to_pitch > most_pitch) return invalid_value;
    return copy(box{.to = base(in.to_type, in.to) + in.to_y * to_pitch + in.to_x,
                    .from = base(in.from_type, in.from) + in.from_y * from_pitch + in.from_x,
                    .width = in.width,
                    .height = in.height,
                    .to_pitch = to_pitch,
                    .from_pitch = from_pitch},
                stream, is_async);
}

result copy(const cuboid& in, void* stream, bool is_async) {
    if (in.from_type == array_type || in.to_type == array_type) return not_supported;
    if (!fits(in.from_pitch, in.from_x, in.width) || !fits(in.to_pitch, in.to_x, in.width) ||
        !fits(in.from_height, in.from_y, in.height) || !fits(in.to_height, in.to_y, in.height))
        return invalid_value;
    const auto from_pitch = in.from_pitch ? in.from_pitch : in.width;
    const auto to_pitch = in.to_pitch ? in.to_pitch : in.width;
    if (from_pitch > most_pitch || to_pitch > most_pitch) return invalid_value;
    const auto from_slice = from_pitch * (in.from_height ? in.from_height : in.height);
    const auto to_slice = to_pitch * (in.to_height ? in.to_height : in.height);
    return copy(
        box{.to = base(in.to_type, in.to) + in.to_z * to_slice + in.to_y * to_pitch + in.to_x,
            .from = base(in.from_type, in.from) + in.from_z * from_slice + in.from_y * from_pitch +
                    in.from_x,
            .width = in.width,
            .height = in.height,
            .depth = in.depth,
            .to_pitch = to_pitch,
            .from_pitch = from_pitch,
            .to_slice = to_slice,
            .from_slice = from_slice},
        stream, is_async);
}

}  // namespace

FAKE result cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
    if (!is_known(to, bytes)) return invalid_value;
    return observed("cuMemcpyHtoD_v2", {to, bits(from), bytes},
                    [&] { return copy(line(to, bits(from), bytes), nullptr, false); });
}

FAKE result cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
    if (!is_known(from, bytes)) return invalid_value;
    return observed("cuMemcpyDtoH_v2", {bits(to), from, bytes},
                    [&] { return copy(line(bits(to), from, bytes), nullptr, false); });
}

FAKE result cuMemcpyDtoD_v2(device_pointer to, device_pointer from, std::size_t bytes) {
    return observed("cuMemcpyDtoD_v2", {to, from, bytes},
                    [&] { return copy(line(to, from, bytes), nullptr, false); });
}

FAKE result cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
    return observed("cuMemcpy", {to, from, bytes},
                    [&] { return copy(line(to, from, bytes), nullptr, false); });
}

FAKE result cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, void* stream) {
    return observed("cuMemcpyAsync", {to, from, bytes, bits(stream)},
                    [&] { return copy(line(to, from, bytes), stream, true); });
}

FAKE result cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes,
                                 void* stream) {
    if (!is_known(to, bytes)) return invalid_value;
    return observed("cuMemcpyHtoDAsync_v2", {to, bits(from), bytes, bits(stream)},
                    [&] { return copy(line(to, bits(from), bytes), stream, true); });
}

FAKE result cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, void* stream) {
    if (!is_known(from, bytes)) return invalid_value;
    return observed("cuMemcpyDtoHAsync_v2", {bits(to), from, bytes, bits(stream)},
                    [&] { return copy(line(bits(to), from, bytes), stream, true); });
}

FAKE result cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, std::size_t bytes,
                                 void* stream) {
    return observed("cuMemcpyDtoDAsync_v2", {to, from, bytes, bits(stream)},
                    [&] { return copy(line(to, from, bytes), stream, true); });
}

FAKE result cuMemcpy2D_v2(const rectangle* in) {
    return observed("cuMemcpy2D_v2", {bits(in)}, [&] { return copy(*in, nullptr, false); });
}

FAKE result cuMemcpy2DUnaligned_v2(const rectangle* in) {
    return observed("cuMemcpy2DUnaligned_v2", {bits(in)},
                    [&] { return copy(*in, nullptr, false); });
}

FAKE result cuMemcpy2DAsync_v2(const rectangle* in, void* stream) {
    return observed("cuMemcpy2DAsync_v2", {bits(in), bits(stream)},
                    [&] { return copy(*in, stream, true); });
}

FAKE result cuMemcpy3D_v2(const cuboid* in) {
    return observed("cuMemcpy3D_v2", {bits(in)}, [&] { return copy(*in, nullptr, false); });
}

FAKE result cuMemcpy3DAsync_v2(const cuboid* in, void* stream) {
    return observed("cuMemcpy3DAsync_v2", {bits(in), bits(stream)},
                    [&] { return copy(*in, stream, true); });
}
