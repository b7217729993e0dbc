// Replacements of the functions that copy rows. Volumes are staged if their rows are equally far
// from each other on both sides; arrays (textures) are left to the driver.
#include "asked.hpp"

namespace attach {
namespace {

using driver::cuboid, driver::rectangle;
using staged::own, staged::stage_either_or, staged::stage_or, staged::to_device, staged::to_host,
    staged::transfer;

const stream legacy = nullptr, per_thread = own(nullptr);

// One side of a copy of rows.
struct side {
    unsigned type;
    unsigned char* host;
    device_pointer device;
    std::size_t pitch;

    bool may_be(unsigned kind) const { return type == kind || type == driver::any_memory; }
    unsigned char* as_host() const {
        return type == driver::host_memory ? host : reinterpret_cast<unsigned char*>(device);
    }
};

unsigned char* bytes_of(const void* host) {
    return static_cast<unsigned char*>(const_cast<void*>(host));
}

side at(unsigned type, const void* host, device_pointer device, std::size_t pitch,
        std::size_t offset) {
    return {type, bytes_of(host) + offset, device + offset, pitch};
}

struct request {
    side from, to;
    std::size_t width, height;

    // Whether the driver takes such pitches (CU_DEVICE_ATTRIBUTE_MAX_PITCH), and no size overflows.
    bool is_sound() const {
        constexpr std::size_t most_pitch = 0x7fffffff;
        std::size_t from_bytes, to_bytes;
        return width > 0 && from.pitch <= most_pitch && to.pitch <= most_pitch &&
               !__builtin_mul_overflow(from.pitch, height, &from_bytes) &&
               !__builtin_mul_overflow(to.pitch, height, &to_bytes);
    }
};

// Rows must lie within their pitch, and slices within their height: the driver refuses others.
bool fits(std::size_t room, std::size_t begin, std::size_t size) {
    return begin <= room && size <= room - begin;
}

// Width 0 if the driver would refuse it.
request read(const rectangle& in) {
    const bool is_valid =
        fits(in.from_pitch, in.from_x, in.width) && fits(in.to_pitch, in.to_x, in.width);
    return {at(in.from_type, in.from_host, in.from, in.from_pitch,
               in.from_y * in.from_pitch + in.from_x),
            at(in.to_type, in.to_host, in.to, in.to_pitch, in.to_y * in.to_pitch + in.to_x),
            is_valid ? in.width : 0, in.height};
}

// Width 0 if the driver would refuse it, or if rows are not equally far from each other.
request read(const cuboid& in) {
    const bool is_valid =
        fits(in.from_pitch, in.from_x, in.width) && fits(in.to_pitch, in.to_x, in.width) &&
        fits(in.from_height, in.from_y, in.height) && fits(in.to_height, in.to_y, in.height);
    const bool is_even =
        in.depth == 1 || (in.from_height == in.height && in.to_height == in.height);
    const std::size_t from_row = in.from_z * in.from_height + in.from_y;
    const std::size_t to_row = in.to_z * in.to_height + in.to_y;
    const bool has_levels = in.from_level || in.to_level;
    std::size_t height;
    const bool is_finite = !__builtin_mul_overflow(in.height, in.depth, &height);
    return {at(in.from_type, in.from_host, in.from, in.from_pitch,
               from_row * in.from_pitch + in.from_x),
            at(in.to_type, in.to_host, in.to, in.to_pitch, to_row * in.to_pitch + in.to_x),
            is_valid && is_even && is_finite && !has_levels ? in.width : 0, height};
}

transfer made(const request& of, bool is_to_host, bool waits, stream on) {
    const side& host = is_to_host ? of.to : of.from;
    const side& device = is_to_host ? of.from : of.to;
    transfer asked{host.as_host(), device.device, of.width * of.height, is_to_host, waits, on};
    const bool is_line = host.pitch == of.width && device.pitch == of.width;
    if (!is_line) asked.rows = {of.width, host.pitch, device.pitch};
    return asked;
}

template <class Shape, class AsIs>
result copy(const Shape* shape, bool waits, stream on, AsIs as_is) {
    if (!shape) return as_is();
    const request asked = read(*shape);
    if (!asked.is_sound()) return as_is();
    const bool may_go_in =
        asked.from.may_be(driver::host_memory) && asked.to.may_be(driver::device_memory);
    const bool may_go_out =
        asked.from.may_be(driver::device_memory) && asked.to.may_be(driver::host_memory);
    const transfer in = made(asked, to_device, waits, on), out = made(asked, to_host, waits, on);
    if (may_go_in && may_go_out) return stage_either_or(in, out, as_is);
    return may_go_in ? stage_or(in, as_is) : may_go_out ? stage_or(out, as_is) : as_is();
}

}  // namespace

result cuMemcpy2D_v2(const rectangle* asked) {
    return copy(asked, true, legacy, [&] { return real<cuMemcpy2D_v2>()(asked); });
}

result cuMemcpy2D_v2_ptds(const rectangle* asked) {
    return copy(asked, true, per_thread, [&] { return real<cuMemcpy2D_v2_ptds>()(asked); });
}

result cuMemcpy2DUnaligned_v2(const rectangle* asked) {
    return copy(asked, true, legacy, [&] { return real<cuMemcpy2DUnaligned_v2>()(asked); });
}

result cuMemcpy2DUnaligned_v2_ptds(const rectangle* asked) {
    return copy(asked, true, per_thread,
                [&] { return real<cuMemcpy2DUnaligned_v2_ptds>()(asked); });
}

result cuMemcpy2DAsync_v2(const rectangle* asked, stream on) {
    return copy(asked, false, on, [&] { return real<cuMemcpy2DAsync_v2>()(asked, on); });
}

result cuMemcpy2DAsync_v2_ptsz(const rectangle* asked, stream on) {
    return copy(asked, false, own(on), [&] { return real<cuMemcpy2DAsync_v2_ptsz>()(asked, on); });
}

result cuMemcpy3D_v2(const cuboid* asked) {
    return copy(asked, true, legacy, [&] { return real<cuMemcpy3D_v2>()(asked); });
}

result cuMemcpy3D_v2_ptds(const cuboid* asked) {
    return copy(asked, true, per_thread, [&] { return real<cuMemcpy3D_v2_ptds>()(asked); });
}

result cuMemcpy3DAsync_v2(const cuboid* asked, stream on) {
    return copy(asked, false, on, [&] { return real<cuMemcpy3DAsync_v2>()(asked, on); });
}

result cuMemcpy3DAsync_v2_ptsz(const cuboid* asked, stream on) {
    return copy(asked, false, own(on), [&] { return real<cuMemcpy3DAsync_v2_ptsz>()(asked, on); });
}

}  // namespace attach
