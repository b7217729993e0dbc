// Batches of copies, in no order among one another; here in theirs. Not on the legacy default
// stream. A batch with a copy that cannot be made copies nothing.
#include "../observe.hpp"
#include "../streams.hpp"
#include "copies.hpp"
#include "memory.hpp"

namespace fake {
namespace {

// CUmemcpyAttributes
struct attributes {
    int order;  // of reading the source: 1 to 3
    int hints[4];
    unsigned flags;
};

constexpr int during_call = 2;

// CUDA_MEMCPY3D_BATCH_OP, between pointers
struct operand {
    int type;  // 1: a pointer
    device_pointer pointer;
    std::size_t row, height;  // 0: those of the copy
    int hint[2];
};
struct volume {
    operand from, to;
    std::size_t width, height, depth;
    int order;
    unsigned flags;
};

bool are_sound(const attributes* rows, const std::size_t* firsts, std::size_t kinds,
               std::size_t count) {
    if (!rows || !firsts || kinds == 0 || kinds > count) return false;
    for (std::size_t i = 0; i < kinds; ++i) {
        const bool is_next = i == 0 ? firsts[i] == 0 : firsts[i] > firsts[i - 1];
        if (!is_next || firsts[i] >= count || rows[i].order < 1 || rows[i].order > 3) return false;
    }
    return true;
}

bool is_inside(device_pointer pointer, std::size_t bytes) {
    const auto found = find(pointer);
    return !found || (bytes <= found->bytes && pointer - found->begin <= found->bytes - bytes);
}

result copy_batch(const device_pointer* to, const device_pointer* from, const std::size_t* bytes,
                  std::size_t count, const attributes* rows, const std::size_t* firsts,
                  std::size_t kinds, std::size_t* failed, void* stream) {
    if (failed) *failed = ~std::size_t{0};
    if (stream_of(stream).number == 7) return invalid_value;
    if (!are_sound(rows, firsts, kinds, count)) return invalid_value;
    for (std::size_t i = 0; i < count; ++i)
        if (!is_inside(to[i], bytes[i]) || !is_inside(from[i], bytes[i])) {
            if (failed) *failed = i;
            return invalid_value;
        }
    std::size_t kind = 0;
    for (std::size_t i = 0; i < count; ++i) {
        while (kind + 1 < kinds && firsts[kind + 1] <= i) ++kind;
        const box one{.to = to[i], .from = from[i], .width = bytes[i]};
        const bool is_read_now = rows[kind].order == during_call;
        if (const result outcome = copy(one, stream, !is_read_now)) return outcome;
    }
    return success;
}

result copy_volumes(std::size_t count, const volume* all, void* stream) {
    if (stream_of(stream).number == 7) return invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
        const volume& one = all[i];
        if (one.from.type != 1 || one.to.type != 1) return not_supported;
        const auto pitch = [&](const operand& of) { return of.row ? of.row : one.width; };
        const auto slice = [&](const operand& of) {
            return pitch(of) * (of.height ? of.height : one.height);
        };
        const box made{.to = one.to.pointer,
                       .from = one.from.pointer,
                       .width = one.width,
                       .height = one.height,
                       .depth = one.depth,
                       .to_pitch = pitch(one.to),
                       .from_pitch = pitch(one.from),
                       .to_slice = slice(one.to),
                       .from_slice = slice(one.from)};
        if (const result outcome = copy(made, stream, true)) return outcome;
    }
    return success;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE result cuMemcpyBatchAsync_v2(const device_pointer* to, const device_pointer* from,
                                  const std::size_t* bytes, std::size_t count, const void* rows,
                                  const std::size_t* firsts, std::size_t kinds, void* stream) {
    return observed(
        "cuMemcpyBatchAsync_v2",
        {bits(to), bits(from), bits(bytes), count, bits(rows), bits(firsts), kinds, bits(stream)},
        [&] {
            return copy_batch(to, from, bytes, count, static_cast<const attributes*>(rows), firsts,
                              kinds, nullptr, stream);
        });
}

FAKE result cuMemcpyBatchAsync(const device_pointer* to, const device_pointer* from,
                               const std::size_t* bytes, std::size_t count, const void* rows,
                               const std::size_t* firsts, std::size_t kinds, std::size_t* failed,
                               void* stream) {
    return copy_batch(to, from, bytes, count, static_cast<const attributes*>(rows), firsts, kinds,
                      failed, stream);
}

FAKE result cuMemcpy3DBatchAsync_v2(std::size_t count, const void* all, unsigned long long,
                                    void* stream) {
    return copy_volumes(count, static_cast<const volume*>(all), stream);
}

FAKE result cuMemcpy3DBatchAsync(std::size_t count, const void* all, std::size_t*,
                                 unsigned long long, void* stream) {
    return copy_volumes(count, static_cast<const volume*>(all), stream);
}
