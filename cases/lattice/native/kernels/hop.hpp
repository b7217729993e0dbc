/// The loops over hop_body.hpp, declared for both backends.
#pragma once

#include "../problem/fields.hpp"
#include "watari/core/backend.hpp"

namespace watari::WATARI_BACKEND {

/// hop.cpp: site by site, the same on every processor.
template <class Real>
void shared_hop(const lattice::hop_arguments<Real>& a, stream_t stream);

/// hop_tuned.cu, hop_tuned.cpp: written for this processor.
template <class Real>
void tuned_hop(const lattice::hop_arguments<Real>& a, stream_t stream);
template <class Real>
void sum_edges(const lattice::edge_arguments<Real>& a, stream_t stream);

/// edges.cpp: additional kernels for several ranks.
template <class Real>
void pack_face(const lattice::hop_arguments<Real>& a, unsigned direction, bool above,
               complex<Real>* to, stream_t stream);
template <class Real>
void hop_edges(const lattice::edge_arguments<Real>& a, stream_t stream);

}  // namespace watari::WATARI_BACKEND
