/// A hop on several ranks: half spinors go to the neighbours, then the edges are computed.
///
/// Every rank computes all of its sites as if it were its own neighbour. When the half spinors have
/// arrived, it computes the sites at its edges again. So half spinors can travel during the first
/// computation (overlap).
#pragma once

#include "../problem/fields.hpp"
#include "watari/comm/halo.hpp"
#include "watari/memory/buffer.hpp"

#include <cstddef>
#include <optional>

namespace watari::lattice {

/// Bytes per point of a face in a message, as comm::halo_options::point_bytes: half of the points
/// have the parity that is sent.
inline std::size_t message_point_bytes(const parameters& p) {
    return p.rhs * half_spinor * p.real_bytes();
}

template <class Real>
class exchange {
public:
    explicit exchange(const parameters& p);

    /// `inner` enqueues the hop of all sites on `stream`.
    template <class Inner>
    void operator()(const hop_arguments<Real>& a, const Inner& inner, stream_t stream) {
        if (overlap_) {
            overlap_->begun.record(stream);
            inner();
            overlap_->begun.make_wait(overlap_->stream.get());
            send(a, overlap_->stream.get());
            overlap_->arrived.record(overlap_->stream.get());
            overlap_->arrived.make_wait(stream);
        } else {
            send(a, stream);
            inner();
        }
        finish(a, stream);
    }

private:
    struct beside {
        device::stream stream{device::priority::urgent};
        device::event begun, arrived;
    };

    void send(const hop_arguments<Real>& a, stream_t stream) const;
    void finish(const hop_arguments<Real>& a, stream_t stream) const;

    const kernels<Real>* run_;
    processor who_;
    comm::halo* halo_;
    memory::buffer<complex<Real>> arrived_;
    complex<Real>* halos_[4][2]{};  ///< as edge_arguments::halo
    std::optional<beside> overlap_;
};

}  // namespace watari::lattice
