#include "watari/comm/message.hpp"

namespace watari::comm {

namespace {

/// Both buffers advanced by `bytes`; null stays null.
template <class Byte>
struct advanced {
    Byte* ends[2];
    advanced(Byte* const (&begin)[2], std::size_t bytes)
        : ends{begin[0] ? begin[0] + bytes : nullptr, begin[1] ? begin[1] + bytes : nullptr} {}
};

}  // namespace

std::size_t fields::bytes(const faces& f) const {
    std::size_t element = 0;
    for (const field& each : arrays_) element += each.element;
    return f.points() * element;
}

field fields::in_place(const faces& f) const {
    return arrays_.size() == 1 && f.contiguous() ? arrays_.front() : field{};
}

void fields::pack(const faces& f, buffers to, stream_t stream) const {
    std::size_t before = 0;
    for (const field& each : arrays_) {
        const advanced<std::byte> here(to, before);
        const std::size_t bytes = f.points() * each.element;
        before += bytes;
        if (!who_.is_gpu() || !f.contiguous()) {
            kernels_on<pack_kernels>(who_).pack(f, each, here.ends, stream);
            continue;
        }
        // a copy engine leaves the multiprocessors to the kernels of other streams
        for (const int side : {0, 1})
            if (f.ranks[side] != nobody)
                device::copy(here.ends[side],
                             static_cast<std::byte*>(each.data) + f.inner[side] * each.element,
                             bytes, stream);
    }
}

void fields::unpack(const faces& f, const_buffers from, stream_t stream) const {
    std::size_t before = 0;
    for (const field& each : arrays_) {
        const advanced<const std::byte> here(from, before);
        const std::size_t bytes = f.points() * each.element;
        before += bytes;
        if (!who_.is_gpu() || !f.contiguous()) {
            kernels_on<pack_kernels>(who_).unpack(f, each, here.ends, stream);
            continue;
        }
        for (const int side : {0, 1})
            if (f.ranks[side] != nobody)
                device::copy(static_cast<std::byte*>(each.data) + f.outer[side] * each.element,
                             here.ends[side], bytes, stream);
    }
}

}  // namespace watari::comm
