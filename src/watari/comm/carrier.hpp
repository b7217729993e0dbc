/// The parts of a path between neighbours; halo.hpp has the table of paths.
#pragma once

#include "watari/comm/communicator.hpp"
#include "watari/comm/message.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace watari::comm {

/// The ranks, the box and the memory of a halo exchange.
struct halo_options {
    const communicator* ranks;
    decomposition part;
    processor who;                            ///< packs planes: it can address the fields
    memory::kind field;                       ///< the memory that the fields are in
    std::size_t point_bytes = sizeof(float);  ///< per point of a face, for all fields of a message
};

/// Bytes that one end of an axis may send; at least 64, for the small first message.
inline std::size_t face_bytes(const halo_options& options) {
    return std::max<std::size_t>(64, options.part.largest_face() * options.point_bytes);
}

/// Carries one message along one axis at a time.
class carrier {
public:
    explicit carrier(const halo_options& options) : options_(options) {}
    virtual ~carrier() = default;

    /// Fills the outer planes of an axis from the inner planes of its neighbours, in stream order:
    /// after the earlier work of `stream` and before its later work.
    virtual void exchange(const faces& f, const message& m, stream_t stream) = 0;

    /// Seconds that the host has spent in MPI so far to send planes.
    double seconds() const { return seconds_; }

protected:
    using ends = std::byte* const (&)[2];

    /// Exchanges one buffer per side through MPI; the host waits until both have arrived.
    void send(const faces& f, ends own, ends others, std::size_t bytes);

    bool on_gpu() const { return options_.who.is_gpu(); }

    halo_options options_;

private:
    double seconds_ = 0;
};

/// Both ends of an axis in place: inner planes to send, outer planes to fill.
struct ends_in_place {
    std::byte *own[2], *others[2];

    ends_in_place(const faces& f, const field& of) : own{}, others{} {
        auto* const data = static_cast<std::byte*>(of.data);
        for (const int side : {0, 1}) {
            own[side] = data + f.inner[side] * of.element;
            others[side] = data + f.outer[side] * of.element;
        }
    }
};

/// Two buffers to send and two to fill, in memory of one kind.
class face_buffers {
public:
    face_buffers(const halo_options& options, memory::kind kind)
        : bytes_((face_bytes(options) + 63) / 64 * 64),
          all_(kind, 4 * bytes_, {.device = options.who.number}),
          own{all_.data(), all_.data() + bytes_},
          others{all_.data() + 2 * bytes_, all_.data() + 3 * bytes_} {}

private:
    std::size_t bytes_;
    memory::buffer<std::byte> all_;

public:
    std::byte *own[2], *others[2];
};

std::unique_ptr<carrier> make_staged(const halo_options& options);
std::unique_ptr<carrier> make_device(const halo_options& options);
std::unique_ptr<carrier> make_nccl(const halo_options& options);
std::unique_ptr<carrier> make_peer(const halo_options& options);

}  // namespace watari::comm
