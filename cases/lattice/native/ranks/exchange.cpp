#include "exchange.hpp"

#include "watari/memory/move.hpp"

namespace watari::lattice {

namespace {

/// Half spinors of one parity, packed by the kernels of this case.
template <class Real>
class half_spinors final : public comm::message {
public:
    half_spinors(const kernels<Real>& run, processor who, const hop_arguments<Real>& a,
                 complex<Real>* const (&halos)[4][2])
        : run_(&run), who_(who), a_(&a), halos_(&halos) {}

    std::size_t bytes(const comm::faces& f) const override {
        return a_->systems * half_spinor * face_sites(a_->where.size, direction(f)) *
               sizeof(complex<Real>);
    }
    void pack(const comm::faces& f, buffers to, stream_t stream) const override {
        for (const bool above : {false, true})
            if (to[above] != nullptr)
                run_->pack_face(*a_, direction(f), above,
                                reinterpret_cast<complex<Real>*>(to[above]), stream);
    }
    void unpack(const comm::faces& f, const_buffers from, stream_t stream) const override {
        for (const bool above : {false, true}) {
            if (from[above] == nullptr) continue;
            memory::copy(who_, (*halos_)[direction(f)][above], from[above], bytes(f), stream);
        }
    }

private:
    static unsigned direction(const comm::faces& f) { return static_cast<unsigned>(f.axis); }

    const kernels<Real>* run_;
    processor who_;
    const hop_arguments<Real>* a_;
    complex<Real>* const (*halos_)[4][2];
};

}  // namespace

template <class Real>
exchange<Real>::exchange(const parameters& p)
    : run_(&kernels_on<kernels<Real>>(p.processor)),
      who_(p.processor),
      halo_(p.part->halo),
      arrived_(p.part->field, p.rhs * halo_numbers(p.size, p.part->split),
               {.device = p.processor.number}) {
    const extents& split = p.part->split;
    for (unsigned d = 0; d < 4; ++d)
        for (const bool above : {false, true})
            if (extent(split, d) > 1)
                halos_[d][above] = arrived_.data() + p.rhs * halo_begin(p.size, split, d, above);
    if (p.overlap) overlap_.emplace();
}

template <class Real>
void exchange<Real>::send(const hop_arguments<Real>& a, stream_t stream) const {
    halo_->exchange(half_spinors<Real>(*run_, who_, a, halos_), stream);
}

template <class Real>
void exchange<Real>::finish(const hop_arguments<Real>& a, stream_t stream) const {
    edge_arguments<Real> edges{.hop = a};
    for (unsigned d = 0; d < 4; ++d)
        for (const bool above : {false, true}) edges.halo[d][above] = halos_[d][above];
    run_->hop_edges(edges, stream);
    if (a.partials) run_->sum_edges(edges, stream);
}

template class exchange<float>;
template class exchange<double>;

}  // namespace watari::lattice
