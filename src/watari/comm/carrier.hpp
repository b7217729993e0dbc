/// The parts of a carrier of planes between neighbours; halo.hpp has the table of them.
#pragma once

#include "watari/comm/communicator.hpp"
#include "watari/comm/planes.hpp"
#include "watari/memory/buffer.hpp"

#include <memory>

namespace watari::comm {

/// Whose halo is exchanged.
struct halo_options {
    const communicator* ranks;
    decomposition part;
    processor who;       ///< that packs planes: it can address the field
    memory::kind field;  ///< the memory that the field is in
};

/// Carries the planes of one axis at a time.
class carrier {
public:
    explicit carrier(const halo_options& options)
        : options_(options), kernels_(&planes_on(options.who)) {}
    virtual ~carrier() = default;

    /// Fills the outer planes of an axis from its neighbours' inner ones. Begins after what
    /// `stream` was given before; what it is given later finds the planes filled.
    virtual void exchange(const faces& f, float* field, stream_t stream) = 0;

    /// Seconds that the host has spent in MPI so far to send planes.
    double seconds() const { return seconds_; }

protected:
    using buffers = float* const (&)[2];

    /// The inner planes into a buffer a side, and buffers into the outer planes; a side without a
    /// neighbour is left out.
    void pack(const faces& f, const float* field, buffers to, stream_t stream) const;
    void unpack(const faces& f, float* field, buffers from, stream_t stream) const;
    /// A buffer a side through MPI; the host waits until they have come.
    void send(const faces& f, const float* const (&own)[2], buffers others);

    bool on_gpu() const { return options_.who.is_gpu(); }

    halo_options options_;

private:
    const plane_kernels* kernels_;
    double seconds_ = 0;
};

/// Two planes to give and two to fill, in memory of one kind.
class plane_buffers {
public:
    plane_buffers(const halo_options& options, memory::kind kind)
        : points_(options.part.largest_plane()),
          all_(kind, 4 * points_, {.device = options.who.number}),
          own{all_.data(), all_.data() + points_},
          others{all_.data() + 2 * points_, all_.data() + 3 * points_} {}

private:
    std::size_t points_;
    memory::buffer<float> all_;

public:
    float *own[2], *others[2];
};

std::unique_ptr<carrier> make_staged(const halo_options& options);
std::unique_ptr<carrier> make_device(const halo_options& options);
std::unique_ptr<carrier> make_nccl(const halo_options& options);
std::unique_ptr<carrier> make_peer(const halo_options& options);

}  // namespace watari::comm
